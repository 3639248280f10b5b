"""`headtrack timeline`: when one person is on screen."""

from __future__ import annotations

from typing import Annotated

import typer

from headtrack.cli.options import DEFAULT_DB, DbOption, FormatOption, VerboseOption
from headtrack.cli.output import Format, print_rows, rows_of


def timeline(
    person: Annotated[
        str, typer.Argument(metavar="PERSON", help="An id as `headtrack people` prints it, or a given name.")
    ],
    db: DbOption = DEFAULT_DB,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Print when one person is on screen.

    Gives look, video, from, to, and how much of it is seen from behind.

    \b
    Examples:
      headtrack timeline p_ou4o2wjm
      headtrack timeline p_ou4o2wjm --db people.duckdb --format json
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.store.database import open_reader
    from headtrack.store.read import timeline as stays

    with open_reader(db) as con:
        found = stays(con, person)
    print_rows(rows_of(found), form)
