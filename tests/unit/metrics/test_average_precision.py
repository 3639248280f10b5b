from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.metrics.average_precision import (
    COCO_IOUS,
    FALSE,
    IGNORED,
    RankedBoxes,
    average_precision,
    match_by_score,
)
from headtrack.ops.boxes import iou_matrix

NONE = np.zeros((0, 4))


def ranked(right: list[bool], truths: int) -> RankedBoxes:
    return RankedBoxes(-np.arange(len(right), dtype=float), np.array(right, bool), truths)


def test_a_case_worked_by_hand():
    """Right, false, right of three: recall 1/3 at precision 1, 2/3 at 2/3, never 1.

    Of the 101 recalls 0 to 0.33 are 34 and 0.34 to 0.66 are 33.
    """
    expected = (34 * 1 + 33 * 2 / 3) / 101
    assert average_precision(ranked([True, False, True], 3)) == pytest.approx(expected)


def test_a_false_box_counts_only_before_a_right_one():
    assert average_precision(ranked([True, True, False, False], 2)) == 1.0
    assert average_precision(ranked([False, True, True], 2)) == pytest.approx(2 / 3)


def test_nothing_to_find_is_unknown_and_nothing_found_is_zero():
    assert np.isnan(average_precision(ranked([], 0)))
    assert average_precision(ranked([], 4)) == 0.0
    assert average_precision(ranked([False], 4)) == 0.0
    assert RankedBoxes.join([]).truths == 0


def test_images_are_ranked_together():
    first, second = RankedBoxes(np.array([0.9]), np.array([False]), 0), RankedBoxes([0.5], [True], 1)
    assert average_precision(RankedBoxes.join([second, first])) == pytest.approx(0.5)


def test_the_best_scored_box_chooses_first_and_takes_the_closest():
    truth = np.array([[0.0, 0, 10, 10], [4, 0, 14, 10]])
    predicted = np.array([[1.0, 0, 11, 10], [0, 0, 10, 10], [90, 0, 99, 9]])
    found = match_by_score(truth, predicted, np.array([0.9, 0.5, 0.7]), ignore=NONE, min_iou=0.5)
    assert found.tolist() == [0, FALSE, FALSE]
    loose = match_by_score(truth, predicted, np.array([0.9, 0.5, 0.7]), ignore=NONE, min_iou=0.3)
    assert loose.tolist() == [0, 1, FALSE]


def test_a_box_in_a_region_that_is_not_scored_is_left_out_unless_it_finds_a_head():
    truth, region = np.array([[0.0, 0, 10, 10]]), np.array([[0.0, 0, 50, 50]])
    predicted = np.array([[0.0, 0, 10, 10], [30, 30, 40, 40], [80, 80, 90, 90]])
    found = match_by_score(truth, predicted, np.array([0.5, 0.6, 0.7]), ignore=region, min_iou=0.5)
    assert found.tolist() == [0, IGNORED, FALSE]


def test_no_boxes_on_either_side_are_normal():
    one = np.array([[0.0, 0, 1, 1]])
    assert match_by_score(NONE, NONE, np.zeros(0), ignore=NONE, min_iou=0.5).shape == (0,)
    assert match_by_score(NONE, one, np.ones(1), ignore=NONE, min_iou=0.5).tolist() == [FALSE]
    assert match_by_score(one, NONE, np.zeros(0), ignore=NONE, min_iou=0.5).shape == (0,)


def random_scene(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give true boxes, boxes near them and elsewhere, and their scores."""
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 200, (rng.integers(0, 12), 2))
    truth = np.concatenate([corner, corner + rng.uniform(10, 60, corner.shape)], axis=1)
    near = truth + rng.uniform(-4, 4, truth.shape)
    elsewhere = rng.uniform(0, 200, (rng.integers(0, 6), 2))
    stray = np.concatenate([elsewhere, elsewhere + rng.uniform(10, 60, elsewhere.shape)], axis=1)
    predicted = np.concatenate([near[rng.random(len(near)) < 0.8], stray])
    return truth, predicted, rng.permutation(len(predicted)) / 100 + 0.1


@given(st.integers(0, 10_000), st.sampled_from(COCO_IOUS))
def test_each_head_is_found_once_and_lower_scores_change_nothing(seed, min_iou):
    truth, predicted, score = random_scene(seed)
    found = match_by_score(truth, predicted, score, ignore=NONE, min_iou=min_iou)
    hits = found[found >= 0]
    assert len(set(hits.tolist())) == len(hits)
    assert (iou_matrix(predicted, truth)[found >= 0, hits] >= min_iou).all()
    best = score >= 0.13
    alone = match_by_score(truth, predicted[best], score[best], ignore=NONE, min_iou=min_iou)
    assert alone.tolist() == found[best].tolist()


def test_it_agrees_with_supervision_over_images_and_limits():
    sv = pytest.importorskip("supervision")
    from supervision.metrics import MeanAveragePrecision

    scenes = [random_scene(seed) for seed in range(30)]
    theirs = MeanAveragePrecision()
    ours: dict[float, list[RankedBoxes]] = {iou: [] for iou in COCO_IOUS}
    for truth, predicted, score in scenes:
        theirs.update(
            sv.Detections(predicted, confidence=score, class_id=np.zeros(len(score), int)),
            sv.Detections(truth, class_id=np.zeros(len(truth), int)),
        )
        for iou in COCO_IOUS:
            found = match_by_score(truth, predicted, score, ignore=NONE, min_iou=iou)
            ours[iou].append(RankedBoxes(score, found >= 0, len(truth)))
    expected = theirs.compute()
    ap = [average_precision(RankedBoxes.join(ours[iou])) for iou in COCO_IOUS]
    assert ap[0] == pytest.approx(expected.map50, abs=1e-6)
    assert np.mean(ap) == pytest.approx(expected.map50_95, abs=1e-6)
