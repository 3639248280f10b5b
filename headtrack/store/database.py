"""Opens the database: one writer at a time, readers shut out of everything but the database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from headtrack.errors import StoreError, StoreLockedError
from headtrack.log import LOGGER
from headtrack.store.migrate import check_current, check_ours, migrate
from headtrack.store.transaction import store_error

Connection = duckdb.DuckDBPyConnection  # the word for those who may not import duckdb

LOCK_WAIT_S = 5.0
LOCK_POLL_S = 0.1
# "DUCK" stands at byte 8 of every DuckDB file. Source: duckdb.org/docs, Storage, "Storage Format".
MAGIC_OFFSET, MAGIC = 8, b"DUCK"

# Nobody's SQL, ours included, opens another file, loads an extension or sees Python's variables.
# Parquet parts come in as Arrow tables that are registered by name.
CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}


@contextmanager
def open_writer(path: Path, *, wait_s: float = LOCK_WAIT_S) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the database for writing, made or brought up to date where needed.

    Args:
        path: the DuckDB file; made where it does not exist.
        wait_s: how long to wait for another process to let go.

    Raises:
        StoreLockedError: another process holds it.
        StoreError: the file is not headtrack's (it is left as it is), is of a newer schema, or
            cannot be written.
    """
    existed = path.exists()
    _check_file(path)
    if existed:
        # A foreign database must not even be opened for writing: DuckDB would rewrite its header.
        with _connection(path, read_only=True, wait_s=wait_s) as con:
            check_ours(con, path)
    with _connection(path, read_only=False, wait_s=wait_s) as con:
        check_ours(con, path)
        migrate(con)
        yield con


@contextmanager
def open_reader(path: Path, *, wait_s: float = LOCK_WAIT_S) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the database for reading only.

    Args:
        path: the DuckDB file.
        wait_s: how long to wait for a writer to let go.

    Raises:
        StoreLockedError: a writer still holds it.
        StoreError: it does not exist, is not headtrack's, or is of another schema.
    """
    check_exists(path)
    _check_file(path)
    with _connection(path, read_only=True, wait_s=wait_s) as con:
        check_ours(con, path)
        check_current(con, path)
        yield con


def check_exists(path: Path) -> None:
    """Refuse a database that does not exist; `open_writer` would make it.

    Raises:
        StoreError: there is none.
    """
    if not path.exists():
        raise StoreError(f"database {path} does not exist; run `headtrack run PATH... --db {path}` first")


@contextmanager
def open_scratch() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a new database in memory, of which nothing is kept."""
    with duckdb.connect(config=CLOSED) as con:
        migrate(con)
        yield con


def _check_file(path: Path) -> None:
    """Refuse, without touching it, what cannot be a DuckDB file."""
    if path.is_dir():
        raise StoreError(f"database {path} is a folder; give the path of a file to --db")
    if not path.exists():
        if not path.parent.is_dir():
            raise StoreError(
                f"database {path} cannot be made: there is no folder {path.parent}; "
                "make it first or choose another --db"
            )
        return
    try:
        with path.open("rb") as file:
            head = file.read(MAGIC_OFFSET + len(MAGIC))
    except OSError as error:
        raise StoreError(
            f"database {path} cannot be read: {error.strerror}; give yourself the right to it "
            "or choose another --db"
        ) from error
    if head[MAGIC_OFFSET:] != MAGIC:
        raise StoreError(
            f"{path} is a foreign file, not a DuckDB database; it was left as it is: choose another --db"
        )


@contextmanager
def _connection(path: Path, *, read_only: bool, wait_s: float) -> Iterator[duckdb.DuckDBPyConnection]:
    started, told = time.monotonic(), False
    while True:
        try:
            con = duckdb.connect(str(path), read_only=read_only, config=CLOSED)
            break
        except duckdb.Error as error:
            refused = store_error(error, path)
            waited_s = time.monotonic() - started
            if not isinstance(refused, StoreLockedError) or waited_s >= wait_s:
                raise refused from error
            if waited_s >= LOCK_WAIT_S and not told:
                told = True
                LOGGER.warning("%s; waiting up to %.0f s for it", refused, wait_s)
        time.sleep(LOCK_POLL_S)
    try:
        yield con
    except duckdb.Error as error:
        raise store_error(error, path) from error
    finally:
        con.close()
