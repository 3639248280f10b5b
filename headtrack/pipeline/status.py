"""Looks at the run folder of a database for a run that goes on; the database itself is left alone."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from headtrack.pipeline.progress import RunProgress
from headtrack.store.spool import run_folder

JOURNAL = "progress.jsonl"
# A run that has said nothing for so long is taken for dead, whatever now bears its process id.
SILENT_S = 3600.0


@dataclass(frozen=True, slots=True)
class RunningRun:
    """A run that goes on.

    Attributes:
        run_id: name of its folder.
        started_at: seconds since the epoch of its first report.
        said_at: seconds since the epoch of its last report.
        progress: its last report.
    """

    run_id: str
    started_at: float
    said_at: float
    progress: RunProgress


def run_in_progress(db: Path, *, now: float | None = None) -> RunningRun | None:
    """Give the latest run on this database that is still alive on this machine, if there is one.

    Args:
        db: the DuckDB file; it need not exist.
        now: seconds since the epoch; None takes the clock.
    """
    now = time.time() if now is None else now
    runs = run_folder(db, "x").parent
    for journal in sorted(runs.glob(f"*/{JOURNAL}"), reverse=True):
        if is_alive(journal.parent.name):
            run = read_journal(journal)
            if run is not None and now - run.said_at < SILENT_S:
                return run
    return None


def is_alive(run_id: str) -> bool:
    """Say whether the process whose id ends the run's name lives on this machine."""
    pid = run_id.rpartition("-")[2]
    if not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's, but alive
        return True
    return True


def read_journal(journal: Path) -> RunningRun | None:
    """Give the run that a journal tells of; None where it tells nothing yet, or is there no more."""
    try:
        text = journal.read_text(encoding="utf-8")
    except FileNotFoundError:  # a run that ended removes old folders
        return None
    # The last line may be half-written at this moment.
    lines = [line for line in text.splitlines(keepends=True) if line[-1] == "\n"]
    if not lines:
        return None
    first, last = json.loads(lines[0]), json.loads(lines[-1])
    return RunningRun(journal.parent.name, first["at"], last["at"], RunProgress.of_json(last))
