from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headtrack.tracking.cut_heads import whole_boxes

FRAME_PX = (640, 360)


@given(
    x=st.floats(20, 300), y=st.floats(20, 150), w=st.floats(10, 250), h=st.floats(10, 150),
    known_w=st.floats(1, 900), known_h=st.floats(1, 900),
)  # fmt: skip
def test_a_box_inside_the_frame_stays_as_it_is(x, y, w, h, known_w, known_h):
    box = np.array([[x, y, x + w, y + h]])
    whole = whole_boxes(box, np.array([[known_w, known_h]]), frame_px=FRAME_PX)
    np.testing.assert_array_equal(whole, box[None])


@given(known=st.floats(1, 900), seen=st.floats(1, 300), other=st.floats(1, 300))
def test_a_cut_box_grows_beyond_the_edge_that_cuts_it_and_nowhere_else(known, seen, other):
    box = np.array([[0.0, 360 - other, seen, 360.0]])
    ((whole,),) = whole_boxes(box, np.array([[known, known]]), frame_px=FRAME_PX)
    np.testing.assert_allclose(
        whole, [min(0, seen - known), 360 - other, seen, max(360, 360 - other + known)]
    )


def test_a_box_from_edge_to_edge_stays_as_wide_as_it_is():
    box = np.array([[0.0, 100, 640, 360]])
    ((whole,),) = whole_boxes(box, np.array([[900.0, 300.0]]), frame_px=FRAME_PX)
    assert whole.tolist() == [0, 100, 640, 400]


def test_each_known_head_makes_its_own_whole_of_a_box():
    box = np.array([[600.0, 100, 640, 160], [10, 10, 50, 50]])
    whole = whole_boxes(box, np.array([[60.0, 60.0], [100.0, 80.0]]), frame_px=FRAME_PX)
    assert whole[:, 0, 2].tolist() == [660, 700]
    assert whole[:, 1].tolist() == [[10, 10, 50, 50]] * 2
