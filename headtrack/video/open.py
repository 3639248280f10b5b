"""Every frame of a video once, through the decoder the probe chose, under a watchdog."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import closing

from headtrack.errors import VideoError
from headtrack.log import LOGGER
from headtrack.protocols import Decoder
from headtrack.settings import DecodeSettings
from headtrack.types import FrameBatch, Video
from headtrack.video.decord_decoder import DecordDecoder
from headtrack.video.pyav_decoder import PyAvDecoder
from headtrack.video.still import StillDecoder

DECODERS: dict[str, Decoder] = {"decord": DecordDecoder(), "pyav": PyAvDecoder(), "still": StillDecoder()}
FALLBACK = "pyav"
AHEAD_BATCHES = 2  # decoded while the batch before is being looked at
POLL_S = 0.2


def decode(video: Video, settings: DecodeSettings) -> Iterator[FrameBatch]:
    """Yield every frame that can be had; where decord fails, PyAV goes on from there.

    Decoding runs in a thread of its own, a few batches ahead. A native decoder that hangs cannot be
    killed from inside its process: its thread is left behind and the video given up.

    Args:
        video: as probed.
        settings: the `decode` section.

    Raises:
        VideoError: after the last frame that could be had, where some were lost; or no frame came
            for `stall_s` seconds.
    """
    following = 0
    try:
        with closing(_watched(video, DECODERS[video.decoder], settings)) as batches:
            for batch in batches:
                following = int(batch.frame[-1]) + 1
                yield batch
        return
    except VideoError as error:
        if video.decoder in (FALLBACK, "still"):
            raise
        LOGGER.warning("%s; PyAV goes on from frame %d", error, following)
    with closing(_watched(video, DECODERS[FALLBACK], settings)) as batches:
        for batch in batches:
            fresh = batch.frame >= following
            if fresh.any():
                yield FrameBatch(batch.rgb[fresh], batch.frame[fresh], batch.time_s[fresh])


def _watched(video: Video, decoder: Decoder, settings: DecodeSettings) -> Iterator[FrameBatch]:
    """Run a decoder in a thread; give up where it stays silent too long."""
    ahead: queue.Queue[FrameBatch | Exception | None] = queue.Queue(AHEAD_BATCHES)
    stop = threading.Event()

    def put(item: FrameBatch | Exception | None) -> bool:
        while not stop.is_set():
            try:
                ahead.put(item, timeout=POLL_S)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        last: Exception | None = None
        try:
            for batch in decoder.batches(video, batch_frames=settings.batch_frames):
                if not put(batch):
                    return
        except Exception as error:  # handed to the reader, which raises it
            last = error
        put(last)

    threading.Thread(target=work, name=f"decode {video.path}", daemon=True).start()
    try:
        while True:
            try:
                item = ahead.get(timeout=settings.stall_s)
            except queue.Empty:
                raise VideoError(
                    f"{video.path}: no frame for {settings.stall_s:g} s, decoding hangs; the rest is left out "
                    "(decode.stall_s sets the patience)"
                ) from None
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        stop.set()
