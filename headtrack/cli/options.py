"""Options that several commands share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headtrack.cli.output import Format
from headtrack.errors import SettingsError
from headtrack.log import set_up_logging

DEFAULT_DB = Path("people.duckdb")


def _verbose(value: bool) -> bool:
    set_up_logging(value)
    return value


def _database(value: Path) -> Path:
    if value == Path():  # what an empty word becomes
        raise SettingsError("--db is empty or a folder; is a shell variable unset? name the database's file")
    return value


DbOption = Annotated[
    Path,
    typer.Option(
        "--db",
        callback=_database,
        envvar="HEADTRACK_DB",
        help="The DuckDB database of people.",
        metavar="FILE",
        show_envvar=True,
    ),
]
FormatOption = Annotated[
    Format, typer.Option("--format", help="How stdout is written: for people, or for programs.")
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A TOML file of settings; headtrack.toml of the working folder where not given.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="SECTION.KEY=VALUE", help="Change one setting; wins over the file. May be repeated."
    ),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "-v", "--verbose", callback=_verbose, help="Log every step to stderr; show tracebacks of errors."
    ),
]
