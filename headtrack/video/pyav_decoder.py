"""Decoding with PyAV: right in every odd case tried, and the reference for the other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import av
import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.types import FrameBatch, Video

# A file is cut short where its last frame ends this much before the end that its stream claims.
SHORT_S = 1.0
SHORT_SHARE = 0.02


class PyAvDecoder:
    """Gives every frame that FFmpeg can decode, those after a damaged stretch included."""

    def batches(self, video: Video, *, batch_frames: int) -> Iterator[FrameBatch]:
        """Yield upright RGB frames with times from their pts.

        Raises:
            VideoError: after the last frame, where frames were lost or the file ends too early.
        """
        rgb: list[npt.NDArray[np.uint8]] = []
        time_s: list[float] = []
        count, first_pts, last_s, lost = 0, None, 0.0, ""
        try:
            with av.open(video.path) as container:
                stream = container.streams.video[0]
                stream.thread_type = "AUTO"
                base = Fraction(stream.time_base or video.time_base)
                claimed, end_s = stream.frames, _claimed_end_s(stream)
                for frame in _frames(container, stream):
                    if isinstance(frame, str):
                        lost = lost or f"decoding broke after frame {count - 1} ({frame})"
                        continue
                    pts = frame.pts if frame.pts is not None else frame.dts
                    first_pts = pts if first_pts is None else first_pts
                    known = pts is not None and first_pts is not None
                    last_s = float((pts - first_pts) * base) if known else last_s + 1 / (video.fps or 25)
                    rgb.append(_upright(frame, video))
                    time_s.append(last_s)
                    count += 1
                    if len(rgb) == batch_frames:
                        yield _batch(rgb, time_s, count)
                        rgb, time_s = [], []
        except av.FFmpegError as error:
            lost = lost or f"reading broke after frame {count - 1} ({error.strerror or type(error).__name__})"
            claimed, end_s, first_pts, base = 0, 0.0, None, Fraction(0)
        if rgb:
            yield _batch(rgb, time_s, count)
        begin_s = float((first_pts or 0) * base)
        if not lost and claimed > count:
            lost = f"the file ends after frame {count - 1} of {claimed} that it claims to hold"
        elif not lost and end_s - (begin_s + last_s) > max(SHORT_S, SHORT_SHARE * end_s):
            lost = f"the file ends after frame {count - 1} at {last_s:.1f} s, {end_s - begin_s:.1f} s were announced"
        if lost:
            raise VideoError(f"{video.path}: {lost}; fetch the file again if you need the rest")


def _frames(
    container: av.container.InputContainer, stream: av.VideoStream
) -> Iterator[av.VideoFrame | str]:
    """Give frames, and a text wherever some were lost."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError as error:
            yield error.strerror or type(error).__name__
            return
        if packet is None:
            return
        try:
            frames = packet.decode()
        except av.FFmpegError as error:
            yield error.strerror or type(error).__name__
            continue
        for frame in frames:
            if isinstance(frame, av.VideoFrame):
                yield frame


def _upright(frame: av.VideoFrame, video: Video) -> npt.NDArray[np.uint8]:
    """Give one frame in the video's size, rotation applied."""
    turned = video.rotation_deg in (90, 270)
    width, height = (video.height, video.width) if turned else (video.width, video.height)
    rgb = frame.to_ndarray(format="rgb24", width=width, height=height)
    return np.rot90(rgb, -video.rotation_deg // 90) if video.rotation_deg else rgb


def _batch(rgb: list[npt.NDArray[np.uint8]], time_s: list[float], count: int) -> FrameBatch:
    return FrameBatch(np.stack(rgb), np.arange(count - len(rgb), count), np.array(time_s))


def _claimed_end_s(stream: av.VideoStream) -> float:
    """Give the end that Matroska announces for the stream, in seconds; 0 where it does not."""
    hours, _, rest = stream.metadata.get("DURATION", "").partition(":")
    minutes, _, seconds = rest.partition(":")
    try:
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    except ValueError:  # absent, or another notation
        return 0.0
