"""Every frame of a video once, from whichever decoder reads it, under a watchdog. Use `decode`."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator

from headtrack.errors import VideoError
from headtrack.log import LOGGER
from headtrack.protocols import Decoder
from headtrack.settings import DecodeSettings
from headtrack.types import FrameBatch, Video
from headtrack.video.batching import from_frame
from headtrack.video.decord_decoder import DecordDecoder
from headtrack.video.pyav_decoder import PyAvDecoder
from headtrack.video.still import StillDecoder

DECODERS: dict[str, Decoder] = {"decord": DecordDecoder(), "pyav": PyAvDecoder(), "still": StillDecoder()}

POLL_S = 0.1  # how often a blocked decoding thread looks whether it is still wanted


def decode(video: Video, settings: DecodeSettings) -> Generator[FrameBatch, None, None]:
    """Yield every frame of a video once, in order.

    Decoding runs one batch ahead in a thread. Where decord stops short, PyAV goes on from the frame
    that it did not give (not if the setting `backend` forces decord). Closing the iterator stops the
    thread at its next batch.

    A thread that hangs inside native code cannot be ended from Python: it is left behind, as a daemon
    that keeps its memory and one file open until the process ends.

    Args:
        video: as probed; its `decoder` is used.
        settings: batch size, watchdog, backend.

    Raises:
        VideoError: decoding failed, or no batch came for `stall_s` seconds. Frames yielded before
            stay valid.
    """
    done = 0
    watched = Watched(DECODERS[video.decoder], video, settings)
    try:
        for batch in watched:
            done += len(batch)
            yield batch
        return
    except VideoError as error:
        if video.decoder != "decord" or settings.backend == "decord":
            raise
        LOGGER.warning("%s; PyAV goes on from frame %d", error, done)
    finally:
        watched.close()
    rest = Watched(DECODERS["pyav"], video, settings)
    try:
        yield from from_frame(rest, done)
    finally:
        rest.close()


class Watched:
    """An iterator over the batches of a decoder that runs in a thread of its own.

    Args:
        decoder: any.
        video: to decode.
        settings: `batch_frames`, and `stall_s` without a batch after which decoding counts as hung.
    """

    def __init__(self, decoder: Decoder, video: Video, settings: DecodeSettings) -> None:
        self._video = video
        self._stall_s = settings.stall_s
        self._ready: queue.Queue[FrameBatch | BaseException | None] = queue.Queue(maxsize=1)
        self._unwanted = threading.Event()
        self._frames = 0
        batches = decoder.batches(video, batch_frames=settings.batch_frames)
        threading.Thread(target=self._fill, args=(batches,), name="decode", daemon=True).start()

    def __iter__(self) -> Watched:
        return self

    def __next__(self) -> FrameBatch:
        if self._unwanted.is_set():
            raise StopIteration
        try:
            item = self._ready.get(timeout=self._stall_s)
        except queue.Empty as error:
            self.close()
            raise VideoError(
                f"{self._video.path}: no frame came for {self._stall_s:g} s after frame {self._frames - 1}; "
                "decoding counts as hung (the setting decode.stall_s allows more)"
            ) from error
        if isinstance(item, FrameBatch):
            self._frames += len(item)
            return item
        self.close()
        if item is None:
            raise StopIteration
        raise item

    def close(self) -> None:
        """Tell the thread to stop; it does so within one batch."""
        self._unwanted.set()

    def _fill(self, batches: Iterator[FrameBatch]) -> None:
        end: BaseException | None = None
        try:
            for batch in batches:
                if not self._offer(batch):
                    return
        except BaseException as error:  # carried to the thread that waits, and raised there
            end = error
        self._offer(end)

    def _offer(self, item: FrameBatch | BaseException | None) -> bool:
        while not self._unwanted.is_set():
            try:
                self._ready.put(item, timeout=POLL_S)
            except queue.Full:
                continue
            return True
        return False
