from __future__ import annotations

import numpy as np
import pytest

from headtrack.ops.head_geometry import PoseGeometry, pose_geometry
from headtrack.ops.head_view import MEAN_FACE_MM, face_yaw_deg, pose_yaw_deg, rearness
from tests.unit.ops.head_cases import HEIGHT, body, person


def geometry_at(yaw_deg: float) -> PoseGeometry:
    points = person(300, 200, yaw_deg=yaw_deg)[None]
    return pose_geometry(points, body(300, 200)[None], frame_height=HEIGHT)


def turned_face(yaw_deg: float, pitch_deg: float = 0.0) -> np.ndarray:
    """Look at the mean face from afar, as (1, 5, 2) px; positive yaw turns it to the image's right."""
    yaw, pitch = np.radians([-yaw_deg, pitch_deg])
    about_y = np.array(
        [[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]],
    )
    about_x = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    return (MEAN_FACE_MM @ (about_x @ about_y).T)[None, :, :2] * 1.7 + 200


@pytest.mark.parametrize("yaw_deg", [-150, -90, -45, -10, 0, 10, 45, 90, 150])
def test_yaw_comes_back_from_the_keypoints_of_a_turned_head(yaw_deg):
    assert pose_yaw_deg(geometry_at(yaw_deg)) == pytest.approx([yaw_deg], abs=1)


@pytest.mark.parametrize("yaw_deg", [-80, -45, -10, 0, 10, 45, 80])
@pytest.mark.parametrize("pitch_deg", [-20, 0, 20])
def test_yaw_comes_back_from_the_landmarks_of_a_turned_face(yaw_deg, pitch_deg):
    assert face_yaw_deg(turned_face(yaw_deg, pitch_deg)) == pytest.approx([yaw_deg], abs=6)


def test_yaw_is_positive_where_the_nose_points_to_the_images_right():
    assert turned_face(30)[0, 2, 0] > turned_face(0)[0, 2, 0]
    assert face_yaw_deg(turned_face(30))[0] > 0


def test_a_mirrored_face_has_the_opposite_yaw():
    marks = turned_face(25, 10)
    mirrored = marks[:, [1, 0, 2, 4, 3]] * [-1, 1]
    assert face_yaw_deg(mirrored) == pytest.approx(-face_yaw_deg(marks))


def test_yaw_of_missing_landmarks_is_unknown_and_of_no_faces_is_empty():
    assert np.isnan(face_yaw_deg(np.full((1, 5, 2), np.nan))).all()
    assert len(face_yaw_deg(np.zeros((0, 5, 2)))) == 0


@pytest.mark.parametrize("yaw_deg", [180, 150, -150])
def test_a_head_turned_away_is_rear(yaw_deg):
    assert rearness(geometry_at(yaw_deg))[0] > 0.9


@pytest.mark.parametrize("yaw_deg", [0, 30, -30, 60, -60, 90])
def test_a_head_with_an_eye_in_view_is_not_rear(yaw_deg):
    assert rearness(geometry_at(yaw_deg))[0] < 0.1


def test_a_blurred_head_without_any_seen_point_is_not_rear_while_its_ears_stand_as_in_front():
    points = person(300, 200)
    points[:5, 2] = 0.1
    blurred = pose_geometry(points[None], body(300, 200)[None], frame_height=HEIGHT)
    assert rearness(blurred)[0] < 0.1
