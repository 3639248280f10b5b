"""Brings a database to the schema of this version, by the files in `sql/migrations` and `sql/views`.

A ledger in the database names each file applied with its hash, so that a database of another history
is refused rather than guessed at.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from headtrack import __version__
from headtrack.errors import StoreError
from headtrack.store.sql_files import sql_files, statements
from headtrack.store.transaction import transaction

LEDGER_TABLE = "headtrack_migration"
VIEWS_NUMBER = 0


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema.

    Attributes:
        number: from 1; 0 stands for all views.
        name: what it does.
        sql: its statements.
    """

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """Hash of its text."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def known_migrations() -> list[Migration]:
    """List the migrations of this version in order.

    >>> [m.number for m in known_migrations()][:1]
    [1]
    """
    found = []
    for file in sql_files("migrations"):
        number, _, name = file.name.removesuffix(".sql").partition("_")
        found.append(Migration(int(number), name, file.read_text(encoding="utf-8")))
    return found


def known_views() -> Migration:
    """Give all views of this version as one step, in order of their files."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in sql_files("views"))
    return Migration(VIEWS_NUMBER, "views", text)


def check_ours(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a database that holds tables but not headtrack's ledger.

    Raises:
        StoreError: it is foreign; nothing was changed.
    """
    tables = {row[0] for row in con.execute(statements("store")["user_objects"].sql).fetchall()}
    if tables and LEDGER_TABLE not in tables:
        some = ", ".join(sorted(tables)[:3])
        raise StoreError(
            f"{path} is a foreign database (it holds {some}), not headtrack's; "
            "it was left as it is: choose another --db"
        )


def check_current(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse to read a database of another schema than this version's.

    Raises:
        StoreError: it is older, newer, or of another history.
    """
    applied = _applied(con)
    missing = _missing(applied)
    if missing:
        raise StoreError(
            f"{path} has schema {max(applied, default=0)}, this headtrack ({__version__}) needs "
            f"{missing[-1].number}; `headtrack run` with --db {path} brings it up to date"
        )


def migrate(con: duckdb.DuckDBPyConnection) -> None:
    """Apply what the database has not seen, and make its views anew where they changed.

    All in one transaction: after a crash the database is as it was.

    Raises:
        StoreError: the database is newer than this version, or a migration was altered since.
    """
    applied = _applied(con)
    todo = _missing(applied)
    views = known_views()
    if todo or applied.get(VIEWS_NUMBER) != views.sha256:
        with transaction(con):
            con.execute(statements("store")["create_ledger"].sql)
            for step in [*todo, views]:
                _apply(con, step)


def _apply(con: duckdb.DuckDBPyConnection, step: Migration) -> None:
    con.execute(step.sql)
    entry = {
        "number": step.number,
        "name": step.name,
        "sha256": step.sha256,
        "at": datetime.now(UTC).replace(tzinfo=None),
        "version": __version__,
    }
    for name in ("forget_entry", "add_entry"):
        statement = statements("store")[name]
        con.execute(statement.sql, statement.pick(entry))


def _applied(con: duckdb.DuckDBPyConnection) -> dict[int, str]:
    """Give the hash of each step the database has seen, after checking it against this version's."""
    tables = {row[0] for row in con.execute(statements("store")["user_objects"].sql).fetchall()}
    if LEDGER_TABLE not in tables:
        return {}
    known = {m.number: m.sha256 for m in known_migrations()}
    applied = {}
    for number, name, sha256, version in con.execute(statements("store")["ledger"].sql).fetchall():
        applied[number] = sha256
        if number == VIEWS_NUMBER:
            continue
        if number not in known:
            raise StoreError(
                f"the database has schema {number} ({name}), made by headtrack {version}; this is "
                f"{__version__}, which knows up to {max(known)}: update headtrack"
            )
        if known[number] != sha256:
            raise StoreError(
                f"schema drift: migration {number} ({name}), applied by headtrack {version}, is not the one "
                f"of this headtrack ({__version__}); use the version that made the database, or a new --db"
            )
    return applied


def _missing(applied: dict[int, str]) -> list[Migration]:
    return [m for m in known_migrations() if m.number not in applied]
