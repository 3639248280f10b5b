"""Forgets a person: rows, bytes in the file, and parts of runs; a receipt stays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from headtrack.errors import StoreError
from headtrack.pipeline.commit import commit_leftovers
from headtrack.pipeline.status import run_in_progress
from headtrack.store.database import open_reader, open_writer
from headtrack.store.forget import PersonExtent, Receipt, erase_person, person_extent, unclustered_tracks
from headtrack.store.kept import remove_all_kept
from headtrack.store.rewrite import checkpoint, remove_beside, rewrite
from headtrack.store.span_spool import remove_all_spans
from headtrack.store.spool import remove_half_parts, run_folder


@dataclass(frozen=True, slots=True)
class ToForget:
    """What forgetting a person would erase.

    Attributes:
        extent: how much there is of the person.
        unclustered_tracks: tracks of which it is not known whom they show; they stay.
    """

    extent: PersonExtent
    unclustered_tracks: int


def what_to_forget(db: Path, person: str) -> ToForget:
    """Say what `forget_person` would erase, and change nothing.

    Args:
        db: the DuckDB file.
        person: an id, or a name that a user gave.

    Raises:
        StoreError: there is no such person, or the database cannot be read.
    """
    with open_reader(db) as con:
        return ToForget(person_extent(con, person), unclustered_tracks(con))


def forget_person(db: Path, person: str) -> Receipt:
    """Erase a person from the database, its file and its run folder.

    What interrupted runs finished is committed first, so that it is erased as well. The file is then
    written anew and takes the old one's place at once and whole.

    Args:
        db: the DuckDB file.
        person: an id, or a name that a user gave.

    Returns:
        The receipt, as the database keeps it.

    Raises:
        StoreError: a run goes on, there is no such person, the database is locked, or the disk is full;
            nobody was forgotten.
    """
    with open_reader(db):  # a wrong path is told before anything is made or changed
        pass
    run = run_in_progress(db)
    if run is not None and not run.run_id.endswith(f"-{os.getpid()}"):
        pid = run.run_id.rpartition("-")[2]
        raise StoreError(
            f"run {run.run_id} goes on over {db} (process {pid}) and may bring the person back; wait until "
            "`headtrack status` says that it is over, or stop it, then try again"
        )
    commit_leftovers(db)
    remove_half_parts(db)
    for run_dir in run_folder(db, "x").parent.glob("*/"):
        remove_all_spans(run_dir)
        remove_all_kept(run_dir)
    with open_writer(db) as con:
        extent = person_extent(con, person)
        checkpoint(con)
    receipt = rewrite(db, lambda con: erase_person(con, extent.person))
    remove_beside(db)
    return receipt
