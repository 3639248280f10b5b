"""What the database holds, from the comments in its own SQL; `docs/sql.md` is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb

from headtrack.store.migrate import migrate
from headtrack.store.sql_files import statements


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, view or query.

    Attributes:
        name: of the column.
        type: DuckDB's name of it.
        comment: what it holds; empty for the columns of queries and checks.
    """

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class Described:
    """One table, view, query or check.

    Attributes:
        kind: `table`, `view`, `query` or `check`.
        name: of it.
        comment: what it is for.
        columns: in order.
        parameters: `$parameters` of a query.
    """

    kind: str
    name: str
    comment: str
    columns: tuple[Column, ...]
    parameters: tuple[str, ...] = ()


def describe_database() -> list[Described]:
    """List all tables, then views, queries and checks, each by name, as a new database has them.

    >>> [d.name for d in describe_database() if d.kind == "view"][:2]
    ['appearance_timeline', 'co_occurrence']
    """
    with duckdb.connect() as con:
        migrate(con)
        return [
            *_relations(con, "table"),
            *_relations(con, "view"),
            *_statements(con, "query", "queries"),
            *_statements(con, "check", "checks"),
        ]


def _relations(con: duckdb.DuckDBPyConnection, kind: str) -> Iterator[Described]:
    rows = con.execute(statements("store")["describe_relations"].sql, {"kind": kind}).fetchall()
    for name, comment in rows:
        columns = con.execute(statements("store")["describe_columns"].sql, {"name": name}).fetchall()
        yield Described(kind, name, comment or "", tuple(Column(n, t, c or "") for n, t, c in columns))


def _statements(con: duckdb.DuckDBPyConnection, kind: str, folder: str) -> Iterator[Described]:
    for statement in statements(folder).values():
        con.execute(statement.sql, dict.fromkeys(statement.parameters))
        columns = tuple(Column(d[0], str(d[1]), "") for d in con.description or [])
        yield Described(kind, statement.name, statement.doc, columns, statement.parameters)
