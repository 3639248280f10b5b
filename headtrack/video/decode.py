"""Every frame of a video once, from whichever decoder reads it, under a watchdog. Use `decode`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from headtrack.errors import VideoError
from headtrack.log import LOGGER
from headtrack.settings import DecodeSettings
from headtrack.types import FrameBatch, Video
from headtrack.video.batching import from_frame
from headtrack.video.decode_process import DecoderLostError, borrowed_process
from headtrack.video.decoders import SECOND


def decode(
    video: Video, settings: DecodeSettings, *, on_switch: Callable[[str], None] | None = None
) -> Generator[FrameBatch, None, None]:
    """Yield every frame of a video once, in order.

    Decoding runs one batch ahead in a process of its own, which is kept for the next video. The pixels of
    a batch are there until the next one is asked for: copy what is to stay.

    Where a decoder hangs or crashes, or decord stops short, the second one (`SECOND`) goes on from the
    frame that the first did not give; not if the setting `backend` forces a decoder. Closing the iterator
    before its end ends the process.

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


def _batches(video: Video, decoder: str, settings: DecodeSettings) -> Iterator[FrameBatch]:
    with borrowed_process() as process:
        yield from process.batches(
            video, decoder, batch_frames=settings.batch_frames, stall_s=settings.stall_s
        )
