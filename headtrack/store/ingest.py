"""Writes the database: one transaction a video, one for each clustering of everybody.

Ingesting deletes and inserts, so that doing it twice is the same as once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from headtrack import __version__
from headtrack.errors import ModelError, StoreError
from headtrack.identity.ids import TrackIds, TrackKey
from headtrack.store.forgotten import forgotten_in
from headtrack.store.looks import look_table
from headtrack.store.registered import registered, track_table
from headtrack.store.spool import read_crops, read_part
from headtrack.store.sql_files import file_statements, sql_folder, statements
from headtrack.store.tables import CROP_TABLE, crop_tables, database_text, result_tables
from headtrack.store.transaction import transaction
from headtrack.types import IdentityTree, TrackGallery, VideoFailure, VideoResult


@dataclass(frozen=True, slots=True)
class Cause:
    """Why everybody is clustered again, where it is a person's word.

    Attributes:
        reason: `correction N` or `undo of correction N`.
        tracks: the tracks it speaks of; what happens to other people has other reasons.
    """

    reason: str
    tracks: frozenset[TrackKey]


NEW_EVIDENCE = Cause("new evidence", frozenset())


@dataclass(frozen=True, slots=True)
class Clustering:
    """How people were told apart.

    Attributes:
        method: of `IdentitySettings`.
        settings: every setting of it, for the record.
        cause: why.
    """

    method: str
    settings: Mapping[str, Any]
    cause: Cause = NEW_EVIDENCE


def ingest_video(con: duckdb.DuckDBPyConnection, part: Path) -> bool:
    """Put one analysed video into the database, in the place of what was there of its content.

    Its tracks keep the people they had where their boxes lie where they lay; else they have none
    until everybody is clustered again. What lies where a forgotten person was is left out. A content that no
    path holds any more is deleted.

    Args:
        con: from `open_writer`.
        part: a folder that `write_parts` gave.

    Returns:
        True where only the beginning of the video could be read.

    Raises:
        ModelError: the embeddings are of another width than those in the database.
        StoreError: the part is damaged or the database cannot be written; nothing was changed.
    """
    return _ingest_tables(con, read_part(part), read_crops(part))


def ingest_result(con: duckdb.DuckDBPyConnection, result: VideoResult) -> bool:
    """Do the same with a result at hand, without a part on disk."""
    return _ingest_tables(con, result_tables(result), crop_tables(result))


def _ingest_tables(
    con: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table], crops: Iterator[pa.Table]
) -> bool:
    row = {name: tables["video"][name][0].as_py() for name in ("video_id", "path", "status")}
    forgotten = forgotten_in(con, tables)
    kept = {name: forgotten.strip(name, table) for name, table in tables.items()}
    with registered(con, kept), transaction(con):
        _do(con, "remember_people", row)
        _do_file(con, "delete_video.sql", row)
        _do_file(con, "insert_video.sql", row)
        _insert_crops(con, (forgotten.strip(CROP_TABLE, piece) for piece in crops), row["video_id"])
        _do(con, "carry_people", row)
        _move_path(con, row)
    return row["status"] == "partial"


def ingest_path(con: duckdb.DuckDBPyConnection, video_id: str, path: str) -> None:
    """Note that a content already in the database also lies at `path`.

    Raises:
        StoreError: the content is not in the database.
    """
    row = {"video_id": video_id, "path": database_text(path)}
    with transaction(con):
        if not _ask(con, "known_video", row):
            raise StoreError(f"video {video_id} of {path} is not in the database; analyse it first")
        _move_path(con, row)


def ingest_failure(con: duckdb.DuckDBPyConnection, failure: VideoFailure) -> None:
    """Note that a file gave nothing; what an earlier run found at its path is kept."""
    row = {
        "path": database_text(failure.path),
        "video_id": failure.video_id or None,
        "step": failure.step,
        "error": failure.error,
        "message": database_text(failure.message),
        "at": _now(),
    }
    with transaction(con):
        _do(con, "forget_failure", row)
        _do(con, "add_failure", row)


def ingest_identities(
    con: duckdb.DuckDBPyConnection,
    gallery: TrackGallery,
    tree: IdentityTree,
    ids: TrackIds,
    clustering: Clustering,
) -> None:
    """Put a clustering of all tracks in the place of the one before, and record who became whom.

    Names that users gave go to whoever holds most of the tracks that were named.

    Args:
        con: from `open_writer`.
        gallery: names the tracks.
        tree: aligned with `gallery`.
        ids: of `name_people`, aligned with `gallery`.
        clustering: how it was made.
    """
    if not len(gallery) == len(tree) == len(ids):
        raise ValueError(f"{len(gallery)} tracks, {len(tree)} identities, {len(ids)} ids; must be equal")
    rows = pa.table(
        {
            "video_id": pa.array(gallery.video_id.tolist(), pa.string()),
            "track": gallery.track,
            "person": pa.array(ids.person.tolist(), pa.string()),
            "appearance": pa.array(ids.appearance.tolist(), pa.string()),
            "strength": tree.strength,
        }
    )
    run = {
        "at": _now(),
        "method": clustering.method,
        "settings": json.dumps(dict(clustering.settings), sort_keys=True),
        "version": __version__,
        "reason": clustering.cause.reason,
    }
    tables = {
        "track_identity": rows,
        "concerned": track_table(sorted(clustering.cause.tracks)),
        "track_look": look_table(gallery, ids),
    }
    with registered(con, tables), transaction(con):
        _do(con, "add_changes", run)
        _do(con, "clear_track_identities", {})
        _do(con, "insert_track_identities", {})
        _do(con, "clear_track_looks", {})
        _do(con, "insert_track_looks", {})
        _do(con, "insert_people", {})
        for name in ("find_name_holders", "clear_given_names", "give_names"):
            _do(con, name, {})
        _do(con, "forget_unnamed_people", {})
        _do(con, "add_identity_run", run)


def delete_video(con: duckdb.DuckDBPyConnection, video_id: str) -> None:
    """Take everything of one content out: rows, paths, failures, and people seen nowhere else.

    Raises:
        StoreError: the database cannot be written; nothing was changed.
    """
    row = {"video_id": video_id}
    with transaction(con):
        _do_file(con, "delete_video.sql", row)
        _do(con, "forget_paths_of_video", row)
        _do(con, "forget_failures_of_video", row)
        _do(con, "forget_people", {})


def _move_path(con: duckdb.DuckDBPyConnection, row: Mapping[str, Any]) -> None:
    """Let a path lead to its content, and delete contents to which none leads any more."""
    for name in ("forget_path", "add_path", "forget_failure"):
        _do(con, name, row)
    for (video_id,) in _ask(con, "pathless_videos", {}):
        _do_file(con, "delete_video.sql", {"video_id": video_id})
    _do(con, "forget_unnamed_people", {})


def _insert_crops(con: duckdb.DuckDBPyConnection, pieces: Iterator[pa.Table], video_id: str) -> None:
    """Insert the crops piece by piece: those of a long film are too many to hold at once."""
    for crops in pieces:
        _check_widths(con, crops, video_id)
        with registered(con, {CROP_TABLE: crops}):
            _do(con, "insert_crops", {})


def _check_widths(con: duckdb.DuckDBPyConnection, crops: pa.Table, video_id: str) -> None:
    (stored,) = _ask(con, "embedding_widths", {})
    for name, width in zip(("identity", "appearance"), stored, strict=True):
        vectors = crops[name].drop_null()
        if width is not None and len(vectors) and len(vectors[0]) != width:
            raise ModelError(
                f"{name} embeddings of {video_id} have {len(vectors[0])} numbers, those in the database "
                f"{width}: another model made them; use that model or a new --db"
            )


def _do_file(con: duckdb.DuckDBPyConnection, file: str, values: Mapping[str, Any]) -> None:
    for statement in file_statements(sql_folder() / "store" / file):
        con.execute(statement.sql, statement.pick(values))


def _do(con: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, Any]) -> None:
    statement = statements("store")[name]
    con.execute(statement.sql, statement.pick(values))


def _ask(con: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    _do(con, name, values)
    return con.fetchall()


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
