"""`headtrack people`: who there is."""

from __future__ import annotations

from headtrack.cli.options import DEFAULT_DB, DbOption, FormatOption, VerboseOption
from headtrack.cli.output import Format, print_rows, rows_of


def people(
    db: DbOption = DEFAULT_DB, form: FormatOption = Format.table, verbose: VerboseOption = False
) -> None:
    """Print everybody, the most seen first.

    Gives screen time, where first and last seen, and the number of videos and looks. One frame
    alone says nothing of how long: who is seen in still images only has a screen time of 0 and
    comes after the others, by number of videos and images.

    \b
    Examples:
      headtrack people
      headtrack people --db people.duckdb --format csv
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.store.database import open_reader
    from headtrack.store.read import people as everybody

    with open_reader(db) as con:
        found = everybody(con)
    print_rows(rows_of(found), form)
