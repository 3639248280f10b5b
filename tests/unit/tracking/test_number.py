from __future__ import annotations

import numpy as np

from headtrack.settings import TrackSettings
from headtrack.tracking.number import NumberedTracklets, number_tracklets
from headtrack.types import Heads, Shots

ONE_SHOT = Shots([0], [100], [1.0])


def heads(frames: list[int], x: list[float], score: list[float] | float = 0.9) -> Heads:
    n = len(frames)
    xyxy = np.array([(v, 0, v + 10, 10) for v in x], np.float32).reshape(n, 4)
    nan = np.full
    return Heads(
        frames, xyxy, np.broadcast_to(score, n), np.zeros(n), nan(n, np.nan), nan(n, np.nan),
        nan((n, 4), np.nan), nan((n, 5, 2), np.nan), nan((n, 4), np.nan),
    )  # fmt: skip


def numbered(
    found: Heads,
    raw: list[int],
    looked_at: list[int],
    *,
    shots: Shots = ONE_SHOT,
    look_every_s: float = 0.2,
    settings: TrackSettings | None = None,
) -> NumberedTracklets:
    return number_tracklets(
        found,
        np.array(raw, np.int32),
        shots=shots,
        looked_at=np.array(looked_at, np.int32),
        look_time_s=np.arange(len(looked_at)) * look_every_s,
        settings=settings or TrackSettings(),
    )


def test_tracklets_are_numbered_by_frame_then_left_edge_and_doubtful_ones_dropped():
    found = heads([0, 0, 5, 5, 5], [50, 10, 50, 10, 90], 0.6)
    done = numbered(found, [7, 3, 7, 3, 4], [0, 5])
    assert done.tracklets.tracklet_of_head.tolist() == [1, 0, 1, 0, -1]
    assert done.final[[3, 7, 4]].tolist() == [0, 1, -1]


def test_a_tracklet_that_scores_low_in_the_mean_is_dropped():
    done = numbered(heads([0, 5, 0, 5], [10, 10, 50, 50], [0.9, 0.35, 0.5, 0.35]), [0, 0, 1, 1], [0, 5])
    assert done.tracklets.tracklet_of_head.tolist() == [0, 0, -1, -1]


def test_a_single_look_keeps_single_heads():
    done = numbered(heads([0], [5], 0.5), [0], [0], shots=Shots([0], [1], [1.0]))
    assert done.tracklets.tracklet_of_head.tolist() == [0]


def test_a_head_that_both_near_looks_lack_is_dropped_however_sure():
    assert len(numbered(heads([5], [5], 0.99), [0], [0, 5, 10]).tracklets) == 0


def test_at_the_end_of_a_shot_a_sure_head_needs_no_second_look():
    shots = Shots([0, 8], [8, 100], [1.0, 1.0])
    for score, kept in ((0.9, 1), (0.7, 0)):
        assert len(numbered(heads([5], [5], score), [0], [0, 5, 10], shots=shots).tracklets) == kept


def test_looks_far_apart_in_time_say_nothing_about_a_head_between():
    done = numbered(heads([5], [5], 0.5), [0], [0, 5, 10], look_every_s=2.0)
    assert len(done.tracklets) == 1


def test_no_heads_give_no_tracklets():
    assert len(numbered(heads([], []), [], [0, 5]).tracklets) == 0
    assert len(numbered(heads([], []), [], []).tracklets) == 0
