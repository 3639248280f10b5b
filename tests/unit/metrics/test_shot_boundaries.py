from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.shot_boundaries import match_boundaries

cuts = st.lists(st.integers(0, 25), max_size=5, unique=True)


def test_a_cut_within_the_tolerance_is_right_and_one_beyond_is_false_and_missed():
    truth = np.array([20, 80])
    assert match_boundaries(truth, np.array([22, 78]), tolerance_frames=2).counts == MatchCounts(2, 0, 0)
    match = match_boundaries(truth, np.array([23, 78]), tolerance_frames=2)
    assert (match.counts, match.false.tolist(), match.missed.tolist()) == (MatchCounts(1, 1, 1), [23], [20])


def test_two_cuts_beside_one_label_leave_one_false():
    assert match_boundaries(np.array([20]), np.array([19, 21]), tolerance_frames=2).counts == MatchCounts(
        1, 1, 0
    )


def test_a_clip_without_cuts_is_right_without_finds():
    none = np.zeros(0, int)
    assert match_boundaries(none, none, tolerance_frames=2).counts.f1 == 1
    assert match_boundaries(none, np.array([5]), tolerance_frames=2).counts.f1 == 0


@given(cuts, cuts, st.integers(0, 4))
def test_no_other_one_to_one_matching_finds_more_cuts(truth, found, tolerance):
    match = match_boundaries(np.array(truth, int), np.array(found, int), tolerance_frames=tolerance)
    longer, shorter = (truth, found) if len(truth) > len(found) else (found, truth)
    best = max(
        sum(abs(a - b) <= tolerance for a, b in zip(choice, shorter, strict=True))
        for choice in itertools.permutations(longer, len(shorter))
    )
    assert match.counts == MatchCounts(best, len(found) - best, len(truth) - best)
    assert len(match.false) == match.counts.fp
    assert len(match.missed) == match.counts.fn
