"""`headtrack forget`: erase one person."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from headtrack.cli.options import DEFAULT_DB, DbOption, FormatOption, VerboseOption
from headtrack.cli.output import Format, Rows, print_rows


def forget(
    person: Annotated[
        str, typer.Argument(metavar="PERSON", help="An id as `headtrack people` prints it, or a given name.")
    ],
    yes: Annotated[
        bool, typer.Option("--yes", help="Erase; without it, only what would go is said.")
    ] = False,
    db: DbOption = DEFAULT_DB,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Erase one person for good: embeddings, boxes, tracks, id and name.

    Without --yes prints what would go. With it, erases the person's rows and the corrections that
    name the person, writes the database file anew so that their bytes are gone from it, clears its
    run folder of unfinished results, and prints the receipt that stays: counts and a salted hash of
    the id, nothing to recognise anybody by (`headtrack query --name receipts` lists them).
    Analysing the same files again does not bring the person back; a new video of theirs makes a new
    person, since nothing is kept to know them by. The video files, your own exports and backups,
    and what snapshots or SSDs keep of the old file are not touched. The disk must hold the database
    three times.

    \b
    Examples:
      headtrack forget p_ou4o2wjm
      headtrack forget p_ou4o2wjm --yes --db people.duckdb --format json
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline.forget import forget_person, what_to_forget

    planned = what_to_forget(db, person)
    row = asdict(forget_person(db, person) if yes else planned.extent)
    print_rows(Rows(tuple(row), [tuple(row.values())]), form)
    if planned.unclustered_tracks:
        tracks = (
            "1 track is" if planned.unclustered_tracks == 1 else f"{planned.unclustered_tracks} tracks are"
        )
        print(
            f"{tracks} of nobody yet and may show the person: run `headtrack cluster`, then look again",
            file=sys.stderr,
        )
    if not yes:
        print("nothing was erased; --yes erases all of it", file=sys.stderr)
