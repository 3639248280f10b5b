from __future__ import annotations

import numpy as np
import pytest

from headtrack.ops.head_geometry import TOP_RANGE, USUAL_TOP, believed_top, pose_geometry
from tests.unit.ops.head_cases import HEIGHT, body, person


def test_lengths_grow_with_the_person():
    small, large = (
        pose_geometry(person(300, 200, scale=s)[None], body(300, 200, scale=s)[None], frame_height=HEIGHT)
        for s in (1.0, 2.0)
    )
    for name in ("spread", "neck", "top", "nod_px", "ear_span_px"):
        assert getattr(large, name) == pytest.approx(2 * getattr(small, name)), name


def test_no_people_give_no_lengths():
    geometry = pose_geometry(np.zeros((0, 17, 3)), np.zeros((0, 4)), frame_height=HEIGHT)
    assert geometry.anchor.shape == (0, 2)
    assert len(geometry.eye) == len(geometry.top) == 0


def test_all_points_in_one_place_give_finite_lengths():
    geometry = pose_geometry(np.ones((1, 17, 3)), np.ones((1, 4)), frame_height=1)
    assert np.isfinite(np.log([geometry.spread, geometry.neck])).all()


def test_a_person_cut_by_the_frame_has_no_known_top():
    box = body(300, 10)
    box[1] = 0
    geometry = pose_geometry(person(300, 10)[None], box[None], frame_height=HEIGHT)
    assert np.isnan(geometry.top[0])
    assert believed_top(geometry, np.array([40.0])) == pytest.approx([USUAL_TOP * 40])


def test_a_raised_hand_is_believed_only_within_the_usual_range():
    box = body(300, 200)
    box[1] -= 100
    geometry = pose_geometry(person(300, 200)[None], box[None], frame_height=HEIGHT)
    assert believed_top(geometry, np.array([40.0])) == pytest.approx([TOP_RANGE[1] * 40])


def test_an_unseen_point_counts_less_in_the_anchor():
    points = person(300, 200)
    points[0, :2] += 50
    seen = pose_geometry(points[None], body(300, 200)[None], frame_height=HEIGHT).anchor[0]
    points[0, 2] = 0.0
    unseen = pose_geometry(points[None], body(300, 200)[None], frame_height=HEIGHT).anchor[0]
    assert abs(unseen[0] - 300) < abs(seen[0] - 300)
