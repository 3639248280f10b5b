from __future__ import annotations

import pytest

from headtrack.evaluation.matching import match_heads
from headtrack.evaluation.score_tracks import combine_tracks, score_tracks


def test_a_perfect_track_scores_one_although_labelled_frames_are_far_apart(labels, perfect):
    for clip in ("a.mp4", "b.mp4"):
        score = score_tracks(match_heads(labels.heads[clip], perfect[f"clips/{clip}"].heads))
        assert (score.hota.hota, score.clear.mota, score.identity.f1) == pytest.approx((1, 1, 1))


def test_one_track_over_two_people_is_punished_unless_they_may_be_one(make_labels, make_found):
    labels = make_labels((0, 0, 0, 10, 10, "P2", ""), (1, 0, 0, 10, 10, "P4", ""))
    found = make_found((0, 0, 0, 10, 10, "rear", 3, "p"), (1, 0, 0, 10, 10, "rear", 3, "p"))
    match = match_heads(labels, found)
    assert score_tracks(match).hota.ass_a == pytest.approx(0.5)
    assert score_tracks(match, [("P2", "P4")]).hota.ass_a == pytest.approx(1)


def test_a_track_with_two_heads_in_one_frame_is_scored_as_two(make_labels, make_found):
    labels = make_labels((0, 0, 0, 10, 10, "P1", ""))
    found = make_found((0, 0, 0, 10, 10, "front", 3, "p"), (0, 50, 0, 60, 10, "front", 3, "p"))
    score = score_tracks(match_heads(labels, found))
    assert (score.clear.tp, score.clear.fp) == (1, 1)


def test_no_clips_combine_to_zero():
    assert combine_tracks([]).hota.hota == 0
