"""Decoding with decord (from the `decord2` distribution): quicker, and trusted only where a probe agrees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.types import FrameBatch, Video
from headtrack.video.batching import in_batches
from headtrack.video.decord_import import import_decord
from headtrack.video.stream import scan_packets

decord = import_decord()
Reader = Any  # decord.VideoReader, which has no type annotations


class DecordDecoder:
    """Gives every frame that decord can decode, read one after the other."""

    def batches(self, video: Video, *, batch_frames: int) -> Iterator[FrameBatch]:
        """Yield upright RGB frames from the first to the last, in constant memory.

        Frames are taken with `next`: `get_batch` keeps buffers without bound on large frames.

        Raises:
            VideoError: the file cannot be opened, or decord stops before its last frame.
        """
        yield from in_batches(video, _frames(video), batch_frames=batch_frames)


def open_reader(path: str) -> Reader:
    """Open a file with decord on the CPU.

    Raises:
        VideoError: decord cannot.
    """
    try:
        return decord.VideoReader(path, ctx=decord.cpu(0))
    except (decord.DECORDError, RuntimeError, AssertionError) as error:
        raise VideoError(f"{path} cannot be opened by decord: {_first_line(error)}") from error


def frame_times(reader: Reader) -> npt.NDArray[np.float64]:
    """Give (F,) float64 seconds of every frame since the first, in presentation order.

    decord keeps them as float32: after an hour they are good to a quarter of a millisecond.
    """
    start_s = reader.get_frame_timestamp(range(len(reader)))[:, 0].astype(np.float64)
    return start_s - start_s[0]


def next_frame(reader: Reader, path: str) -> npt.NDArray[np.uint8]:
    """Decode the next frame, (H, W, 3) uint8 RGB.

    Raises:
        VideoError: decord stops here.
    """
    try:
        return reader.next().asnumpy()
    except (decord.DECORDError, RuntimeError, StopIteration) as error:
        raise VideoError(f"{path}: decord stopped: {_first_line(error)}") from error


def _frames(video: Video) -> Iterator[tuple[npt.NDArray[np.uint8], float]]:
    reader = open_reader(video.path)
    time_s = scan_packets(video.path).time_s(video.time_base)  # exact, where decord's are rounded
    if len(time_s) != len(reader):
        raise VideoError(f"{video.path}: decord counts {len(reader)} frames, the file has {len(time_s)}")
    for now_s in time_s.tolist():
        yield next_frame(reader, video.path), now_s


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0].rpartition("] ")[2] if lines else type(error).__name__
