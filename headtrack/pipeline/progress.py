"""What a run says of itself while it goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path


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
    """

    videos_done: int
    videos_skipped: int
    videos_failed: int
    videos_total: int
    seconds_done: float
    seconds_total: float
    current: str


def to_journal(journal: Path) -> Callable[[RunProgress], None]:
    """Give a listener that appends each report to a JSON Lines file, for `headtrack status`."""

    def write(progress: RunProgress) -> None:
        with journal.open("a") as lines:
            lines.write(json.dumps({"at": time.time(), **asdict(progress)}) + "\n")

    return write
