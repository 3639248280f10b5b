"""Erases one person from an opened database, and keeps a receipt that nobody can be recognised by."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from headtrack import __version__
from headtrack.ops.places import salted_places
from headtrack.store.read import person_meant
from headtrack.store.sql_files import file_statements, sql_folder, statements
from headtrack.store.transaction import transaction

SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class PersonExtent:
    """How much a database holds of one person.

    Attributes:
        person: id.
        name: that a user gave; None where nobody did.
        videos: contents the person is seen in.
        tracks: in all of them.
        heads: boxes, detected and interpolated.
        crops: embedded crops.
    """

    person: str
    name: str | None
    videos: int
    tracks: int
    heads: int
    crops: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is kept of a person who was erased.

    Attributes:
        receipt: number, from 1.
        forgotten_at: UTC, without zone.
        videos: contents the person was seen in.
        tracks: erased.
        heads: boxes erased.
        crops: embedded crops erased.
        digest: HMAC-SHA-256 of the id under the receipt's salt.
    """

    receipt: int
    forgotten_at: datetime
    videos: int
    tracks: int
    heads: int
    crops: int
    digest: str


def person_extent(con: duckdb.DuckDBPyConnection, person: str) -> PersonExtent:
    """Say how much there is of a person.

    Args:
        con: from `open_reader` or `open_writer`.
        person: an id, or a name that a user gave to one person alone.

    Raises:
        StoreError: there is nobody of that id or name, or there are several.
    """
    return PersonExtent(*_ask(con, "forget_counts", person=person_meant(con, person))[0])


def unclustered_tracks(con: duckdb.DuckDBPyConnection) -> int:
    """Count the tracks that no clustering has seen: whoever they show is not known yet."""
    return int(_ask(con, "unclustered_tracks")[0][0])


def erase_person(con: duckdb.DuckDBPyConnection, person: str) -> Receipt:
    """Take every row of a person out, and keep counts and salted hashes of where they were.

    The rows leave their bytes in the file's free pages; `store.rewrite` gets rid of those.

    Args:
        con: a database that can be written.
        person: an id.
    """
    salt = secrets.token_bytes(SALT_BYTES)
    with transaction(con):
        _do_file(con, "forget_mark.sql", person)
        number, videos, tracks, heads, crops = _ask(con, "forgotten_counts")[0]
        places = pa.concat_tables(_places(con, number, salt))
        _do_file(con, "forget_erase.sql", person)
        digest = hmac.digest(salt, person.encode(), "sha256").hex()
        receipt = Receipt(
            number, datetime.now(UTC).replace(tzinfo=None), videos, tracks, heads, crops, digest
        )
        _do(con, "add_receipt", **asdict(receipt), version=__version__, salt=salt, places=len(places))
        con.register("part_forgotten_place", places)
        try:
            _do(con, "add_places")
        finally:
            con.unregister("part_forgotten_place")
    return receipt


def _places(con: duckdb.DuckDBPyConnection, receipt: int, salt: bytes) -> Iterator[pa.Table]:
    """Give the salted places of the marked boxes, a table a content; an empty one first."""
    types = pa.schema([("receipt", pa.int32()), ("video_id", pa.string()), ("place", pa.uint64())])
    yield types.empty_table()
    _do(con, "forgotten_boxes")
    boxes = con.fetchnumpy()
    video_id = np.asarray(boxes["video_id"]).astype(np.str_)
    xyxy = np.stack([np.asarray(boxes[name]) for name in ("x1", "y1", "x2", "y2")], axis=1)
    for video in np.unique(video_id):
        rows = video_id == video
        places = salted_places(str(video), np.asarray(boxes["time_s"])[rows], xyxy[rows], salt=salt)
        yield pa.table(
            [
                pa.repeat(pa.scalar(receipt, pa.int32()), len(places)),
                pa.repeat(str(video), len(places)),
                places,
            ],
            schema=types,
        )


def _do_file(con: duckdb.DuckDBPyConnection, file: str, person: str) -> None:
    for statement in file_statements(sql_folder() / "store" / file):
        con.execute(statement.sql, statement.pick({"person": person}))


def _do(con: duckdb.DuckDBPyConnection, name: str, **values: Any) -> None:
    con.execute(statements("store")[name].sql, values or None)


def _ask(con: duckdb.DuckDBPyConnection, name: str, **values: Any) -> list[tuple[Any, ...]]:
    _do(con, name, **values)
    return con.fetchall()
