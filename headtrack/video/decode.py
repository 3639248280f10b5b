"""What a file is, and every frame of it once, under a watchdog: `probe_watched` and `decode`."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from headtrack.errors import VideoError
from headtrack.log import LOGGER
from headtrack.settings import DecodeSettings
from headtrack.types import FrameBatch, RemoteFile, Span, Video
from headtrack.types.remote import is_url
from headtrack.video.batching import from_frame
from headtrack.video.decode_process import DecoderLostError, borrowed_process
from headtrack.video.decode_worker import Question
from headtrack.video.decoders import SECOND
from headtrack.video.file_cache import copy_of, copy_of_video
from headtrack.video.probe import content_hash

LEAST_BYTES_A_S = 10e6  # a probe reads every packet: large files on slow disks take their time


def decode(
    video: Video, settings: DecodeSettings, *, on_switch: Callable[[str], None] | None = None
) -> Generator[FrameBatch, None, None]:
    """Yield every frame of a video once, in order.

    Decoding runs one batch ahead in a process of its own, which is kept for the next video. The pixels of
    a batch are there until the next one is asked for: copy what is to stay.

    Where a decoder hangs or crashes, or decord stops short, the second one (`SECOND`) goes on from the
    frame that the first did not give; not if the setting `backend` forces a decoder. Closing the iterator
    before its end ends the process. A remote video is decoded from its copy, fetched where there is none.

    Args:
        video: as probed; its `decoder` is used.
        settings: batch size, watchdog, backend.
        on_switch: told, in a few words, which decoder goes on and why.

    Raises:
        VideoError: decoding failed, or no batch came for `stall_s` seconds. Frames yielded before
            stay valid.
    """
    done = 0
    try:
        for batch in _batches(video, video.decoder, settings):
            done += len(batch)
            yield batch
        return
    except VideoError as error:
        second = SECOND.get(video.decoder)
        helped = isinstance(error, DecoderLostError) or video.decoder == "decord"
        if second is None or not helped or settings.backend != "auto":
            raise
        LOGGER.warning("%s; %s goes on from frame %d", error, second, done)
        if on_switch is not None:
            how = "hung or crashed" if isinstance(error, DecoderLostError) else "stopped"
            on_switch(f"{second} went on where {video.decoder} {how}")
    yield from from_frame(_batches(video, second, settings), done)


def decode_span(video: Video, span: Span, settings: DecodeSettings) -> Generator[FrameBatch, None, None]:
    """Yield the frames of a span and the first one after it, as `decode` yields those of a video.

    No other decoder helps out: where one frame is in doubt, the video is to be decoded as a whole.

    Args:
        video: as probed.
        span: of the video, as `headtrack.video.spans.split` gives it.
        settings: batch size, watchdog.

    Raises:
        VideoError: the span does not decode as the video's packets promised, or no batch came for
            `stall_s` seconds.
    """
    with _at_hand(video, settings) as here, borrowed_process() as process:
        yield from process.batches(
            here, "pyav", batch_frames=settings.batch_frames, stall_s=settings.stall_s, span=span
        )


def probe_watched(source: Path | RemoteFile, settings: DecodeSettings) -> Video:
    """Probe a file as `probe` does, in the process that decodes: a crash there is this file's failure.

    Where it hangs or crashes it is tried once more without decord. A remote file is fetched into the cache,
    where decoding finds it.

    Raises:
        VideoError: as `probe`, and where it hung or crashed for good.
    """
    if isinstance(source, RemoteFile):
        with copy_of(source, settings) as copy, _named(copy.path, source.url):
            video = _probed(Question(copy.path, copy.video_id, settings))
        return replace(video, path=source.url)
    path = Path(os.path.abspath(source))
    return _probed(Question(path, content_hash(path), settings))


def _probed(question: Question) -> Video:
    path, settings = question.path, question.settings
    limit_s = settings.stall_s + path.stat().st_size / LEAST_BYTES_A_S
    try:
        return _answered(question, limit_s)
    except DecoderLostError as error:
        if settings.backend != "auto":
            raise
        LOGGER.warning("%s; once more without decord", error)
    video = _answered(replace(question, settings=replace(settings, backend="pyav")), limit_s)
    return replace(video, decoder_reason="the probe hung or crashed when decord had its turn")


def _answered(question: Question, limit_s: float) -> Video:
    with borrowed_process() as process:
        return process.look_into(question, limit_s=limit_s)


@contextmanager
def _at_hand(video: Video, settings: DecodeSettings) -> Generator[Video, None, None]:
    """Give a video whose path is a file here; what is said of it names it as the user does."""
    if not is_url(video.path):
        yield video
        return
    with copy_of_video(video, settings) as copy, _named(copy.path, video.path):
        yield replace(video, path=str(copy.path))


@contextmanager
def _named(copy: Path, url: str) -> Generator[None, None, None]:
    try:
        yield
    except VideoError as error:
        raise type(error)(str(error).replace(str(copy), url)) from error


def _batches(video: Video, decoder: str, settings: DecodeSettings) -> Iterator[FrameBatch]:
    with _at_hand(video, settings) as here, borrowed_process() as process:
        yield from process.batches(
            here, decoder, batch_frames=settings.batch_frames, stall_s=settings.stall_s
        )
