"""All or nothing, and what DuckDB refused said in our own words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from headtrack.errors import StoreError, StoreLockedError

HOLDER = re.compile(r"lock is held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
NO_SPACE = re.compile(r"no space left|file too large|disk quota", re.IGNORECASE)


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Do all of the body or nothing of it.

    Raises:
        StoreError: DuckDB refused; nothing was changed.
    """
    try:
        con.begin()
        yield
        con.commit()
    except BaseException as error:
        # After a full disk DuckDB has rolled back by itself and says so by a second error.
        with suppress(duckdb.Error):
            con.rollback()
        if isinstance(error, duckdb.Error):
            raise store_error(error) from error
        raise


def store_error(error: duckdb.Error, path: Path | None = None) -> StoreError:
    """Say what DuckDB refused, with what to do about it."""
    name = f"database {path}" if path else "the database"
    text = str(error)
    first = text.splitlines()[0] if text else type(error).__name__
    holder = HOLDER.search(text)
    if holder:
        return StoreLockedError(
            f"{name} is held by process {holder['pid']} ({holder['program']}); "
            "wait until it has ended, or stop it, then try again"
        )
    if "different configuration" in text or "already attached" in text:
        return StoreLockedError(
            f"{name} is already open in this process ({os.getpid()}) in another way; close it first"
        )
    if NO_SPACE.search(text):
        return StoreError(
            f"{name} cannot be written: {first}; what was stored is kept: free some space and run again"
        )
    if "permission denied" in text.lower():
        return StoreError(f"{name}: {first}; give yourself the right to it or choose another --db")
    if "newer version of duckdb" in text.lower() or "version number" in text.lower():
        return StoreError(
            f"{name} was written by another version of DuckDB: {first}; update duckdb or choose another --db"
        )
    if isinstance(error, duckdb.IOException):
        return StoreError(f"{name} cannot be opened: {first}; choose another --db, in a place you can write")
    return StoreError(f"{name}: {first}")
