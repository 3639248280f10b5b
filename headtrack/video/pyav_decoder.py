"""Decoding with PyAV: right in every odd case tried, and the reference for the other decoder."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import cv2
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from headtrack.errors import VideoError
from headtrack.log import LOGGER
from headtrack.types import FrameBatch, Span, Video
from headtrack.video.batching import in_batches
from headtrack.video.stream import claimed_duration_s, ends_early, open_container, video_stream

CLOCKWISE = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}
# How far before a span decoding begins at the second try, where a container has led past its key frame.
FURTHER_BACK_S = 20.0
FALLBACK_STEP_S = 0.04  # between frames where neither pts nor a frame rate are known


class PyAvDecoder:
    """Gives every frame that FFmpeg can decode, those after a damaged packet included.

    Args:
        threads: let FFmpeg decode in several threads where the codec can.
    """

    def __init__(self, *, threads: bool = True) -> None:
        self._threads = threads

    def batches(self, video: Video, *, batch_frames: int) -> Iterator[FrameBatch]:
        """Yield upright RGB frames from the first to the last, in constant memory.

        A damaged packet costs its own frame: decoding goes on with the next packet, and the loss is
        told at the end. Times follow the pts; a frame whose pts is missing or not later than the one
        before comes one frame step after it.

        Raises:
            VideoError: the file cannot be opened, or, after all frames that could be had: packets
                were damaged, or the file ends early.
        """
        yield from in_batches(video, _frames(video, self._threads), batch_frames=batch_frames)


def span_batches(video: Video, span: Span, *, batch_frames: int) -> Iterator[FrameBatch]:
    """Yield the frames of a span, numbered as in the whole video, and the first frame after it.

    Raises:
        VideoError: the span does not decode as the packets promised.
    """
    for batch in in_batches(video, _frames_of_span(video, span), batch_frames=batch_frames):
        yield FrameBatch(batch.rgb, batch.frame + span.first, batch.time_s)


def upright(frame: VideoFrame, video: Video) -> npt.NDArray[np.uint8]:
    """Convert a decoded frame to (H, W, 3) uint8 RGB, turned as the file says and of the video's size."""
    turned = video.rotation_deg in (90, 270)
    width, height = (video.height, video.width) if turned else (video.width, video.height)
    if (frame.width, frame.height) != (width, height):  # the size changes inside the stream
        frame = frame.reformat(width=width, height=height)
    rgb = np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
    return np.asarray(cv2.rotate(rgb, CLOCKWISE[video.rotation_deg]), np.uint8) if video.rotation_deg else rgb


def _frames(video: Video, threads: bool) -> Iterator[tuple[npt.NDArray[np.uint8], float]]:
    with open_container(video.path) as container:
        stream = video_stream(container, video.path)
        stream.thread_type = "AUTO" if threads else "NONE"
        yield from _decode(video, container, stream)


def _frames_of_span(video: Video, span: Span) -> Iterator[tuple[npt.NDArray[np.uint8], float]]:
    with open_container(video.path) as container:
        stream = video_stream(container, video.path)
        stream.thread_type = "AUTO"
        clock = _Clock(stream.time_base or video.time_base, video.fps, start=span.origin_pts)
        number = span.first
        for picture in _pictures_from(video, span, container, stream):
            yield upright(picture, video), clock.read(picture.pts)
            number += 1
            if span.stop is not None and number > span.stop:
                return
        if span.stop is not None:
            raise VideoError(f"{video.path}: frame {number} is missing where frame {span.stop} should follow")
        _check_end(video, stream, clock, number)


def _pictures_from(
    video: Video, span: Span, container: InputContainer, stream: VideoStream
) -> Iterator[VideoFrame]:
    """Decode from the first frame of a span on."""
    for back_s in (0.0, FURTHER_BACK_S):
        container.seek(span.start.pts - round(back_s / video.time_base), stream=stream)
        started = False
        try:
            for picture in container.decode(stream):
                if not started and picture.pts is not None and picture.pts < span.start.pts:
                    continue
                if not started and picture.pts != span.start.pts:
                    break
                started = True
                yield picture
        except (FFmpegError, OSError) as error:
            raise VideoError(f"{video.path}: the span from frame {span.first} breaks: {error}") from error
        if started:
            return
    raise VideoError(f"{video.path}: no key frame is found where frame {span.first} should be")


def _decode(
    video: Video, container: InputContainer, stream: VideoStream
) -> Iterator[tuple[npt.NDArray[np.uint8], float]]:
    clock = _Clock(stream.time_base or video.time_base, video.fps)
    count, damaged, first_damage = 0, 0, ""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            break
        except (FFmpegError, OSError) as error:
            raise VideoError(
                f"{video.path}: reading broke {_place(count, clock)}: {error.strerror}; copy the file again"
            ) from error
        try:
            pictures = packet.decode()
        except FFmpegError as error:
            damaged += 1
            first_damage = first_damage or f"the first {_place(count, clock)} ({error.strerror})"
            LOGGER.debug("%s: damaged packet %s", video.path, _place(count, clock))
            continue
        for picture in pictures:
            if isinstance(picture, VideoFrame):
                time_s = clock.read(picture.pts)
                yield upright(picture, video), time_s
                count += 1
    if damaged:
        raise VideoError(
            f"{video.path}: {damaged} damaged packets left out, {first_damage}; {count} frames were read; "
            "copy the file again if you need the rest"
        )
    _check_end(video, stream, clock, count)


class _Clock:
    """Turns pts into seconds since the first frame, always rising."""

    def __init__(self, time_base: Fraction, fps: float, *, start: int | None = None) -> None:
        self._time_base = time_base
        self._step_s = 1 / fps if fps > 0 else FALLBACK_STEP_S
        self._start = start
        self.time_s = -self._step_s

    def read(self, pts: int | None) -> float:
        following_s = self.time_s + self._step_s
        if pts is not None and self._start is None:
            self._start = pts - round(following_s / self._time_base)  # frames without pts may precede
        if pts is None or self._start is None:
            self.time_s = following_s
        else:
            true_s = float((pts - self._start) * self._time_base)
            self.time_s = true_s if true_s > self.time_s else following_s
        return self.time_s


def _place(count: int, clock: _Clock) -> str:
    return f"after frame {count - 1} at {clock.time_s:.2f} s" if count else "before the first frame"


def _check_end(video: Video, stream: VideoStream, clock: _Clock, count: int) -> None:
    """Tell where a file that was cut off ends without an error."""
    if not count:
        raise VideoError(f"{video.path}: not one frame can be decoded; the file is damaged, copy it again")
    claims_more = stream.frames == 0 or count < stream.frames
    if claims_more and ends_early(stream, last_s=clock.time_s, fps=video.fps):
        raise VideoError(
            f"{video.path}: decoding broke {_place(count, clock)} of {claimed_duration_s(stream):.2f} s; "
            "the file is truncated, copy it again"
        )
