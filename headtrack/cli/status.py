"""`headtrack status`: what is stored, what failed and why, how far a run is."""

from __future__ import annotations

from headtrack.cli.options import DEFAULT_DB, DbOption, FormatOption, VerboseOption
from headtrack.cli.output import Format


def status(
    db: DbOption = DEFAULT_DB, form: FormatOption = Format.table, verbose: VerboseOption = False
) -> None:
    """Print the state of each video, and of a run that goes on.

    \b
    Examples:
      headtrack status --db people.duckdb
      headtrack status --format json
    """  # noqa: D301 (click's paragraph mark)
