"""A Ray cluster to work on: a local one of our own, or one that runs already."""

from __future__ import annotations

import logging
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import ray

from headtrack.errors import HeadtrackError
from headtrack.log import LOGGER

LOCAL = "local"
# Frames never enter the object store, only names of parts: Ray's default of 30 % of memory is too much.
OBJECT_STORE_BYTES = 128 * 2**20
# Connecting takes 3 to 10 s where a cluster answers.
CONNECT_S = 60.0
PORT_OPENS_S = 10.0
# On a busy machine Ray's processes may come up too late for its own patience.
ATTEMPTS = 2


@contextmanager
def ray_session(address: str | None, *, cpus: int) -> Iterator[None]:
    """Connect to a Ray cluster for the length of a `with` block; a local one ends with it.

    A connection of the caller's own is used as it is, and left open.

    Args:
        address: None or `local` starts a cluster on this machine; else `auto`, `host:port` or
            `ray://host:port`.
        cpus: CPUs that a local cluster offers; more than the machine has is allowed.

    Raises:
        HeadtrackError: no Ray cluster answers at the address, or none can be started here.
    """
    if ray.is_initialized():
        yield
        return
    connect(address or LOCAL, cpus=cpus)
    try:
        yield
    finally:
        with _own_sigterm():
            ray.shutdown()


def connect(address: str, *, cpus: int) -> None:
    """Connect this process to Ray; see `ray_session`."""
    if address != LOCAL:
        _check_port(address)
        _check_answer(address)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with _own_sigterm():
                _init(address, cpus=cpus)
            return
        # Ray raises a bare Exception where its processes take more than 30 s to start.
        except Exception as error:
            reason = _last_line(str(error))
            LOGGER.info("attempt %d to use Ray cluster %r failed: %s", attempt, address, reason)
            ray.shutdown()
            if attempt == ATTEMPTS:
                raise HeadtrackError(
                    f"Ray cluster {address!r} cannot be used: {reason}; {_remedy(address)}"
                ) from error


@contextmanager
def _own_sigterm() -> Iterator[None]:
    """Keep the program's own answer to SIGTERM: without it the process ends without a word.

    Ray sets another when it starts; when it stops, its C++ part sets the system's, unknown to Python.
    """
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        # Elsewhere than in the main thread Python may set none; None is one that Python did not set.
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def _init(address: str, *, cpus: int) -> None:
    verbose = LOGGER.isEnabledFor(logging.DEBUG)
    quiet = {"logging_level": logging.INFO if verbose else logging.ERROR, "log_to_driver": verbose}
    if address == LOCAL:
        ray.init(
            address=LOCAL,
            num_cpus=cpus,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _node_ip_address="127.0.0.1",
            **quiet,
        )
    else:
        ray.init(address=address, **quiet)


def _check_port(address: str) -> None:
    # Ray itself would wait for a minute where nobody listens.
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PORT_OPENS_S).close()
    except OSError as error:
        raise HeadtrackError(f"nothing listens at {address!r}: {error}; {_remedy(address)}") from error


def _check_answer(address: str) -> None:
    # Where something else than Ray listens, `ray.init` hangs, or aborts its process from C++: it is
    # tried in a process that may be lost.
    code = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False, logging_level='ERROR')"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, address],
            timeout=CONNECT_S,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise HeadtrackError(
            f"no Ray cluster answers at {address!r} within {CONNECT_S:.0f} s; {_remedy(address)}"
        ) from error
    if done.returncode:
        raise HeadtrackError(
            f"no Ray cluster can be reached at {address!r}: {_last_line(done.stderr)}; {_remedy(address)}"
        )


def _remedy(address: str) -> str:
    if address == LOCAL:
        return "run without --ray, which needs no cluster"
    return (
        "start one (`ray start --head`), give --ray auto, host:port or ray://host:port of a running one "
        "with this Ray and Python version, or --ray alone for a local cluster"
    )


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"
