"""Decoding with decord (the maintained `decord2`): fast, for files that the probe finds harmless."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headtrack.errors import VideoError
from headtrack.types import FrameBatch, Video

THREADS = 2


class DecordDecoder:
    """Gives frames in order through decord's sequential reader."""

    def batches(self, video: Video, *, batch_frames: int) -> Iterator[FrameBatch]:
        """Yield RGB frames with times from their pts.

        Raises:
            VideoError: decord fails, or gives fewer frames than the file holds.
        """
        import decord

        try:
            reader = decord.VideoReader(video.path, num_threads=THREADS)
            start_s = float(reader.get_frame_timestamp(0)[0]) if len(reader) else 0.0
            for begin in range(0, len(reader), batch_frames):
                frame = np.arange(begin, min(begin + batch_frames, len(reader)))
                rgb = np.stack([reader.next().asnumpy() for _ in frame])
                time_s = reader.get_frame_timestamp(frame)[:, 0].astype(np.float64) - start_s
                yield FrameBatch(rgb, frame, time_s)
        except (decord.DECORDError, StopIteration, RuntimeError) as error:
            raise VideoError(f"{video.path}: decord failed ({str(error).splitlines()[0:1]})") from error


def decord_agrees(path: str, frames: int) -> str:
    """Say how decord's view of a file differs from its packets; empty where it does not."""
    import decord

    try:
        reader = decord.VideoReader(path, num_threads=THREADS)
        if len(reader) != frames:
            return f"decord counts {len(reader)} frames of {frames}"
        if abs(float(reader.get_frame_timestamp(0)[0])) > 1e-6:
            return "decord starts late"
    except (decord.DECORDError, RuntimeError) as error:
        return f"decord cannot open it ({str(error).splitlines()[0][:80]})"
    return ""
