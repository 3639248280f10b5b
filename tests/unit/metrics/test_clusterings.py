"""BCubed and pairwise scores rest on one table, and are tested on the same groupings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.metrics.bcubed import BCubed, bcubed
from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.pairwise import pairwise
from headtrack.metrics.partition import contingency

groupings = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), max_size=14)
no_pairs = np.zeros((0, 2), int)


def _split(items: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    rows = np.array(items, int).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _may_judge(a: int, b: int, not_scored: np.ndarray) -> bool:
    return a == b or not any({a, b} == set(pair) for pair in not_scored.tolist())


@given(groupings, st.sampled_from([no_pairs, np.array([[0, 1]]), np.array([[0, 1], [3, 0]])]))
def test_bcubed_agrees_with_a_loop_over_items(items, not_scored):
    truth, predicted = _split(items)
    precision = recall = 0.0
    for i in range(len(truth)):
        same_cluster = [
            j
            for j in range(len(truth))
            if i == j or (predicted[i] == predicted[j] != -1 and _may_judge(truth[i], truth[j], not_scored))
        ]
        same_class = [j for j in range(len(truth)) if truth[i] == truth[j]]
        both = set(same_cluster) & set(same_class)
        precision += len(both) / len(same_cluster)
        recall += len(both) / len(same_class)
    score = bcubed(contingency(truth, predicted, not_scored=not_scored))
    assert (score.items, score.precision_sum, score.recall_sum) == pytest.approx(
        (len(truth), precision, recall)
    )


@given(groupings, st.sampled_from([no_pairs, np.array([[0, 1]]), np.array([[0, 1], [3, 0]])]))
def test_pairwise_agrees_with_a_loop_over_pairs(items, not_scored):
    truth, predicted = _split(items)
    tp = fp = fn = 0
    for i in range(len(truth)):
        for j in range(i):
            together = predicted[i] == predicted[j] != -1
            belong = truth[i] == truth[j]
            tp += together and belong
            fp += together and not belong and _may_judge(truth[i], truth[j], not_scored)
            fn += belong and not together
    assert pairwise(contingency(truth, predicted, not_scored=not_scored)) == MatchCounts(tp, fp, fn)


@given(groupings, st.randoms())
def test_scores_depend_neither_on_the_order_of_items_nor_on_the_names_of_clusters(items, random):
    truth, predicted = _split(items)
    order = np.array(random.sample(range(len(truth)), len(truth)), int)
    renamed = np.where(predicted == -1, -1, 40 - 3 * predicted)
    one = contingency(truth, predicted)
    other = contingency(truth[order], renamed[order])
    assert pairwise(one) == pairwise(other)
    assert bcubed(one).precision_sum == pytest.approx(bcubed(other).precision_sum)
    assert bcubed(one).recall_sum == pytest.approx(bcubed(other).recall_sum)


@given(groupings)
def test_precision_and_recall_change_places_with_truth_and_prediction(items):
    truth, predicted = _split([(a, b) for a, b in items if b >= 0])
    one, other = bcubed(contingency(truth, predicted)), bcubed(contingency(predicted, truth))
    assert (one.precision_sum, one.recall_sum) == pytest.approx((other.recall_sum, other.precision_sum))


def test_one_cluster_for_all_is_complete_but_impure():
    score = bcubed(contingency(np.array([1, 1, 2, 2]), np.zeros(4, int)))
    assert (score.precision, score.recall) == (0.5, 1.0)


def test_an_item_without_a_cluster_is_alone():
    score = bcubed(contingency(np.array([1, 1]), np.array([-1, -1])))
    assert (score.precision, score.recall, score.f1) == pytest.approx((1.0, 0.5, 2 / 3))


def test_without_items_bcubed_is_unknown():
    score = bcubed(contingency(np.zeros(0, int), np.zeros(0, int)))
    assert score == BCubed()
    assert math.isnan(score.f1)
    assert pairwise(contingency(np.zeros(0, int), np.zeros(0, int))) == MatchCounts()


def test_people_who_are_not_scored_against_each_other_may_share_a_cluster():
    truth, predicted = np.array([2, 2, 4, 4]), np.zeros(4, int)
    table = contingency(truth, predicted, not_scored=np.array([[2, 4]]))
    assert (bcubed(table).f1, pairwise(table)) == (1.0, MatchCounts(tp=2))


def test_classes_and_clusters_of_unlike_length_are_refused():
    with pytest.raises(ValueError, match="2 true classes for 1 clusters"):
        contingency(np.zeros(2, int), np.zeros(1, int))
