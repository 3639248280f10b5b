from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.cluster import contingency_matrix

from headtrack.metrics.partition import contingency
from headtrack.metrics.purity import Purity, purity


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=14))
def test_it_is_the_largest_class_of_each_cluster(items):
    truth, predicted = np.array(items).T
    largest = contingency_matrix(truth, predicted).max(axis=0).sum()
    assert purity(contingency(truth, predicted)) == Purity(len(items), int(largest))


def test_an_item_without_a_cluster_is_pure():
    assert purity(contingency(np.array([1, 2]), np.array([-1, -1]))).wcp == 1


def test_people_who_may_be_one_do_not_spoil_a_cluster():
    truth, predicted = np.array([2, 4, 5]), np.zeros(3, int)
    assert purity(contingency(truth, predicted)).pure == 1
    assert purity(contingency(truth, predicted, not_scored=np.array([[2, 4]]))).pure == 2


def test_without_items_it_is_unknown():
    score = purity(contingency(np.zeros(0, int), np.zeros(0, int)))
    assert score + Purity() == Purity()
    assert math.isnan(score.wcp)
