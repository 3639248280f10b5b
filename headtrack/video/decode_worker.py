"""The process that probes and decodes: asked over a socket, it puts frames into memory it is given.

It is started by `headtrack.video.decode_process` and imports no network. It ends when the other end of its
socket closes, however the other process ended and whatever native code is doing here.
"""

from __future__ import annotations

import mmap
import os
import select
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.types import FrameBatch, Span, Video
from headtrack.video.batching import batch_size
from headtrack.video.decoders import DECODERS
from headtrack.video.probe import look_into
from headtrack.video.pyav_decoder import span_batches

# Batches in shared memory: the reader holds one while the next is filled.
SLOTS = 2


@dataclass(frozen=True, slots=True)
class Order:
    """A video to decode; a file descriptor of the memory for its frames follows it.

    Attributes:
        video: as probed.
        decoder: key of `DECODERS`.
        batch_frames: most frames a batch.
        span: frames to decode; None means all.
    """

    video: Video
    decoder: str
    batch_frames: int
    span: Span | None = None

    @property
    def shape(self) -> tuple[int, int, int, int, int]:
        """Slots, frames a slot, height, width, channels of the memory."""
        size = batch_size(self.video, self.batch_frames)
        return SLOTS, size, self.video.height, self.video.width, 3


@dataclass(frozen=True, slots=True)
class Question:
    """A file to look into, as `look_into` does; the answer is a `Video` or a `VideoError`.

    Attributes:
        path: absolute.
        video_id: of its content.
        settings: as for `probe`.
    """

    path: Path
    video_id: str
    settings: DecodeSettings


@dataclass(frozen=True, slots=True)
class Filled:
    """A slot holds frames. Slots are filled in turn, and again when the reader has let go of them.

    Attributes:
        slot: which.
        first: number of its first frame.
        time_s: (n,) float64 of its frames.
    """

    slot: int
    first: int
    time_s: npt.NDArray[np.float64]


def serve(fd: int) -> None:
    """Answer and obey what comes over the socket `fd` until its other end closes."""
    channel = socket.socket(fileno=fd)
    threading.Thread(target=_end_with_the_other, args=(fd,), daemon=True).start()
    connection = Connection(os.dup(fd))
    connection.send(None)  # ready
    while True:
        try:
            wanted: Order | Question = connection.recv()
            if isinstance(wanted, Question):
                connection.send(_answer(wanted))
            else:
                connection.send(_obey(wanted, _receive_memory(channel, wanted), connection))
        except (EOFError, ConnectionError):
            return


def _end_with_the_other(fd: int) -> None:
    hangup = select.poll()
    hangup.register(fd, 0)  # no event but the hang-up, which is always told
    hangup.poll()
    os._exit(0)


def _answer(question: Question) -> Video | VideoError:
    try:
        return look_into(question.path, question.video_id, question.settings)
    except VideoError as error:
        return error
    except Exception as error:  # told as a value: this process goes on with other videos
        return VideoError(f"{question.path}: unexpected error in the probe ({type(error).__name__}: {error})")


def _receive_memory(channel: socket.socket, order: Order) -> npt.NDArray[np.uint8]:
    _, fds, _, _ = socket.recv_fds(channel, 1, 1)
    if not fds:
        raise EOFError
    try:
        mapped = mmap.mmap(fds[0], int(np.prod(order.shape)))
    finally:
        os.close(fds[0])
    return np.frombuffer(mapped, np.uint8).reshape(order.shape)


def _frames(order: Order) -> Iterator[FrameBatch]:
    if order.span is not None:
        return span_batches(order.video, order.span, batch_frames=1)
    return DECODERS[order.decoder].batches(order.video, batch_frames=1)


def _obey(order: Order, memory: npt.NDArray[np.uint8], connection: Connection) -> VideoError | None:
    """Decode; give the error that ended it, once the frames before it are handed over."""
    size, shape = memory.shape[1], memory.shape[2:]
    time_s: list[float] = []
    sent = freed = 0
    failure: VideoError | None = None
    try:
        for frame in _frames(order):
            while sent - freed >= SLOTS:
                connection.recv_bytes()
                freed += 1
            if frame.rgb.shape[1:] != shape:
                raise VideoError(
                    f"{order.video.path}: {order.decoder} gives frames of {frame.rgb.shape[1:]} where the "
                    f"probe saw {shape}; run again if the file was changed meanwhile"
                )
            memory[sent % SLOTS, len(time_s)] = frame.rgb[0]
            time_s += frame.time_s.tolist()
            if len(time_s) == size:
                connection.send(Filled(sent % SLOTS, sent * size, np.array(time_s)))
                sent, time_s = sent + 1, []
    except VideoError as error:
        failure = error
    except EOFError:
        raise
    except Exception as error:  # told as a value: this process goes on with other videos
        what = f"{type(error).__name__}: {error}"
        failure = VideoError(f"{order.video.path}: unexpected error in {order.decoder} ({what})")
    if time_s:
        connection.send(Filled(sent % SLOTS, sent * size, np.array(time_s)))
        sent += 1
    while freed < sent:
        connection.recv_bytes()
        freed += 1
    return failure
