from __future__ import annotations

from dataclasses import replace

import numpy as np

from headtrack.ops.near_heads import join_near_heads
from headtrack.types import Heads

LONGEST_PX = 640


def heads(*rows: tuple[float, float, float, float, float], face: float | None = None) -> Heads:
    """Heads of (x1, y1, x2, y2, score); `face` moves each head's landmarks to that number."""
    n = len(rows)
    xyxy = np.array([row[:4] for row in rows], np.float32).reshape(n, 4)
    none = np.full(n, np.nan, np.float32)
    found = Heads(
        frame=np.zeros(n, np.int32),
        xyxy=xyxy,
        score=np.array([row[4] for row in rows], np.float32),
        view=np.zeros(n, np.int8),
        yaw_deg=none,
        face_score=none,
        face_xyxy=np.full((n, 4), np.nan, np.float32),
        landmarks=np.full((n, 5, 2), np.nan, np.float32),
        body_xyxy=np.full((n, 4), np.nan, np.float32),
    )
    if face is None:
        return found
    marks = np.full((n, 5, 2), face, np.float32)
    return replace(found, face_score=np.ones(n, np.float32), face_xyxy=xyxy, landmarks=marks)


def test_a_close_up_that_the_large_copy_lacks_is_added_and_a_smaller_head_is_not():
    near = heads((0, 0, 200, 300, 0.9), (400, 0, 450, 60, 0.9))
    joined = join_near_heads(heads((500, 0, 540, 50, 0.8)), near, longest_px=LONGEST_PX)
    assert joined.xyxy[:, 0].tolist() == [0, 500]


def test_of_two_boxes_on_one_head_the_likelier_stays():
    part = heads((20, 150, 180, 300, 0.6))
    joined = join_near_heads(part, heads((0, 0, 200, 300, 0.9)), longest_px=LONGEST_PX)
    assert joined.xyxy.tolist() == [[0, 0, 200, 300]]
    sure = heads((0, 10, 200, 310, 0.95))
    joined = join_near_heads(sure, heads((0, 0, 200, 300, 0.9)), longest_px=LONGEST_PX)
    assert joined.xyxy.tolist() == [[0, 10, 200, 310]]


def test_landmarks_of_the_large_copy_are_kept_with_the_box_of_the_small_one():
    fine = heads((0, 10, 200, 310, 0.5), face=7.0)
    joined = join_near_heads(fine, heads((0, 0, 200, 300, 0.9), face=3.0), longest_px=LONGEST_PX)
    assert joined.xyxy.tolist() == [[0, 0, 200, 300]]
    assert np.all(joined.landmarks == 7.0)


def test_a_close_up_without_a_face_stays_without_one():
    fine = heads((300, 10, 500, 310, 0.5), face=7.0)
    joined = join_near_heads(fine, heads((0, 0, 200, 300, 0.9)), longest_px=LONGEST_PX)
    assert joined.has_face.tolist() == [False, True]


def test_nothing_and_nothing_are_nothing():
    assert len(join_near_heads(Heads.empty(), Heads.empty(), longest_px=LONGEST_PX)) == 0
    some = heads((0, 0, 200, 300, 0.9))
    assert len(join_near_heads(some, Heads.empty(), longest_px=LONGEST_PX)) == 1
    assert len(join_near_heads(Heads.empty(), some, longest_px=LONGEST_PX)) == 1


def test_one_box_on_two_likelier_heads_side_by_side_is_none_of_its_own():
    pair = heads((100, 50, 200, 150, 0.98), (205, 50, 300, 150, 0.97))
    between = heads((150, 48, 250, 158, 0.75))
    assert len(join_near_heads(pair, between, longest_px=LONGEST_PX)) == 2
    on_one = heads((150, 100, 250, 250, 0.75))
    assert len(join_near_heads(pair[:1], on_one, longest_px=LONGEST_PX)) == 2


def test_a_close_up_likelier_than_two_parts_of_it_stays():
    parts = heads((20, 20, 90, 120, 0.4), (110, 150, 190, 290, 0.5))
    joined = join_near_heads(parts, heads((0, 0, 200, 300, 0.9)), longest_px=LONGEST_PX)
    assert joined.xyxy.tolist() == [[0, 0, 200, 300]]
