from __future__ import annotations

import itertools

import numpy as np
import pytest

from headtrack.metrics.hota import ALPHAS, combine_hota, hota
from headtrack.metrics.track_overlap import TrackedBoxes, TrackOverlap, overlap_tracks


def test_a_perfect_tracker_scores_one(two_tracks):
    score = hota(overlap_tracks(two_tracks, two_tracks))
    assert (score.hota, score.det_a, score.ass_a, score.loc_a) == pytest.approx((1, 1, 1, 1))


def test_a_tracker_that_finds_nothing_scores_zero(two_tracks, no_boxes):
    score = hota(overlap_tracks(two_tracks, no_boxes))
    assert (score.hota, score.det_a, score.ass_a, score.loc_a) == (0, 0, 0, 1)
    assert score.fn.tolist() == [8.0] * len(ALPHAS)


def test_nothing_in_gives_zeros(no_boxes):
    score = hota(overlap_tracks(no_boxes, no_boxes))
    assert (score.hota, score.det_a, score.ass_a) == (0, 0, 0)


def test_an_id_that_changes_half_way_halves_association_and_leaves_detection(two_tracks):
    changed = TrackedBoxes(two_tracks.frame, two_tracks.track + 10 * (two_tracks.frame >= 2), two_tracks.xyxy)
    score = hota(overlap_tracks(two_tracks, changed))
    assert (score.det_a, score.ass_a) == pytest.approx((1, 0.5))
    assert score.hota == pytest.approx(np.sqrt(0.5))


def test_names_of_tracks_do_not_matter(two_tracks):
    renamed = TrackedBoxes(two_tracks.frame, 100 - two_tracks.track, two_tracks.xyxy)
    assert hota(overlap_tracks(two_tracks, renamed)).hota == pytest.approx(1)


def test_a_sequence_combined_with_itself_scores_the_same(sequence: TrackOverlap):
    once = hota(sequence)
    twice = combine_hota([once, once])
    assert (twice.hota, twice.det_a, twice.ass_a, twice.loc_a) == pytest.approx(
        (once.hota, once.det_a, once.ass_a, once.loc_a)
    )


def test_combining_nothing_gives_zeros():
    assert combine_hota([]).hota == 0


def test_association_agrees_with_the_definition_pair_by_pair(sequence: TrackOverlap):
    score = hota(sequence)
    for a, alpha in enumerate(ALPHAS):
        matches = _matches(sequence, alpha)
        expected = sum(_association(pair, matches, sequence) for pair in matches)
        assert score.tp[a] == len(matches)
        assert score.association_sum[a] == pytest.approx(expected)


def _matches(sequence: TrackOverlap, alpha: float) -> list[tuple[int, int]]:
    """Match every frame by trying each assignment (HOTA, equations 9 and 11, with TrackEval's weights)."""
    alignment = _alignment(sequence)
    found = []
    for frame in sequence.frames:
        n, m = frame.iou.shape
        rows = list(range(n)) + [None] * m
        best: tuple[float, list[tuple[int, int]]] = (-1.0, [])
        for chosen in set(itertools.permutations(rows, m)):
            pairs = [(r, c) for c, r in enumerate(chosen) if r is not None]
            value = sum(alignment[frame.truth[r], frame.predicted[c]] * frame.iou[r, c] for r, c in pairs)
            best = max(best, (value, pairs), key=lambda x: x[0])
        found += [
            (int(frame.truth[r]), int(frame.predicted[c]))
            for r, c in best[1]
            if frame.iou[r, c] >= alpha - 1e-12
        ]
    return found


def _alignment(sequence: TrackOverlap) -> dict[tuple[int, int], float]:
    alignment = {}
    for g in range(sequence.truth_tracks):
        for p in range(sequence.predicted_tracks):
            shared = true = predicted = 0.0
            for frame in sequence.frames:
                true += g in frame.truth
                predicted += p in frame.predicted
                if g in frame.truth and p in frame.predicted:
                    r, c = frame.truth.tolist().index(g), frame.predicted.tolist().index(p)
                    here = frame.iou[r, c]
                    both = frame.iou[r].sum() + frame.iou[:, c].sum() - here
                    shared += here / both if both else 0
            alignment[g, p] = shared / (true + predicted - shared)
    return alignment


def _association(pair: tuple[int, int], matches: list, sequence: TrackOverlap) -> float:
    tpa = matches.count(pair)
    true = sum(pair[0] in frame.truth for frame in sequence.frames)
    predicted = sum(pair[1] in frame.predicted for frame in sequence.frames)
    return tpa / (true + predicted - tpa)
