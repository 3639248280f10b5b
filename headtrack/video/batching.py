"""Frames put together into batches of bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from headtrack.types import FrameBatch, Video

# A batch holds at most this many bytes of pixels: 21 frames of 1080p, 5 of 4K.
MAX_BATCH_BYTES = 128 * 2**20


def batch_size(video: Video, batch_frames: int) -> int:
    """Give how many frames a batch has: at most `batch_frames`, at least one."""
    return max(min(batch_frames, MAX_BATCH_BYTES // max(video.width * video.height * 3, 1)), 1)


def in_batches(
    video: Video, frames: Iterable[tuple[npt.NDArray[np.uint8], float]], *, batch_frames: int
) -> Iterator[FrameBatch]:
    """Group (rgb, time_s) frames; what came before an error is yielded before the error is raised.

    Args:
        video: whose frames they are; its size bounds the batch.
        frames: upright (H, W, 3) uint8 with their time in seconds, in order from the first.
        batch_frames: most frames a batch.
    """
    size = batch_size(video, batch_frames)
    rgb: list[npt.NDArray[np.uint8]] = []
    time_s: list[float] = []
    done = 0
    failure: Exception | None = None
    remaining = iter(frames)
    while failure is None:
        try:
            picture, when = next(remaining)
        except StopIteration:
            break
        except Exception as error:  # re-raised below, after the frames that came before it
            failure = error
            break
        rgb.append(picture)
        time_s.append(when)
        if len(rgb) == size:
            yield _batch(rgb, time_s, done)
            done += size
            rgb, time_s = [], []
    if rgb:
        yield _batch(rgb, time_s, done)
    if failure is not None:
        raise failure


def from_frame(batches: Iterable[FrameBatch], first: int) -> Iterator[FrameBatch]:
    """Leave out the frames before `first`."""
    for batch in batches:
        keep = batch.frame >= first
        if keep.all():
            yield batch
        elif keep.any():
            yield FrameBatch(batch.rgb[keep], batch.frame[keep], batch.time_s[keep])


def _batch(rgb: list[npt.NDArray[np.uint8]], time_s: list[float], first: int) -> FrameBatch:
    pixels = np.stack(rgb) if len(rgb) > 1 else rgb[0][None]
    return FrameBatch(pixels, np.arange(first, first + len(rgb), dtype=np.int32), np.array(time_s))
