"""Writes a database file anew: DuckDB leaves deleted rows in the file's free pages."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from headtrack.errors import StoreError, StoreLockedError
from headtrack.store.database import LOCK_POLL_S, LOCK_WAIT_S
from headtrack.store.sql_files import statements
from headtrack.store.transaction import store_error

Given = TypeVar("Given")
WORK_MARK = ".rewrite-"
# Files that DuckDB may leave beside a database: its log, and what it moved out of memory.
BESIDE = (".wal", ".tmp")


def rewrite(path: Path, change: Callable[[duckdb.DuckDBPyConnection], Given]) -> Given:
    """Change a database and put a new file with the result, and with nothing else, in its place.

    The old file is not written to: a copy of it is changed, copied once more without free pages, checked,
    and renamed into place. Whatever happens in between, the old file stays whole, and the folder of work
    beside it (`NAME.rewrite-PID`) can go. Nobody else can write the database meanwhile. The disk must
    hold the database three times.

    Args:
        path: the DuckDB file, at this version's schema, with nothing in its log (`CHECKPOINT`).
        change: changes the copy.

    Returns:
        What `change` returned.

    Raises:
        StoreLockedError: another process holds it.
        StoreError: the disk is full, or the new file is not what it should be; the database is as it was.
    """
    path = path.resolve()  # where the name is a link, the file behind it is replaced
    work = path.with_name(f"{path.name}{WORK_MARK}{os.getpid()}")
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir()
        with _attached(path, work) as con:
            try:
                given = _rewritten(con, work, change)
            except duckdb.Error as error:
                raise store_error(error, path) from error
            log = path.with_name(path.name + ".wal")
            if log.exists():
                raise StoreLockedError(f"{path} was written to meanwhile ({log} is there); try again")
            _put_in_place(work / "fresh", path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written anew ({error.strerror or error}); it is as it was: free some space, "
            "or give yourself the right to its folder, and try again"
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return given


def checkpoint(con: duckdb.DuckDBPyConnection) -> None:
    """Write what the log holds into the database file."""
    _do(con, "checkpoint")


def work_folders(path: Path) -> list[tuple[Path, int]]:
    """List the folders of work beside a database with the process that made each."""
    path = path.resolve()
    found = []
    for folder in path.parent.iterdir() if path.parent.is_dir() else ():
        name, mark, pid = folder.name.rpartition(WORK_MARK)
        if mark and name == path.name and pid.isdecimal():
            found.append((folder, int(pid)))
    return sorted(found)


def remove_beside(path: Path) -> None:
    """Remove what a process that crashed left of memory beside the database; nobody may have it open."""
    shutil.rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)


@contextmanager
def _attached(path: Path, work: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection that holds the old database against writers and reaches nothing but it and `work`."""
    with duckdb.connect() as con:
        _do(con, "allow_paths", paths=[str(path), str(path) + ".wal"])
        _do(con, "allow_folders", folders=[f"{work}{os.sep}"])
        _do(con, "set_temp_folder", folder=str(work / "memory"))
        _do(con, "close_to_files")
        _do(con, "lock_settings")
        deadline = time.monotonic() + LOCK_WAIT_S
        while True:
            try:
                _do(con, "attach_old", path=str(path))
                break
            except duckdb.Error as error:
                refused = store_error(error, path)
                if not isinstance(refused, StoreLockedError) or time.monotonic() >= deadline:
                    raise refused from error
            time.sleep(LOCK_POLL_S)
        yield con


def _rewritten(
    con: duckdb.DuckDBPyConnection, work: Path, change: Callable[[duckdb.DuckDBPyConnection], Given]
) -> Given:
    """Write the changed database to `work/fresh`."""
    _do(con, "attach_changed", path=str(work / "changed"))
    _do(con, "copy_to_changed")
    _do(con, "use_changed")
    given = change(con)
    _do(con, "checkpoint_changed")
    _do(con, "attach_fresh", path=str(work / "fresh"))
    _do(con, "use_memory")
    _do(con, "copy_to_fresh")
    _check_equal(con)
    _do(con, "detach_fresh")
    _do(con, "detach_changed")
    return given


def _check_equal(con: duckdb.DuckDBPyConnection) -> None:
    """Compare what is defined in the old and the new database, and the rows of the changed and the new."""
    old, fresh = (_ask(con, "schema_of", database=name) for name in ("old", "fresh"))
    if old != fresh:
        odd = sorted({str(row[1]) for row in set(old) ^ set(fresh)})
        raise StoreError(
            f"the database cannot be written anew without loss: {', '.join(odd[:3])} would not be the same; "
            "it is as it was: drop what you added to it yourself, or report this"
        )
    for schema, table in _ask(con, "tables_of", database="changed"):
        counts = [
            _ask(con, "row_count", table=f'"{name}"."{schema}"."{table}"') for name in ("changed", "fresh")
        ]
        if counts[0] != counts[1]:
            raise StoreError(
                f"the database was not written anew in full: {table} has {counts[1][0][0]} rows instead of "
                f"{counts[0][0][0]}; it is as it was: try again, or report this"
            )


def _put_in_place(fresh: Path, path: Path) -> None:
    shutil.copymode(path, fresh)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(fresh, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _do(con: duckdb.DuckDBPyConnection, name: str, **values: Any) -> None:
    con.execute(statements("store")[name].sql, values or None)


def _ask(con: duckdb.DuckDBPyConnection, name: str, **values: Any) -> list[tuple[Any, ...]]:
    _do(con, name, **values)
    return con.fetchall()
