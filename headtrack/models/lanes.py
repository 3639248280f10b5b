"""Passes through networks side by side: on a CPU two with one thread each beat one after the other with two.

`benchmarks/lanes.py` measures it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from headtrack.models.threads import start_thread

P = ParamSpec("P")
T = TypeVar("T")

# The frames of one batch that are looked at make about this many passes, far ones more.
MOST_LANES = 8


class Lanes:
    """Shares the CPU threads of a process out among passes that go on at once.

    Args:
        threads: CPU threads in all.
    """

    def __init__(self, threads: int) -> None:
        lanes = max(1, min(threads, MOST_LANES))
        self.threads_a_pass = max(1, threads // lanes)
        self._pool = ThreadPoolExecutor(lanes, "lane", start_thread) if lanes > 1 else None

    def start(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        """Begin some work; with one lane it is done when its result is asked for.

        Args:
            work: a pass through a network, and what belongs to it.
            args: of the work.
            kwargs: of the work.

        Returns:
            A function that waits for the result and gives it, or raises what the work raised; to be called
            once.
        """
        if self._pool is None:
            return lambda: work(*args, **kwargs)
        return self._pool.submit(work, *args, **kwargs).result
