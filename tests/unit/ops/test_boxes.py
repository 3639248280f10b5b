from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from headtrack.ops.boxes import areas, centres, clip_boxes, intersections, ioa_matrix, iou_matrix, nms

corner = st.integers(-50, 50).map(float)
boxes = hnp.arrays(np.float64, st.tuples(st.integers(0, 8), st.just(4)), elements=corner)


def naive_area(box) -> float:
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def naive_shared(a, b) -> float:
    return naive_area([max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])])


def naive_iou(a, b) -> float:
    union = naive_area(a) + naive_area(b) - naive_shared(a, b)
    return naive_shared(a, b) / union if union > 0 else 0.0


def naive_nms(xyxy, score, max_iou: float, max_ioa: float) -> list[int]:
    kept: list[int] = []
    for i in sorted(range(len(score)), key=lambda i: -score[i]):
        for j in kept:
            shared, smaller = naive_shared(xyxy[i], xyxy[j]), min(naive_area(xyxy[i]), naive_area(xyxy[j]))
            union = naive_area(xyxy[i]) + naive_area(xyxy[j]) - shared
            if shared > max_iou * union or shared > max_ioa * smaller:
                break
        else:
            kept.append(i)
    return kept


@given(boxes, boxes)
def test_overlaps_equal_a_naive_loop(a, b):
    assert areas(a).tolist() == [naive_area(box) for box in a]
    shared = np.array([[naive_shared(x, y) for y in b] for x in a]).reshape(len(a), len(b))
    iou = np.array([[naive_iou(x, y) for y in b] for x in a]).reshape(len(a), len(b))
    np.testing.assert_allclose(intersections(a, b), shared)
    np.testing.assert_allclose(iou_matrix(a, b), iou)


@given(boxes, boxes)
def test_iou_is_symmetric_and_between_0_and_1(a, b):
    iou = iou_matrix(a, b)
    np.testing.assert_allclose(iou, iou_matrix(b, a).T)
    assert np.all((iou >= 0) & (iou <= 1))


@given(boxes)
def test_a_box_with_area_overlaps_itself_wholly(a):
    solid = a[areas(a) > 0]
    assert np.all(np.diag(iou_matrix(solid, solid)) == 1)
    assert np.all(np.diag(ioa_matrix(solid, solid)) == 1)


@given(boxes, boxes)
def test_a_share_of_a_box_is_never_less_than_its_iou(a, b):
    assert np.all(ioa_matrix(a, b) >= iou_matrix(a, b) - 1e-12)


@given(
    boxes.flatmap(
        lambda b: st.tuples(st.just(b), st.lists(st.integers(0, 5), min_size=len(b), max_size=len(b)))
    ),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.sampled_from([0.5, 0.8, 1.0]),
)
def test_suppression_equals_a_naive_loop(case, max_iou, max_ioa):
    xyxy, score = case[0], np.array(case[1], float)
    kept = nms(xyxy, score, max_iou=max_iou, max_ioa=max_ioa)
    assert kept.tolist() == naive_nms(xyxy, score, max_iou, max_ioa)


@given(boxes)
def test_suppressing_twice_changes_nothing(a):
    score = np.arange(len(a), dtype=float)
    kept = nms(a, score, max_iou=0.4, max_ioa=0.7)
    assert nms(a[kept], score[kept], max_iou=0.4, max_ioa=0.7).tolist() == list(range(len(kept)))


def test_a_small_box_inside_a_better_one_falls_by_containment_only():
    xyxy, score = np.array([[0.0, 0, 10, 10], [2, 2, 5, 5]]), np.array([0.9, 0.8])
    assert nms(xyxy, score, max_iou=0.5).tolist() == [0, 1]
    assert nms(xyxy, score, max_iou=0.5, max_ioa=0.8).tolist() == [0]


@given(boxes)
def test_clipped_boxes_lie_within_the_image(a):
    clipped = clip_boxes(a, width=40, height=30)
    assert np.all((clipped >= 0) & (clipped <= [40, 30, 40, 30]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_overlaps_keep_the_dtype_of_the_boxes(dtype):
    a = np.array([[0, 0, 2, 2]], dtype)
    assert iou_matrix(a, a).dtype == dtype
    assert clip_boxes(a, width=1, height=1).dtype == dtype
    assert centres(a).tolist() == [[1, 1]]
