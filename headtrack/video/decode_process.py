"""Probing and decoding in a process that can be killed: native code that hangs or crashes ends only it."""

from __future__ import annotations

import atexit
import mmap
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.types import FrameBatch, Span, Video
from headtrack.video.decode_worker import Filled, Order, Question

# The worker's modules are those of this process, wherever it has them from.
START = (
    "import sys; fd, sys.path[:] = int(sys.argv[1]), sys.argv[2:]; "
    "from headtrack.video.decode_worker import serve; serve(fd)"
)
START_S = 120.0  # the imports take one second; a busy machine or a cold disk may need many
END_S = 5.0  # a killed process is gone at once, unless it waits for a disk that does not answer


class DecoderLostError(VideoError):
    """A decoder hung or crashed; another may do better."""


class DecodeProcess:
    """A running worker. It takes one video after the other; `close` it, or end this process.

    Raises:
        VideoError: it cannot be started.
    """

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, str(theirs.fileno()), *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=2,  # ours is for data
                process_group=0,  # Ctrl-C is for us, who then end it
            )
        self._connection = Connection(os.dup(self._channel.fileno()))
        try:
            ready = self._connection.poll(START_S) and self._connection.recv() is None
        except (EOFError, OSError):
            ready = False
        except BaseException:
            self.close()
            raise
        if not ready:
            self.close()
            raise VideoError(f"the decoding process does not start ({self._ended()}); see what it printed")

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """It can take a video."""
        return not self._connection.closed and self._process.poll() is None

    def batches(
        self, video: Video, decoder: str, *, batch_frames: int, stall_s: float, span: Span | None = None
    ) -> Iterator[FrameBatch]:
        """Yield what a decoder gives; the pixels of a batch are there until the next is asked for.

        Leaving off before the end kills the process.

        Args:
            video: as probed.
            decoder: key of `DECODERS`.
            batch_frames: most frames a batch.
            stall_s: seconds without a batch after which it counts as hung and is killed.
            span: frames to decode, and the one after them, as `span_batches` does; None means all.

        Raises:
            DecoderLostError: it hung, or the process died.
            VideoError: decoding failed.
        """
        order, frames, finished = Order(video, decoder, batch_frames, span), span.first if span else 0, False
        try:
            memory = self._give(order)
            while not finished:
                if not self._connection.poll(stall_s):
                    raise DecoderLostError(
                        f"{video.path}: no frame came from {decoder} for {stall_s:g} s after frame "
                        f"{frames - 1}; it was killed as hung (the setting decode.stall_s allows more)"
                    )
                reply = self._connection.recv()
                if isinstance(reply, Filled):
                    number = np.arange(frames, frames + len(reply.time_s), dtype=np.int32)
                    frames += len(number)
                    yield FrameBatch(memory[reply.slot, : len(number)], number, reply.time_s)
                    self._connection.send_bytes(b"free")
                else:
                    finished = True
                    if reply is not None:
                        raise reply
        except (EOFError, ConnectionError) as error:
            self.close()
            raise DecoderLostError(
                f"{video.path}: {decoder} crashed after frame {frames - 1} ({self._ended()})"
            ) from error
        finally:
            if not finished:
                self.close()

    def look_into(self, question: Question, *, limit_s: float) -> Video:
        """Probe a file.

        Args:
            question: which.
            limit_s: seconds after which it counts as hung and is killed.

        Raises:
            DecoderLostError: it hung, or the process died.
            VideoError: the file is not fit.
        """
        answered = False
        try:
            self._connection.send(question)
            if not self._connection.poll(limit_s):
                raise DecoderLostError(f"{question.path}: the probe was killed as hung after {limit_s:.0f} s")
            answer: Video | VideoError = self._connection.recv()
            answered = True
        except (EOFError, ConnectionError) as error:
            self.close()
            raise DecoderLostError(f"{question.path}: the probe crashed ({self._ended()})") from error
        finally:
            if not answered:
                self.close()
        if isinstance(answer, VideoError):
            raise answer
        return answer

    def close(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.returncode = -signal.SIGKILL  # it dies when its disk answers; nobody waits for it
        self._connection.close()
        self._channel.close()

    def _give(self, order: Order) -> npt.NDArray[np.uint8]:
        """Send an order and the memory for its frames, which has no name and goes with its holders."""
        size, fd = int(np.prod(order.shape)), _memory_fd()
        try:
            os.ftruncate(fd, size)
            memory = np.frombuffer(mmap.mmap(fd, size), np.uint8).reshape(order.shape)
            self._connection.send(order)
            socket.send_fds(self._channel, [b"m"], [fd])
        finally:
            os.close(fd)
        return memory

    def _ended(self) -> str:
        code = self._process.returncode
        if code is None or code >= 0:
            return f"exit code {code}"
        return f"signal {-code}, {signal.Signals(-code).name}"


def _memory_fd() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("headtrack")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


_idle: list[DecodeProcess] = []


@contextmanager
def borrowed_process() -> Generator[DecodeProcess, None, None]:
    """Lend a worker: one that is free, else a new one. It is kept for the next video if it lives."""
    process = None
    while process is None and _idle:
        process = _idle.pop()
        if not process.is_alive:
            process.close()
            process = None
    process = process or DecodeProcess()
    try:
        yield process
    finally:
        if process.is_alive:
            _idle.append(process)


def end_idle_processes() -> None:
    """End the workers that are kept for the next video."""
    while _idle:
        _idle.pop().close()


atexit.register(end_idle_processes)
