"""What decoders are compared by: numbers, times and pictures, with bare PyAV as the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.types import FrameBatch
from headtrack.video.thumbnails import thumbnails


@dataclass(frozen=True)
class Decoded:
    frame: npt.NDArray[np.int32]
    time_s: npt.NDArray[np.float64]
    small: npt.NDArray[np.uint8]
    shape: tuple[int, ...]
    error: str


def drained(batches: Iterator[FrameBatch]) -> Decoded:
    frame, time_s, small, shape, error = [np.zeros(0, int)], [np.zeros(0)], [], (), ""
    try:
        for batch in batches:
            frame.append(batch.frame)
            time_s.append(batch.time_s)
            small.append(thumbnails(batch.rgb))
            shape = batch.rgb.shape[1:]
    except VideoError as broken:
        error = str(broken)
    pictures = np.concatenate(small) if small else np.zeros((0, 27, 48, 3), np.uint8)
    return Decoded(np.concatenate(frame), np.concatenate(time_s), pictures, shape, error)


@cache
def plainly_decoded(path: Path) -> Decoded:
    """Decode packet by packet with bare PyAV: the reference."""
    time_s, small, shape, error = [], [], (), ""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
            except av.error.FFmpegError as broken:
                error = str(broken)
                continue
            for frame in frames:  # FFmpeg gives the angle counter-clockwise, as numpy takes it
                rgb = np.rot90(frame.to_ndarray(format="rgb24"), int(frame.rotation) // 90)
                time_s.append(frame.pts * stream.time_base)
                small.append(thumbnails(np.ascontiguousarray(rgb)[None])[0])
                shape = rgb.shape
    since = np.array([float(t - time_s[0]) for t in time_s])
    return Decoded(np.arange(len(since)), since, np.stack(small), shape, error)


def difference(got: Decoded, expected: Decoded, *, whole: int | None = None) -> str:
    """Say in what they differ; empty where they do not. Pictures count for the first `whole` frames only.

    After a damaged packet FFmpeg fills in what is lost, and how depends on its threads.
    """
    if got.frame.tolist() != expected.frame.tolist():
        return f"{len(got.frame)} frames, not {len(expected.frame)}"
    if np.abs(got.time_s - expected.time_s).max() > 1e-9:
        return f"times {got.time_s[:5]}..., not {expected.time_s[:5]}..."
    if got.shape != expected.shape:
        return f"frames of {got.shape}, not {expected.shape}"
    unlike = np.abs(got.small[:whole].astype(int) - expected.small[:whole]).max((1, 2, 3)) > 1
    return f"other pictures in frames {np.flatnonzero(unlike)[:5]}" if unlike.any() else ""
