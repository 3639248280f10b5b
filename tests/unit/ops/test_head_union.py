from __future__ import annotations

import numpy as np
import pytest

from headtrack.ops.boxes import iou_matrix
from headtrack.ops.head_fits import HEAD_FITS
from headtrack.ops.head_union import NONE, unite_heads
from tests.unit.ops.head_cases import HEIGHT, WIDTH, body, evidence, face, person


def drawn(x: float, y: float, **kwargs) -> tuple[np.ndarray, np.ndarray]:
    return person(x, y, **kwargs), body(x, y, scale=kwargs.get("scale", 1.0))


def test_nothing_found_gives_no_heads():
    union = unite_heads(evidence(), HEAD_FITS)
    assert len(union.score) == 0
    assert union.xyxy.shape == (0, 4)


def test_a_person_and_their_face_are_one_head():
    union = unite_heads(evidence([drawn(300, 200)], [face(300, 200)]), HEAD_FITS)
    assert (union.person.tolist(), union.face.tolist()) == ([0], [0])
    assert union.score[0] > 0.9


def test_a_face_raises_the_score_of_a_persons_head():
    alone = unite_heads(evidence([drawn(300, 200)], body_score=0.4), HEAD_FITS)
    faced = unite_heads(evidence([drawn(300, 200)], [face(300, 200)], body_score=0.4), HEAD_FITS)
    assert faced.score[0] > alone.score[0]


def test_a_lone_face_is_a_head_and_its_box_holds_the_face():
    union = unite_heads(evidence(faces=[face(300, 200)]), HEAD_FITS)
    assert (union.person.tolist(), union.face.tolist()) == ([NONE], [0])
    box = face(300, 200)[0]
    assert union.xyxy[0, 1] < box[1]
    assert union.xyxy[0, 0] < box[0]
    assert union.xyxy[0, 2] > box[2]


def test_each_of_two_people_gets_their_own_face():
    found = evidence([drawn(200, 200), drawn(300, 200)], [face(300, 200), face(200, 200)])
    union = unite_heads(found, HEAD_FITS)
    assert {(int(p), int(f)) for p, f in zip(union.person, union.face, strict=True)} == {(0, 1), (1, 0)}


def test_two_detections_of_one_person_are_one_head():
    union = unite_heads(evidence([drawn(300, 200), drawn(302, 201)]), HEAD_FITS)
    assert len(union.score) == 1


def test_a_head_from_behind_is_rear_and_takes_no_face():
    union = unite_heads(evidence([drawn(300, 200, yaw_deg=180)], [face(300, 200)], face_score=0.3), HEAD_FITS)
    assert union.rearness[0] > 0.9
    assert union.face.tolist() == [NONE]


def test_a_person_whose_head_the_frame_cuts_off_scores_low():
    cut = drawn(300, -15)
    cut[1][1] = 0
    cut[0][:5, 2] = 0.02
    whole = unite_heads(evidence([drawn(300, 200)]), HEAD_FITS)
    assert unite_heads(evidence([cut]), HEAD_FITS).score.max(initial=0) < 0.3 < whole.score[0]


def test_boxes_stay_within_the_frame_and_come_best_first():
    found = evidence([drawn(5, 10), drawn(WIDTH - 5, HEIGHT - 5), drawn(300, 200)], [face(300, 200)])
    union = unite_heads(found, HEAD_FITS)
    assert np.all((union.xyxy >= 0) & (union.xyxy <= [WIDTH, HEIGHT, WIDTH, HEIGHT]))
    assert np.all(np.diff(union.score) <= 0)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_the_order_of_people_and_faces_does_not_matter(order):
    people = [drawn(100, 200), drawn(300, 200), drawn(500, 100, yaw_deg=180)]
    faces = [face(100, 200), face(300, 200), face(500, 300)]
    plain = unite_heads(evidence(people, faces), HEAD_FITS)
    mixed = unite_heads(evidence([people[i] for i in order], [faces[i] for i in order]), HEAD_FITS)
    iou = iou_matrix(plain.xyxy, mixed.xyxy)
    np.testing.assert_allclose(np.sort(iou.max(axis=1)), 1)
    np.testing.assert_allclose(np.sort(plain.score), np.sort(mixed.score))


def test_no_two_kept_heads_cover_each_other():
    rng = np.random.default_rng(0)
    people = [drawn(*rng.uniform(100, 400, 2)) for _ in range(12)]
    union = unite_heads(evidence(people), HEAD_FITS)
    iou = iou_matrix(union.xyxy, union.xyxy) - np.eye(len(union.score))
    assert iou.max() <= 0.5
