from __future__ import annotations

import math

import pytest

from headtrack.evaluation.matching import match_heads
from headtrack.evaluation.score_heads import HeadScore, score_heads
from headtrack.metrics.counts import MatchCounts


def test_rear_heads_are_scored_on_their_own_whatever_they_are_called(make_labels, make_found):
    labels = make_labels(
        (0, 0, 0, 10, 10, "P1", "rear"), (0, 50, 0, 60, 10, "P2", "rear"), (0, 80, 0, 90, 10, "P3", "front")
    )
    found = make_found(
        (0, 0, 0, 10, 10, "profile", 0, "p"),
        (0, 80, 0, 90, 10, "rear", 1, "p"),
        (0, 30, 0, 40, 9, "rear", 2, "p"),
    )
    score = score_heads(match_heads(labels, found))
    assert score.every == MatchCounts(tp=2, fp=1, fn=1)
    assert score.rear == MatchCounts(tp=1, fp=1, fn=1)
    assert score.views == {("rear", "profile"): 1, ("front", "rear"): 1}
    assert score.view_accuracy == 0


def test_a_clip_without_rear_heads_has_no_rear_recall(make_labels, make_found):
    labels = make_labels((0, 0, 0, 10, 10, "P1", "front"))
    score = score_heads(match_heads(labels, make_found((0, 0, 0, 10, 10, "front", 0, "p"))))
    assert math.isnan(score.rear.recall)
    assert math.isnan(score.rear_view_recall)


def test_a_head_without_a_labelled_view_says_nothing_about_views(make_labels, make_found):
    labels = make_labels((0, 0, 0, 10, 10, "P1", ""))
    score = score_heads(match_heads(labels, make_found((0, 0, 0, 10, 10, "front", 0, "p"))))
    assert not score.views


def test_clips_add_up_head_by_head(labels, perfect):
    parts = [
        score_heads(match_heads(labels.heads[c], perfect[f"clips/{c}"].heads)) for c in ("a.mp4", "b.mp4")
    ]
    total = sum(parts, HeadScore())
    assert total.every == MatchCounts(tp=5)
    assert (total.rear.tp, total.view_accuracy, total.rear_view_recall) == (2, pytest.approx(1), 1)


def test_the_scores_of_found_heads_are_held_against_what_became_of_them(make_labels, make_found):
    labels = make_labels((0, 0, 0, 10, 10, "P1", "front"))
    found = make_found((0, 0, 0, 10, 10, "front", 0, "p"), (0, 50, 50, 60, 60, "front", 1, "q"))
    promise = score_heads(match_heads(labels, found)).promise
    assert promise.count.sum() == 2
    assert promise.right.sum() == 1


def test_a_front_head_called_rear_is_counted(make_labels, make_found):
    labels = make_labels((0, 0, 0, 10, 10, "P1", "front"), (0, 30, 0, 40, 10, "P2", "front"))
    found = make_found((0, 0, 0, 10, 10, "rear", 0, "p"), (0, 30, 0, 40, 10, "profile", 1, "q"))
    assert score_heads(match_heads(labels, found)).front_not_called_rear == 0.5
