"""How many CPU threads a process gives its networks."""

from __future__ import annotations

import os

import torch


def set_threads(threads: int) -> int:
    """Set torch's CPU threads, and flush denormal numbers, which slow a CPU down tenfold.

    Args:
        threads: as in `RunSettings.threads`; 0 takes every CPU this process may use.

    Returns:
        The number of threads set; pass it to the onnxruntime models.
    """
    count = thread_count(threads)
    torch.set_num_threads(count)
    start_thread()
    return count


def start_thread() -> None:
    """Flush denormal numbers in this thread: each thread in which networks run has to be told."""
    torch.set_flush_denormal(True)


def thread_count(threads: int) -> int:
    """Give how many CPU threads `RunSettings.threads` stands for in this process."""
    return threads or len(os.sched_getaffinity(0))
