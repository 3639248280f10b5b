from __future__ import annotations

import numpy as np
import pytest

from headtrack.ops.head_attach import attach_evidence, people_of_heads
from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_fits import HEAD_FITS
from headtrack.ops.head_rows import heads_of_union
from headtrack.ops.head_union import NONE, HeadUnion, unite_heads
from headtrack.settings import DetectSettings
from headtrack.types.views import FRONT, PROFILE, REAR
from tests.unit.ops.head_cases import body, evidence, face, person


def drawn(x: float, y: float, **kwargs) -> tuple[np.ndarray, np.ndarray]:
    return person(x, y, **kwargs), body(x, y, scale=kwargs.get("scale", 1.0))


def box(x: float, y: float, *, side: float = 44) -> list[float]:
    return [x - side / 2, y - side / 2, x + side / 2, y + side / 2]


def attach(boxes: list[list[float]], found: HeadEvidence) -> HeadUnion:
    xyxy = np.array(boxes, float).reshape(-1, 4)
    return attach_evidence(
        xyxy, np.full(len(xyxy), 0.9), evidence=found, fits=HEAD_FITS, showing_face_px=20.0
    )


def test_no_heads_and_no_evidence_give_nothing():
    union = attach([], evidence())
    assert union.xyxy.shape == (0, 4)
    assert len(heads_of_union(3, union, evidence(), DetectSettings())) == 0


def test_people_without_a_head_of_the_detector_add_none():
    assert len(attach([], evidence([drawn(300, 200)], [face(300, 200)])).score) == 0


def test_the_box_and_the_score_stay_the_detectors():
    union = attach([box(302, 199)], evidence([drawn(300, 200)], [face(300, 200)]))
    assert union.xyxy.tolist() == [box(302, 199)]
    assert union.score.tolist() == [0.9]


def test_each_head_gets_its_own_person_and_face():
    found = evidence([drawn(200, 200), drawn(300, 200)], [face(300, 200), face(200, 200)])
    union = attach([box(300, 200), box(200, 200), box(500, 300)], found)
    assert union.person.tolist() == [1, 0, NONE]
    assert union.face.tolist() == [0, 1, NONE]


def test_two_boxes_on_one_head_do_not_share_its_person():
    union = attach([box(300, 200), box(306, 204)], evidence([drawn(300, 200)]))
    assert sorted(union.person.tolist()) == [NONE, 0]


def test_a_head_of_a_person_who_looks_away_is_rear_and_takes_no_face():
    found = evidence([drawn(300, 200, yaw_deg=180)], [face(300, 200)])
    (head,) = heads_of_union(0, attach([box(300, 200)], found), found, DetectSettings()).view
    assert head == REAR
    assert attach([box(300, 200)], found).face.tolist() == [NONE]


def test_a_face_alone_gives_the_yaw():
    found = evidence(faces=[face(300, 200)])
    heads = heads_of_union(0, attach([box(300, 200)], found), found, DetectSettings())
    assert heads.view.tolist() == [FRONT]
    assert abs(heads.yaw_deg[0]) < 5
    assert heads.has_face.all()
    assert np.isnan(heads.body_xyxy).all()


@pytest.mark.parametrize(("side", "view"), [(44.0, REAR), (12.0, PROFILE)])
def test_a_head_with_neither_is_rear_where_a_face_would_have_been_found(side, view):
    found = evidence()
    heads = heads_of_union(0, attach([box(300, 200, side=side)], found), found, DetectSettings())
    assert heads.view.tolist() == [view]
    assert np.isnan(heads.yaw_deg).all()
    assert np.isnan(heads.body_xyxy).all()
    assert not heads.has_face.any()


def test_the_built_in_heads_given_back_as_boxes_keep_their_people_and_faces():
    found = evidence([drawn(200, 200), drawn(400, 240, yaw_deg=60)], [face(200, 200)])
    own = unite_heads(found, HEAD_FITS)
    union = attach(own.xyxy.tolist(), found)
    assert union.person.tolist() == own.person.tolist()
    assert union.face.tolist() == own.face.tolist()
    np.testing.assert_allclose(union.yaw_deg, own.yaw_deg)


def test_a_person_whose_head_lies_elsewhere_is_not_taken():
    posed = np.array([box(100, 100), box(330, 200)])
    assert people_of_heads(np.array([box(300, 200)]), posed).tolist() == [NONE]


def test_a_box_on_half_a_face_is_not_seen_from_behind():
    shown = evidence(faces=[face(300, 200)])
    left, right, apart = [270, 170, 300, 230], [300, 170, 330, 230], [400, 170, 430, 230]
    union = attach([left, right, apart], shown)
    views = heads_of_union(0, union, shown, DetectSettings()).view
    assert REAR not in views[:2]
    assert views[2] == REAR
