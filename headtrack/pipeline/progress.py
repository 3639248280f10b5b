"""What a run says of itself while it goes on."""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from headtrack.store.spool import said_clearly

# Often enough for who watches, seldom enough for a disk that many nodes share.
JOURNAL_EVERY_S = 1.0
# Room for hours of a small cluster; then it begins anew, however long the run.
JOURNAL_BYTES = 2**20

Doing = Literal["loading", "analysing", "watching", "stitching", "idle"]


@dataclass(frozen=True, slots=True)
class WorkerState:
    """What a worker does, and has done in this run.

    Attributes:
        worker: its number, from 1; one that replaces a lost one has a number of its own.
        node: name of its machine; empty until it has its place.
        pid: number of its process there; 0 until it has its place.
        doing: `loading` (waits for its place, then for the models), `analysing` (a whole video), `watching`
            (a span of one), `stitching` (the spans of one) or `idle`.
        path: of the video it is at; empty where it is at none.
        start_s: where in the video what it watches begins, in seconds; None where it watches nothing.
        stop_s: where that ends.
        since: seconds since the epoch at which it began to do so.
        videos: finished, failed ones left out.
        spans: finished.
        seconds: footage watched, in seconds.
    """

    worker: int
    node: str
    pid: int
    doing: Doing
    path: str
    start_s: float | None
    stop_s: float | None
    since: float
    videos: int
    spans: int
    seconds: float

    @staticmethod
    def here() -> WorkerState:
        """Give the only worker of a run in this process, before it has its models."""
        return WorkerState(
            worker=1,
            node=platform.node(),
            pid=os.getpid(),
            doing="loading",
            path="",
            start_s=None,
            stop_s=None,
            since=time.time(),
            videos=0,
            spans=0,
            seconds=0.0,
        )


Workers = tuple[WorkerState, ...]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Where a run stands.

    Attributes:
        videos_done: analysed in this run.
        videos_skipped: already in the database with the same content, settings and models.
        videos_failed: recorded as failed.
        videos_total: all inputs.
        seconds_done: footage analysed, in seconds.
        seconds_total: footage to analyse in this run, as the containers claim.
        current: path of the video last heard of.
        workers: those that live, by number.
    """

    videos_done: int
    videos_skipped: int
    videos_failed: int
    videos_total: int
    seconds_done: float
    seconds_total: float
    current: str
    workers: Workers = ()

    @property
    def videos_waiting(self) -> int:
        """Inputs of which nothing is known yet, those that are being analysed included."""
        return self.videos_total - self.videos_done - self.videos_skipped - self.videos_failed

    @staticmethod
    def of_json(said: dict[str, Any]) -> RunProgress:
        """Read what `to_journal` wrote; versions before wrote no workers."""
        workers = tuple(WorkerState(**state) for state in said.get("workers", ()))
        names = [name for name in RunProgress.__slots__ if name != "workers"]
        return RunProgress(**{name: said[name] for name in names}, workers=workers)


def to_journal(journal: Path, *, every_s: float = JOURNAL_EVERY_S) -> Callable[[RunProgress], None]:
    """Give a listener that writes reports to a JSON Lines file, for `headtrack status`.

    Of the reports of a second only the first is written, and always the last of a run. A file that has
    grown to `JOURNAL_BYTES` gives way, at once, to one of its first line and the newest.

    Args:
        journal: the file, one a run.
        every_s: seconds between two lines.

    Raises:
        StoreError: from the listener, where the disk is full or the file cannot be written.
    """
    first, due, taken = "", -math.inf, 0

    def write(progress: RunProgress) -> None:
        nonlocal first, due, taken
        if progress.videos_waiting and time.monotonic() < due:
            return
        due = time.monotonic() + every_s
        line = json.dumps({"at": time.time(), **asdict(progress)}) + "\n"
        first, taken = first or line, taken + len(line)
        with said_clearly(journal):
            if taken <= JOURNAL_BYTES or first == line:
                with journal.open("a") as lines:
                    lines.write(line)
                return
            new = journal.with_name(f".{journal.name}.new")
            new.write_text(first + line)
            os.replace(new, journal)
            taken = len(first + line)

    return write
