from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.errors import VideoError
from headtrack.types import FrameBatch, Video
from headtrack.video import batching
from headtrack.video.batching import from_frame, in_batches


def video(width: int = 4, height: int = 2) -> Video:
    return Video("0" * 16, "x", width, height, 0, Fraction(1), 0.0, 1.0, 0, Fraction(1), "", "pyav", "")


def frames(count: int, broken: bool = False) -> Iterator[tuple[np.ndarray, float]]:
    for k in range(count):
        yield np.full((2, 4, 3), k, np.uint8), k / 10
    if broken:
        raise VideoError("broken here")


@given(count=st.integers(0, 40), size=st.integers(1, 12), first=st.integers(0, 45))
def test_batches_hold_every_frame_once_from_the_first_wanted(count: int, size: int, first: int) -> None:
    got = list(from_frame(in_batches(video(), frames(count), batch_frames=size), first))
    numbers = [n for batch in got for n in batch.frame.tolist()]
    assert numbers == list(range(first, count))
    assert [n for batch in got for n in batch.rgb[:, 0, 0, 0].tolist()] == numbers
    assert max(map(len, got), default=0) <= size


def test_frames_before_an_error_are_given_before_it_is_raised() -> None:
    got: list[FrameBatch] = []
    with pytest.raises(VideoError, match="broken here"):
        got.extend(in_batches(video(), frames(5, broken=True), batch_frames=3))
    got = []
    batches = in_batches(video(), frames(5, broken=True), batch_frames=3)
    got.append(next(batches))
    got.append(next(batches))
    assert [len(b) for b in got] == [3, 2]


def test_large_frames_come_in_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MAX_BATCH_BYTES", 60)
    got = [len(b) for b in in_batches(video(), frames(5), batch_frames=16)]
    assert got == [2, 2, 1]
