from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.metrics.ordering import mean_known, order_similarities


def ordering(similarity, identity, look):
    return order_similarities(np.array(similarity), identity=np.array(identity), look=np.array(look))


# Two stills of one look, one of another look, one of somebody else, seen from the first.
def row(same: float, other_look: float, other: float):
    s = np.full((4, 4), math.nan)
    s[0] = 1, same, other_look, other
    return ordering(s, [0, 0, 0, 1], [0, 0, 1, -1])


def test_each_kind_of_triplet_is_counted_on_its_own():
    score = row(0.5, 0.9, 0.7)
    assert (score.look[0], score.identity[0], score.person[0], score.chain[0]) == (0, 1, 0, 0)
    assert score.accuracy == pytest.approx(1 / 3)
    assert (score.anchors, score.triplets) == (1, 3)


def test_the_right_order_is_right_and_equal_is_no_order():
    assert row(0.9, 0.8, 0.7).accuracy == row(0.9, 0.8, 0.7).chain[0] == 1
    assert row(0.9, 0.9, 0.9).accuracy == 0


def test_an_anchor_with_many_triplets_weighs_no_more_than_another():
    s = np.array([[1, 0.9, 0.1, 0.1, 0.1], [0, 1, 0.5, 0.5, 0.5], *np.zeros((3, 5))])
    score = ordering(s, [0, 0, 1, 2, 3], [0, 0, -1, -1, -1])
    assert score.person[:2].tolist() == [1, 0]
    assert score.accuracy == 0.5


def test_a_still_without_a_labelled_look_is_no_anchor_and_no_other_look():
    score = ordering(np.eye(3), [0, 0, 1], [-1, 0, -1])
    assert score.triplets == 0
    assert math.isnan(score.accuracy)


def test_nothing_is_unknown():
    score = ordering(np.zeros((0, 0)), np.zeros(0, int), np.zeros(0, int))
    assert (score.anchors, score.triplets) == (0, 0)
    assert math.isnan(score.accuracy)


@given(st.integers(0, 2**32 - 1))
def test_it_agrees_with_a_loop_over_triplets(seed):
    rng = np.random.default_rng(seed)
    identity = rng.integers(0, 3, 8)
    look = np.where(rng.random(8) < 0.7, identity * 2 + rng.integers(0, 2, 8), -1)
    s = rng.integers(0, 4, (8, 8)) / 4
    score, right = order_similarities(s, identity=identity, look=look), []
    for a in range(8):
        others = [j for j in range(8) if j != a and look[a] != -1]
        same = [j for j in others if look[j] == look[a]]
        middle = [j for j in others if identity[j] == identity[a] and look[j] not in (-1, look[a])]
        far = [j for j in others if identity[j] != identity[a]]
        kinds = [
            np.array([s[a, p] > s[a, q] for p in near for q in away], float)
            for near, away in ((same, middle), (middle, far), (same, far))
        ]
        chain = np.array([s[a, p] > s[a, q] > s[a, r] for p in same for q in middle for r in far], float)
        assert score.chain[a] == pytest.approx(mean_known(chain), nan_ok=True)
        right.append(mean_known(np.array([mean_known(kind) for kind in kinds])))
    assert score.accuracy == pytest.approx(mean_known(np.array(right)), nan_ok=True)
