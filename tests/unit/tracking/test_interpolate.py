import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.tracking.interpolate import interpolate_boxes
from headtrack.types import Heads, Shots, Tracklets


def heads(frames: list[int], x: list[float], score: float = 0.9) -> Heads:
    n = len(frames)
    xyxy = np.array([(v, 0, v + 10, 10) for v in x], np.float32).reshape(n, 4)
    nan = np.full
    return Heads(
        frames, xyxy, nan(n, score), np.arange(n) % 4, nan(n, np.nan), nan(n, np.nan), nan((n, 4), np.nan),
        nan((n, 5, 2), np.nan), nan((n, 4), np.nan),
    )  # fmt: skip


ONE_SHOT = Shots([0], [20], [1.0])


def test_boxes_move_linearly_in_time_not_in_frames():
    # Frame 2 comes late: with a time step twice as long the box has moved twice as far.
    time_s = np.array([0.0, 0.1, 0.3, 0.4])
    boxes = interpolate_boxes(
        heads([0, 3], [0, 40]), Tracklets([0, 0], [0]), shots=Shots([0], [4], [1.0]),
        looked_at=np.array([0, 3], np.int32), frame_time_s=time_s,
    )  # fmt: skip
    np.testing.assert_allclose(boxes.xyxy[:, 0], [0, 10, 30, 40])
    assert boxes.interpolated.tolist() == [False, True, True, False]


def test_an_end_reaches_to_the_next_look_or_the_cut_and_no_further():
    shots = Shots([0, 12], [12, 20], [1.0, 0.9])
    boxes = interpolate_boxes(
        heads([5, 10], [0, 5]), Tracklets([0, 0], [0]), shots=shots,
        looked_at=np.array([0, 5, 10, 15], np.int32), frame_time_s=np.arange(20) / 10,
    )  # fmt: skip
    assert boxes.frame.tolist() == list(range(1, 12))


def test_heads_without_a_tracklet_and_no_heads_give_no_boxes():
    args = {"shots": ONE_SHOT, "looked_at": np.array([0], np.int32), "frame_time_s": np.arange(20) / 10}
    assert len(interpolate_boxes(Heads.empty(), Tracklets([], []), **args)) == 0
    assert len(interpolate_boxes(heads([3], [1]), Tracklets([-1], []), **args)) == 0


@given(st.lists(st.integers(0, 2), min_size=1, max_size=20))
def test_each_frame_has_at_most_one_box_of_a_tracklet_and_every_detection_one(labels):
    frames = list(range(len(labels)))
    tracklets = Tracklets(np.unique(labels, return_inverse=True)[1], np.zeros(len(set(labels))))
    boxes = interpolate_boxes(
        heads(frames, frames), tracklets, shots=ONE_SHOT, looked_at=np.array(frames, np.int32),
        frame_time_s=np.arange(20) / 10,
    )  # fmt: skip
    keys = list(zip(boxes.frame.tolist(), boxes.tracklet.tolist(), strict=True))
    assert len(keys) == len(set(keys))
    for frame, label in zip(frames, tracklets.tracklet_of_head.tolist(), strict=True):
        row = keys.index((frame, label))
        assert not boxes.interpolated[row]
        assert boxes.xyxy[row, 0] == pytest.approx(frame)
