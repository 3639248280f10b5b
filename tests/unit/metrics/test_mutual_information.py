from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from headtrack.metrics.mutual_information import MutualInformation, mutual_information
from headtrack.metrics.partition import contingency

groupings = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=14)


@given(groupings)
def test_it_agrees_with_scikit_learn(items):
    truth, predicted = np.array(items).T
    score = mutual_information(contingency(truth, predicted))
    assert score.nmi == pytest.approx(normalized_mutual_info_score(truth, predicted), abs=1e-9)


def test_a_cluster_that_tells_nothing_scores_nothing():
    score = mutual_information(contingency(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])))
    assert score.nmi == pytest.approx(0)


def test_people_who_may_be_one_count_as_one_only_where_they_share_a_cluster():
    truth, pair = np.array([2, 2, 4, 4, 5]), np.array([[2, 4]])
    together = contingency(truth, np.array([0, 0, 0, 0, 1]), not_scored=pair)
    apart = contingency(truth, np.array([0, 0, 2, 2, 1]), not_scored=pair)
    assert mutual_information(together).nmi == mutual_information(apart).nmi == pytest.approx(1)


def test_sets_add_up_by_their_items():
    right = mutual_information(contingency(np.array([0, 0, 1]), np.array([0, 0, 1])))
    useless = mutual_information(contingency(np.array([0, 1]), np.array([0, 0])))
    assert (right + useless).nmi == pytest.approx(3 / 5)


def test_without_items_it_is_unknown():
    score = mutual_information(contingency(np.zeros(0, int), np.zeros(0, int)))
    assert score == MutualInformation()
    assert math.isnan(score.nmi)
