import math
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from headtrack.errors import ModelError, VideoError
from headtrack.pipeline.watch import watch
from headtrack.settings import Settings
from headtrack.types import FrameBatch, Heads

BASE = Settings()


class Detector:
    """Sees no head, and notes when and where it looked."""

    def __init__(self) -> None:
        self.frames: list[int] = []
        self.threads: set[threading.Thread] = set()

    def detect(self, batch: FrameBatch) -> Heads:
        assert (batch.rgb[:, 0, 0, 0] == batch.frame).all()  # the pixels are still those of the frames
        self.frames += batch.frame.tolist()
        self.threads.add(threading.current_thread())
        return Heads.empty()


def batches(count: int, *, break_off: bool = False) -> Iterator[FrameBatch]:
    memory = np.zeros((4, 30, 40, 3), np.uint8)  # of one batch at a time, as in `decode`
    for number in range(count):
        frame = np.arange(4 * number, 4 * number + 4)
        memory[:] = frame[:, None, None, None]
        yield FrameBatch(memory, frame, frame / 10)
    if break_off:
        raise VideoError("it broke off")


def watched(detector: Any, count: int, threads: int, *, break_off: bool = False):
    settings = replace(BASE, run=replace(BASE.run, threads=threads), detect=replace(BASE.detect, fps=5.0))
    models: Any = SimpleNamespace(detector=detector)
    return watch(batches(count, break_off=break_off), -math.inf, models, settings)


@pytest.mark.parametrize("threads", [1, 2])
def test_frames_come_in_order_with_the_looks_at_those_that_are_due(threads):
    seen = list(watched(Detector(), 5, threads))
    assert [round(10 * s.time_s[0]) for s in seen] == [0, 4, 8, 12, 16]
    assert [look.frame for s in seen for look in s.looks] == list(range(0, 20, 2))
    assert [int(s.thumbnails[1, 0, 0, 0]) for s in seen] == [1, 5, 9, 13, 17]


def test_several_threads_look_one_batch_ahead_and_a_single_one_looks_itself():
    single, several = Detector(), Detector()
    list(watched(single, 3, 1))
    list(watched(several, 3, 2))
    assert single.threads == {threading.current_thread()}
    assert threading.current_thread() not in several.threads


@pytest.mark.parametrize("threads", [1, 2])
def test_what_was_seen_before_the_video_broke_off_is_given_first(threads):
    frames = watched(Detector(), 2, threads, break_off=True)
    assert [len(next(frames).time_s), len(next(frames).time_s)] == [4, 4]
    with pytest.raises(VideoError, match="it broke off"):
        next(frames)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_model_that_breaks_ends_the_run(threads):
    class Broken(Detector):
        def detect(self, batch: FrameBatch) -> Heads:
            raise ModelError("no memory")

    with pytest.raises(ModelError, match="no memory"):
        list(watched(Broken(), 3, threads))


def test_leaving_off_leaves_no_thread_behind():
    before = threading.active_count()
    with closing(watched(Detector(), 50, 2)) as frames:
        next(frames)
    assert threading.active_count() == before
