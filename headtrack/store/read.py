"""Reads the database: what was done before, named queries, and the user's own SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import duckdb

from headtrack.errors import SettingsError, StoreError
from headtrack.identity.ids import TrackKey
from headtrack.store.sql_files import Statement, statements
from headtrack.store.transaction import store_error
from headtrack.types import Provenance

NOT_PROVIDED = re.compile(r"Values were not provided for .*parameters: (\w+)")
SURPLUS = re.compile(r"Parameter.argument.count mismatch")


@dataclass(frozen=True, slots=True)
class QueryRows:
    """What a query gave.

    Attributes:
        columns: names.
        types: DuckDB's type of each column.
        rows: the values.
        cut: there were more rows than asked for.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    cut: bool = False

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """A check that did not come back empty.

    Attributes:
        name: of the check.
        doc: what is wrong with the rows.
        found: the offending rows.
    """

    name: str
    doc: str
    found: QueryRows


def done_videos(con: duckdb.DuckDBPyConnection) -> dict[str, Provenance]:
    """Give what each analysed content depends on; a video of equal provenance need not be done again."""
    rows = _ask(con, "done_videos")
    return {
        video_id: Provenance(settings_hash, tuple(models), version, detection_hash, tracklet_hash)
        for video_id, settings_hash, models, version, detection_hash, tracklet_hash in rows
    }


def partial_videos(con: duckdb.DuckDBPyConnection) -> set[str]:
    """Give the contents that were analysed only up to where decoding failed."""
    return {video_id for (video_id,) in _ask(con, "partial_videos")}


def previous_people(con: duckdb.DuckDBPyConnection) -> dict[TrackKey, tuple[str, str]]:
    """Give person and appearance id of each track, for `name_people` to keep."""
    rows = _ask(con, "previous_people")
    return {(video_id, track): (person, appearance) for video_id, track, person, appearance in rows}


def query_names() -> list[str]:
    """List the named queries of `sql/queries`."""
    return list(statements("queries"))


def named_query(con: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, Any]) -> QueryRows:
    """Run a query of `sql/queries`.

    Args:
        con: from `open_reader`.
        name: of the query.
        values: of its `$parameters`; `person` is an id or a name that a user gave.

    Raises:
        SettingsError: there is no such query, or a parameter is missing.
        StoreError: there is nobody of that id or name, or there are several of that name.
    """
    statement = statements("queries").get(name)
    if statement is None:
        raise SettingsError(f"unknown query {name!r}; there are {', '.join(query_names())}")
    missing = [p for p in statement.parameters if p not in values]
    if missing:
        raise SettingsError(f"query {name} needs ${', $'.join(missing)}; give --param {missing[0]}=VALUE")
    if "person" in statement.parameters:
        values = {**values, "person": person_meant(con, values["person"])}
    return _run(con, statement, values)


def people(con: duckdb.DuckDBPyConnection) -> QueryRows:
    """List everybody, the most seen first."""
    return named_query(con, "people", {})


def timeline(con: duckdb.DuckDBPyConnection, person: str) -> QueryRows:
    """List when a person is on screen, and in which look.

    Args:
        con: from `open_reader`.
        person: an id or a name that a user gave.

    Raises:
        StoreError: there is nobody of that id or name, or there are several of that name.
    """
    return named_query(con, "timeline", {"person": person})


def person_meant(con: duckdb.DuckDBPyConnection, text: str) -> str:
    """Give the id of the one person whom an id or a name means.

    Raises:
        StoreError: there is nobody of that id or name, or there are several of that name.
    """
    found = [row[0] for row in _ask(con, "find_person", {"person": text})]
    if text in found:  # an id wins over a name that reads like one
        return text
    if not found:
        known = [str(word) for row in people(con).rows for word in row[:2] if word]  # ids and names
        near = get_close_matches(text, known)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        for now, reason in _ask(con, "merged_into", {"person": text}):
            hint = f"it was joined with {now} ({reason}): give that id; "
        raise StoreError(f"no person {text!r}; {hint}`headtrack people` lists them")
    if len(found) > 1:
        raise StoreError(f"{len(found)} people are called {text!r}: {', '.join(found)}; give one of the ids")
    return found[0]


def query(
    con: duckdb.DuckDBPyConnection,
    sql: str,
    *,
    parameters: Mapping[str, Any] | Sequence[Any] = (),
    limit: int | None = None,
) -> QueryRows:
    """Run one SELECT of the user's own. It sees this database and nothing else.

    Args:
        con: from `open_reader`, whose connection can neither write nor reach any file.
        sql: one statement: SELECT, WITH, FROM, VALUES, SHOW, DESCRIBE, SUMMARIZE or EXPLAIN.
        parameters: of the statement.
        limit: most rows to give; None for all.

    Raises:
        StoreError: it is no such statement, or DuckDB refuses it.
        SettingsError: its parameters are not those given.
    """
    try:
        parsed = con.extract_statements(sql)
        if len(parsed) != 1 or parsed[0].type not in (
            duckdb.StatementType.SELECT,
            duckdb.StatementType.EXPLAIN,
        ):
            kinds = ", ".join(str(s.type).removeprefix("StatementType.") for s in parsed) or "nothing"
            raise StoreError(f"a query is one SELECT, got {kinds}; the database is only read here")
        con.execute(sql, parameters)
        columns, types = _header(con)
        rows = con.fetchall() if limit is None else con.fetchmany(limit + 1)
    except duckdb.Error as error:
        raise _query_error(error) from error
    cut = limit is not None and len(rows) > limit
    return QueryRows(columns, types, rows[:limit], cut)


def run_checks(con: duckdb.DuckDBPyConnection) -> list[CheckFinding]:
    """Run `sql/checks`: nothing comes back from a sound database."""
    found = [(check, _run(con, check, {})) for check in statements("checks").values()]
    return [CheckFinding(check.name, check.doc, rows) for check, rows in found if len(rows)]


def _ask(
    con: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, Any] | None = None
) -> list[tuple[Any, ...]]:
    return _run(con, statements("store")[name], values or {}).rows


def _run(con: duckdb.DuckDBPyConnection, statement: Statement, values: Mapping[str, Any]) -> QueryRows:
    con.execute(statement.sql, statement.pick(values))
    columns, types = _header(con)
    return QueryRows(columns, types, con.fetchall())


def _header(con: duckdb.DuckDBPyConnection) -> tuple[tuple[str, ...], tuple[str, ...]]:
    description = con.description or []
    return tuple(d[0] for d in description), tuple(str(d[1]) for d in description)


def _query_error(error: duckdb.Error) -> StoreError | SettingsError:
    missing = NOT_PROVIDED.search(str(error))
    if missing:
        return SettingsError(f"the SQL has ${missing[1]} without a value; give --param {missing[1]}=VALUE")
    if SURPLUS.search(str(error)):
        return SettingsError("a parameter is given that the SQL has no $name for; leave its --param out")
    lines = [line for line in str(error).splitlines() if line.strip()]
    hint = next((line.strip() for line in lines[1:] if line.startswith(("Candidate", "Did you"))), "")
    if isinstance(error, duckdb.CatalogException) and "Table with name" in lines[0]:
        hint = "docs/sql.md lists the views, `SHOW TABLES` too"
    return StoreError(f"{store_error(error)}{f' ({hint})' if hint else ''}")
