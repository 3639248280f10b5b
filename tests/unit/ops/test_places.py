from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headtrack.ops import places
from headtrack.ops.places import lie_at, salted_places

SALT = b"salt"
NOBODY = np.zeros((0, 4))


def box(x: float, y: float, side: float) -> np.ndarray:
    return np.array([[x - side / 2, y - side / 2, x + side / 2, y + side / 2]])


def lies(
    kept: np.ndarray, now: np.ndarray, *, at_s: float = 1.0, video: str = "v", salt: bytes = SALT
) -> bool:
    known = salted_places("v", np.array([1.0]), kept, salt=SALT)
    return bool(lie_at(known, video, np.array([at_s]), now, salt=salt)[0])


@given(
    st.floats(0, 4000), st.floats(0, 4000), st.floats(8, 900),
    st.floats(-0.15, 0.15), st.floats(-0.15, 0.15), st.floats(0.8, 1.25),
)  # fmt: skip
def test_a_box_moved_and_scaled_a_little_lies_at_the_place(x, y, side, dx, dy, scale):
    assert lies(box(x, y, side), box(x + dx * side, y + dy * side, side * scale))


@given(st.floats(0, 4000), st.floats(8, 900), st.floats(1.05, 30), st.floats(0.8, 1.25))
def test_a_head_beside_does_not(x, side, away, scale):
    assert not lies(box(x, 50, side), box(x + away * side * max(scale, 1), 50, side * scale))


def test_another_time_size_content_or_salt_is_another_place():
    here = box(100, 100, 40)
    assert lies(here, here, at_s=1.15)  # the same fifth of a second
    assert not lies(here, here, at_s=1.25)
    assert not lies(here, box(100, 100, 170))
    assert not lies(here, here, video="w")
    assert not lies(here, here, salt=b"other")


def test_boxes_are_looked_up_alike_in_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 300, (50, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(10, 60, (50, 1))], axis=1)
    time_s = rng.uniform(0, 1, 50)
    known = salted_places("v", time_s[:25], boxes[:25], salt=SALT)
    whole = lie_at(known, "v", time_s, boxes, salt=SALT)
    assert whole[:25].all()
    monkeypatch.setattr(places, "CHUNK_BOXES", 7)
    assert (lie_at(known, "v", time_s, boxes, salt=SALT) == whole).all()


def test_no_boxes_have_no_places_and_lie_nowhere():
    none = salted_places("v", np.zeros(0), NOBODY, salt=SALT)
    assert len(none) == 0
    assert len(lie_at(none, "v", np.zeros(0), NOBODY, salt=SALT)) == 0
    assert not lie_at(none, "v", np.zeros(1), box(1, 1, 9), salt=SALT).any()
