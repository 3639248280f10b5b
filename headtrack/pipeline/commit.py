"""Brings what workers wrote into the database: whole parts, failures, further paths."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from headtrack.log import LOGGER
from headtrack.pipeline.prune import prune_rewrites
from headtrack.pipeline.status import is_alive
from headtrack.store.database import LOCK_WAIT_S, open_writer
from headtrack.store.ingest import ingest_failure, ingest_path, ingest_video
from headtrack.store.remote import note_remote
from headtrack.store.spool import complete_parts, remove_part, run_folder
from headtrack.types import RemoteFile, VideoFailure

# A run of many hours does not end because somebody clusters, or has left a shell open that reads.
COMMIT_WAIT_S = 600.0


def commit_leftovers(db: Path) -> None:
    """Commit parts that an earlier run finished but did not live to commit.

    A run that still goes on beside this one, on this machine, commits its parts itself.
    """
    prune_rewrites(db)
    for run_dir in sorted(run_folder(db, "x").parent.glob("*/")):
        if is_alive(run_dir.name) and not run_dir.name.endswith(f"-{os.getpid()}"):
            continue
        for part in complete_parts(run_dir):
            LOGGER.info("committing %s of an interrupted run", part)
            commit_part(db, part, wait_s=LOCK_WAIT_S)  # nothing is begun that could be lost


def commit_part(db: Path, part: Path, *, wait_s: float = COMMIT_WAIT_S) -> int:
    """Commit one part and remove it; tell 1 where the video broke off."""
    with open_writer(db, wait_s=wait_s) as con:
        partial = ingest_video(con, part)
    remove_part(part)
    return int(partial)


def commit_failure(db: Path, failure: VideoFailure) -> None:
    """Record a failure; the caller tells the user of it, once, from the report."""
    LOGGER.info("recording a failure at step %s: %s", failure.step, failure.message)
    with open_writer(db, wait_s=COMMIT_WAIT_S) as con:
        ingest_failure(con, failure)


def commit_remote(db: Path, content: Mapping[RemoteFile, str]) -> None:
    """Note what lies behind URLs, so that it is known again without being fetched."""
    if content:
        with open_writer(db, wait_s=COMMIT_WAIT_S) as con:
            note_remote(con, content)


def commit_paths(
    db: Path, also_at: list[tuple[str, str]], failures: list[VideoFailure]
) -> list[VideoFailure]:
    """Note further paths of known contents; where the content failed, so does each of its paths."""
    reason = {f.video_id: f for f in failures if f.video_id}
    copies = [replace(reason[v], path=path) for v, path in also_at if v in reason]
    for failure in copies:
        commit_failure(db, failure)
    known = [(v, path) for v, path in also_at if v not in reason]
    if known:
        with open_writer(db, wait_s=COMMIT_WAIT_S) as con:
            for video_id, path in known:
                ingest_path(con, video_id, path)
    return copies
