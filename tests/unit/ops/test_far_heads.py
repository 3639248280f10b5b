from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.ops.far_heads import has_small_people, join_far_heads, tiles
from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_union import NONE, HeadUnion
from headtrack.types import Heads

SIZES = {"longest_px": 640, "image_px": 640}


def heads(*rows: tuple[float, float, float, float, float]) -> Heads:
    """Heads of (x1, y1, x2, y2, score) with a face and a body as large as they are."""
    n = len(rows)
    xyxy = np.array([row[:4] for row in rows], np.float32).reshape(n, 4)
    return Heads(
        frame=np.zeros(n, np.int32),
        xyxy=xyxy,
        score=np.array([row[4] for row in rows], np.float32),
        view=np.zeros(n, np.int8),
        yaw_deg=np.full(n, np.nan, np.float32),
        face_score=np.ones(n, np.float32),
        face_xyxy=xyxy,
        landmarks=np.repeat(xyxy[:, None, :2], 5, axis=1),
        body_xyxy=xyxy,
    )


@given(st.integers(1, 4000), st.integers(1, 4000))
def test_tiles_are_alike_and_cover_the_frame(width, height):
    parts = tiles(width, height)
    assert len({(x2 - x1, y2 - y1) for x1, y1, x2, y2 in parts}) == 1
    assert all(0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height for x1, y1, x2, y2 in parts)
    columns = np.zeros(width, bool)
    for x1, _, x2, _ in parts:
        columns[x1:x2] = True
    assert columns.all()


def seen(*people: tuple[float, float, float]) -> tuple[HeadUnion, HeadEvidence]:
    """People of (height of the head, its score, score of the person), side by side."""
    n = len(people)
    xyxy = np.array([(100 * k, 0, 100 * k + 20, tall) for k, (tall, _, _) in enumerate(people)], float)
    xyxy = xyxy.reshape(n, 4)
    evidence = HeadEvidence(
        640, 360, xyxy, np.array([p[2] for p in people]), np.zeros((n, 17, 3)),
        np.zeros((0, 4)), np.zeros(0), np.zeros((0, 5, 2)),
    )  # fmt: skip
    score = np.array([p[1] for p in people], float)
    union = HeadUnion(xyxy, score, np.zeros(n), np.zeros(n), np.arange(n), np.full(n, NONE))
    return union, evidence


def test_small_people_are_where_a_third_of_the_heads_are_small():
    small, large = (20, 0.9, 0.9), (100, 0.9, 0.9)
    assert has_small_people(*seen(small, small, large), image_px=640)
    assert not has_small_people(*seen(small), image_px=640)
    assert has_small_people(*seen(small, small, *[large] * 4), image_px=640)
    assert not has_small_people(*seen(small, small, *[large] * 5), image_px=640)
    assert not has_small_people(*seen(), image_px=640)
    assert not has_small_people(*seen(small, small), image_px=1280)


def test_a_likely_person_counts_whose_head_is_not():
    assert has_small_people(*seen((20, 0.1, 0.5), (20, 0.1, 0.5)), image_px=640)
    assert not has_small_people(*seen((20, 0.1, 0.1), (20, 0.1, 0.1)), image_px=640)


def test_a_head_of_a_tile_is_put_where_it_lies_in_the_frame():
    tile = (280, 160, 640, 360)
    joined = join_far_heads(heads(), [(tile, heads((100, 50, 118, 70, 0.8)))], **SIZES)
    for box in (joined.xyxy, joined.face_xyxy, joined.body_xyxy):
        assert box.tolist() == [[380, 210, 398, 230]]
    assert joined.landmarks[0, 0].tolist() == [380, 210]


def test_a_box_cut_by_the_tile_and_a_large_one_are_left_out():
    tile = (280, 0, 640, 200)
    found = heads((0, 50, 18, 70, 0.9), (100, 180, 118, 200, 0.9), (100, 50, 200, 150, 0.9))
    in_tiles = [(tile, found), ((0, 160, 360, 360), heads())]
    assert len(join_far_heads(heads(), in_tiles, **SIZES)) == 0


def test_a_box_at_the_frames_own_edge_stays():
    joined = join_far_heads(heads(), [((280, 160, 640, 360), heads((342, 180, 360, 200, 0.9)))], **SIZES)
    assert joined.xyxy.tolist() == [[622, 340, 640, 360]]


@pytest.mark.parametrize(("score", "left"), [(0.9, 101), (0.5, 100)])
def test_of_two_boxes_on_one_head_the_likelier_stays(score, left):
    whole = heads((100, 100, 118, 120, 0.7))
    joined = join_far_heads(whole, [((0, 0, 640, 360), heads((101, 100, 119, 120, score)))], **SIZES)
    assert joined.xyxy[:, 0].tolist() == [left]


def test_heads_come_from_left_to_right():
    in_tiles = [((0, 0, 360, 200), heads((200, 0, 210, 12, 0.8))), ((280, 0, 640, 200), heads())]
    joined = join_far_heads(heads((300, 50, 320, 70, 0.5), (20, 0, 35, 16, 0.9)), in_tiles, **SIZES)
    assert joined.xyxy[:, 0].tolist() == [20, 200, 300]


def test_a_tiny_head_that_the_whole_frame_puts_half_a_head_lower_is_one():
    tile = ((280, 160, 640, 360), heads((100, 50, 118, 70, 0.9)))
    lower = heads((380, 218, 398, 238, 0.6))  # IoU 0.43
    assert join_far_heads(lower, [tile], **SIZES).xyxy.tolist() == [[380, 210, 398, 230]]
    likelier = heads((380, 218, 398, 238, 0.95))
    assert join_far_heads(likelier, [tile], **SIZES).xyxy.tolist() == [[380, 218, 398, 238]]


def test_two_heads_of_one_look_may_lie_closer_than_that():
    tile = ((280, 160, 640, 360), heads((100, 50, 118, 70, 0.9), (108, 52, 126, 72, 0.9)))
    assert len(join_far_heads(heads(), [tile], **SIZES)) == 2
