"""Removes the folders of runs that are over, but for the latest."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

from headtrack.log import LOGGER
from headtrack.pipeline.status import JOURNAL, SILENT_S, is_alive, read_journal
from headtrack.store.kept import remove_all_kept
from headtrack.store.rewrite import work_folders
from headtrack.store.span_spool import remove_all_spans
from headtrack.store.spool import complete_parts, run_folder

KEPT_RUNS = 10
# As `run_archive` names them; anything else in the folder is not ours to remove.
RUN_ID = re.compile(r"\d{8}T\d{6}-\d+")


def prune_runs(db: Path, *, keep: int = KEPT_RUNS, now: float | None = None) -> None:
    """Remove what old runs left: spans, kept heads, and folders that hold nothing any more but a journal.

    A folder stays where it holds parts that are not in the database yet, or where its run may
    still go on, here or on another machine.

    Args:
        db: the DuckDB file.
        keep: number of folders to keep of those that could go, the latest.
        now: seconds since the epoch; None takes the clock.
    """
    now = time.time() if now is None else now
    runs = run_folder(db, "x").parent
    over = [
        run_dir
        for run_dir in sorted(runs.glob("*/"), reverse=True)
        if RUN_ID.fullmatch(run_dir.name) and _is_over(run_dir, now)
    ]
    for run_dir in over:
        remove_all_spans(run_dir)
        remove_all_kept(run_dir)
    for run_dir in [run_dir for run_dir in over if not complete_parts(run_dir)][keep:]:
        LOGGER.info("removing %s, the folder of an old run", run_dir)
        shutil.rmtree(run_dir, ignore_errors=True)


def prune_rewrites(db: Path) -> None:
    """Remove what a `headtrack forget` that died left beside the database, which it did not change."""
    for folder, pid in work_folders(db):
        if not is_alive(f"-{pid}") or pid == os.getpid():
            LOGGER.warning("removing %s: a `headtrack forget` died, and nothing was forgotten", folder)
            shutil.rmtree(folder, ignore_errors=True)


def _is_over(run_dir: Path, now: float) -> bool:
    """Say whether a run did all it had to do, or died."""
    run = read_journal(run_dir / JOURNAL)
    if run is None:  # it died, or is about to write its first line
        return not is_alive(run_dir.name) and now - run_dir.stat().st_mtime >= SILENT_S
    said = run.progress
    if said.videos_done + said.videos_skipped + said.videos_failed >= said.videos_total:
        return True
    return not is_alive(run_dir.name) and now - run.said_at >= SILENT_S
