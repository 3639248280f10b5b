from __future__ import annotations

import itertools

import numpy as np
import pytest

from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.detection import match_frame
from headtrack.ops.boxes import iou_matrix

NONE = np.zeros((0, 4))
BOX = np.array([[0.0, 0, 10, 10]])


def test_one_box_cannot_match_two_heads():
    match = match_frame(np.concatenate([BOX, BOX + 1]), BOX, ignore=NONE, min_iou=0.4)
    assert match.counts == MatchCounts(1, 0, 1)
    assert match.predicted_of_truth.tolist() == [0, -1]


def test_a_box_below_the_iou_is_false_and_the_head_missed():
    assert match_frame(BOX, BOX + 5, ignore=NONE, min_iou=0.4).counts == MatchCounts(0, 1, 1)


def test_a_frame_without_heads_makes_every_box_false():
    assert match_frame(NONE, BOX, ignore=NONE, min_iou=0.4).counts == MatchCounts(0, 1, 0)


def test_an_empty_frame_counts_nothing():
    assert match_frame(NONE, NONE, ignore=BOX, min_iou=0.4).counts == MatchCounts()


def test_a_false_box_half_inside_an_ignore_region_does_not_count():
    region = np.array([[0.0, 0, 5, 10]])
    match = match_frame(NONE, BOX, ignore=region, min_iou=0.9)
    assert (match.counts, match.scored.tolist()) == (MatchCounts(), [False])


def test_a_false_box_less_than_half_inside_an_ignore_region_counts():
    region = np.array([[0.0, 0, 4.9, 10]])
    assert match_frame(NONE, BOX, ignore=region, min_iou=0.9).counts == MatchCounts(0, 1, 0)


def test_a_box_around_an_ignored_head_does_not_count():
    region = np.array([[3.0, 0, 7, 10]])
    assert match_frame(NONE, BOX, ignore=region, min_iou=0.4).counts == MatchCounts()


def test_a_match_inside_an_ignore_region_counts():
    region = np.array([[-5.0, -5, 50, 50]])
    assert match_frame(BOX, BOX, ignore=region, min_iou=0.4).counts == MatchCounts(1, 0, 0)


@pytest.mark.parametrize("seed", range(10))
def test_no_other_one_to_one_matching_finds_more_heads(seed):
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 20, (9, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(8, 16, (9, 2))], 1)
    truth, predicted = boxes[:4], boxes[4:]
    allowed = iou_matrix(truth, predicted) >= 0.3
    best = max(
        sum(allowed[t, p] for t, p in enumerate(choice)) for choice in itertools.permutations(range(5), 4)
    )
    assert match_frame(truth, predicted, ignore=NONE, min_iou=0.3).counts.tp == best
