"""`headtrack query`: ask the database in SQL, read-only."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from headtrack.cli.options import DEFAULT_DB, DbOption, FormatOption, VerboseOption
from headtrack.cli.output import Format, print_rows, rows_of
from headtrack.errors import SettingsError


def query(
    sql: Annotated[str | None, typer.Argument(metavar="[SQL]", help="One SELECT statement.")] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="QUERY", help="Run one of the named queries of docs/sql.md instead."),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="KEY=VALUE", help="Value of a $KEY in the SQL. May be repeated."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=0, metavar="ROWS", help="Print at most this many rows; 0 prints the columns alone."
        ),
    ] = None,
    db: DbOption = DEFAULT_DB,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Ask the database in SQL, read-only.

    The query reaches no file but the database. docs/sql.md describes the views. Values belong
    into $parameters, not into the text. Of columns of one name, the later ones are printed with a
    number: a, a_2.

    \b
    Examples:
      headtrack query "SELECT person, screen_time_s FROM person_summary"
      headtrack query "SELECT * FROM shot_people WHERE person = \\$who" --param who=p_ou4o2wjm
      headtrack query --name looks --param person=p_ou4o2wjm --format json
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.store import read
    from headtrack.store.database import open_reader

    if (sql is None) == (name is None):
        got = "neither" if sql is None else "both"
        raise SettingsError(f"`headtrack query` takes either SQL or --name QUERY, got {got}; give one")
    parameters = _parameters(param or [])
    if name is not None:
        _check_taken(name, parameters)
    with open_reader(db) as con:
        if name is not None:
            found = read.named_query(con, name, parameters)
        else:
            found = read.query(con, sql or "", parameters=parameters, limit=limit)
    print_rows(rows_of(found, limit), form)
    if found.cut or (limit is not None and len(found) > limit):
        print(_cut_message(limit or 0), file=sys.stderr)


def _cut_message(limit: int) -> str:
    if not limit:
        return "no row is printed, as --limit 0 says; there is at least one"
    rows = "row is" if limit == 1 else f"{limit} rows are"
    return f"only the first {rows} printed, as --limit {limit} says; there are more"


def _parameters(texts: list[str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for text in texts:
        key, value = _parameter(text)
        if key in parameters:
            raise SettingsError(
                f"--param {key} is given twice ({parameters[key]!r}, {value!r}); give it once"
            )
        parameters[key] = value
    return parameters


def _check_taken(name: str, parameters: Mapping[str, str]) -> None:
    """Refuse values that a named query does not take; that there is such a query is checked later."""
    from headtrack.store.sql_files import statements

    statement = statements("queries").get(name)
    foreign = [key for key in parameters if statement and key not in statement.parameters]
    if statement and foreign:
        takes = ", ".join(f"${key}" for key in statement.parameters) or "no parameter"
        raise SettingsError(f"query {name} takes {takes}, got --param {foreign[0]}; leave it out")


def _parameter(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise SettingsError(f"--param {text!r} is not of the form KEY=VALUE, as in --param person=p_ou4o2wjm")
    return key, value
