from __future__ import annotations

import numpy as np
import pytest

from headtrack.ops.boxes import iou_matrix
from headtrack.ops.head_boxes import blend, face_heads, pose_heads, share_inside
from headtrack.ops.head_fits import HEAD_FITS
from headtrack.ops.head_geometry import pose_geometry
from tests.unit.ops.head_cases import HEIGHT, WIDTH, body, face, person

TRUE_HEAD = np.array([[300 - 15, 200 - 22, 300 + 15, 200 + 18]])  # 40 px high, as drawn


def box_of(points: np.ndarray, box: np.ndarray, fit=HEAD_FITS.facing) -> np.ndarray:
    return pose_heads(pose_geometry(points[None], box[None], frame_height=HEIGHT), fit)


def test_the_head_of_a_drawn_person_is_boxed():
    boxes = box_of(person(300, 200), body(300, 200))
    assert iou_matrix(boxes, TRUE_HEAD)[0, 0] > 0.6


def test_the_head_of_a_person_seen_from_behind_is_boxed():
    boxes = box_of(person(300, 200, yaw_deg=180), body(300, 200), HEAD_FITS.rear)
    assert iou_matrix(boxes, TRUE_HEAD)[0, 0] > 0.6


def test_the_head_around_a_drawn_face_is_boxed():
    xyxy, marks = face(300, 200)
    assert iou_matrix(face_heads(xyxy[None], marks[None], HEAD_FITS.face), TRUE_HEAD)[0, 0] > 0.5


@pytest.mark.parametrize("fit", [HEAD_FITS.facing, HEAD_FITS.rear])
@pytest.mark.parametrize("yaw_deg", [0, 40, 180])
def test_a_mirrored_person_has_the_mirrored_head(fit, yaw_deg):
    points, box = person(300, 200, yaw_deg=yaw_deg), body(300, 200)
    swapped = points[[0, 2, 1, 4, 3, 6, 5, *range(7, 17)]]
    swapped[:, 0] = WIDTH - swapped[:, 0]
    mirrored_box = np.array([WIDTH - box[2], box[1], WIDTH - box[0], box[3]])
    head, mirrored = box_of(points, box, fit), box_of(swapped, mirrored_box, fit)
    np.testing.assert_allclose(mirrored[:, [0, 2]], WIDTH - head[:, [2, 0]], atol=1e-9)
    np.testing.assert_allclose(mirrored[:, [1, 3]], head[:, [1, 3]], atol=1e-9)


def test_a_mirrored_face_has_the_mirrored_head():
    xyxy, marks = face(300, 200)
    marks[2, 0] += 4
    mirrored = marks[[1, 0, 2, 4, 3]] * [-1, 1] + [WIDTH, 0]
    box = face_heads(xyxy[None], marks[None], HEAD_FITS.face)
    other = face_heads(
        np.array([[WIDTH - xyxy[2], xyxy[1], WIDTH - xyxy[0], xyxy[3]]]), mirrored[None], HEAD_FITS.face
    )
    np.testing.assert_allclose(other[:, [0, 2]], WIDTH - box[:, [2, 0]], atol=1e-9)


def test_a_person_twice_as_large_has_a_head_about_twice_as_large():
    small = box_of(person(300, 200), body(300, 200))[0]
    large = box_of(person(300, 200, scale=2), body(300, 200, scale=2))[0]
    assert (large[3] - large[1]) / (small[3] - small[1]) == pytest.approx(2, rel=0.1)


def test_a_raised_hand_hardly_lifts_the_head():
    box = body(300, 200)
    plain = box_of(person(300, 200), box)[0]
    box[1] -= 150
    raised = box_of(person(300, 200), box)[0]
    assert plain[1] - raised[1] < 0.4 * (plain[3] - plain[1])


def test_no_people_and_no_faces_give_no_boxes():
    none = pose_geometry(np.zeros((0, 17, 3)), np.zeros((0, 4)), frame_height=HEIGHT)
    assert pose_heads(none, HEAD_FITS.rear).shape == (0, 4)
    assert face_heads(np.zeros((0, 4)), np.zeros((0, 5, 2)), HEAD_FITS.face).shape == (0, 4)


def test_a_blend_goes_from_the_first_boxes_to_the_second():
    a, b = np.zeros((2, 4)), np.full((2, 4), 10.0)
    assert blend(a, b, np.array([[0.0], [1.0]])).tolist() == [[0] * 4, [10] * 4]
    assert blend(a, b, np.array([[0.5, 0, 0.5, 1]]))[1].tolist() == [5, 0, 5, 10]


def test_the_share_inside_the_frame_is_that_of_the_area():
    boxes = np.array([[-10.0, 0, 10, 10], [0, 0, 10, 10], [-20, -20, -10, -10], [5, 5, 5, 5]])
    assert share_inside(boxes, width=100, height=100).tolist() == [0.5, 1, 0, 0]
