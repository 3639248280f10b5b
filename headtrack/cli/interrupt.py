"""Ctrl-C and SIGTERM end the program within two seconds, whatever native code is doing.

Python raises `KeyboardInterrupt` only between bytecodes, so a long call into torch, a decoder or
DuckDB delays it, and a destructor may swallow it. The C signal handler, however, writes to the
wake-up file descriptor at once; a thread reads it and, where the main thread has not left in time,
ends the process. That is safe because parts are renamed into place and the store commits by video.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

# As shells have them: 128 and the number of the signal.
EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
# Together with the reader's wake-up this stays under the two seconds promised.
GRACE_S = 1.5
MESSAGE = "stopped; run the same command again to go on"
SHOW_CURSOR = "\x1b[?25h"

_interrupted = threading.Event()
_terminated = threading.Event()


def interrupted() -> bool:
    """Say whether Ctrl-C or SIGTERM came since `watch_for_interrupt`."""
    return _interrupted.is_set()


def exit_code() -> int:
    """Give the exit code of a program that `KeyboardInterrupt` ended."""
    return EXIT_CODES[signal.SIGTERM if _terminated.is_set() else signal.SIGINT]


def watch_for_interrupt() -> None:
    """Take SIGTERM as Ctrl-C, and start the thread that ends the process where it is not obeyed in time.

    Only the main thread may call it; elsewhere (a test, an embedding program) signals are not ours.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.signal(signal.SIGTERM, _interrupt)
    sys.unraisablehook = _but_interrupts(sys.unraisablehook)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_end_when_late, args=(reader, writer), name="interrupt", daemon=True).start()


def end_interrupted() -> None:
    """Say that the run was stopped, and end the process without waiting for any thread."""
    # A second signal must not break into the farewell.
    for number in EXIT_CODES:
        signal.signal(number, signal.SIG_IGN)
    _end()


def _interrupt(number: int, frame: FrameType | None) -> None:
    _terminated.set()
    raise KeyboardInterrupt


def _but_interrupts(hook: Callable[[sys.UnraisableHookArgs], object]) -> Callable[..., None]:
    """Say nothing of an interrupt that a destructor or callback swallowed: the thread ends the program."""

    def said(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            hook(unraisable)

    return said


def _end_when_late(reader: socket.socket, writer: socket.socket) -> None:
    # `writer` is held here so that the descriptor stays open as long as the thread lives.
    while not (came := EXIT_CODES.keys() & set(reader.recv(64))):
        continue
    if signal.SIGTERM in came:
        _terminated.set()
    _interrupted.set()
    time.sleep(GRACE_S)
    _end()


def _end() -> None:
    for child in multiprocessing.active_children():
        child.kill()
    prefix = SHOW_CURSOR if sys.stderr.isatty() else ""
    os.write(2, f"{prefix}{MESSAGE}\n".encode())
    os._exit(exit_code())
