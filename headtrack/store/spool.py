"""The run folder: workers write finished videos there as Parquet, the committer reads them.

A part appears at once and whole: it is written into a hidden folder beside it and then renamed, so
that a crash leaves nothing half-written that anybody reads.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from headtrack.errors import StoreError
from headtrack.store.detections import DETECTION_SCHEMA, DETECTION_TABLE
from headtrack.store.tables import CROP_TABLE, SMALL_TABLES, crop_tables, result_tables
from headtrack.types import VideoFailure, VideoResult

CROP_ROWS = 1024  # about 6 MB of embeddings
PARTS, FAILURES = "parts", "failures"
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def run_folder(database: Path, run: str) -> Path:
    """Give the folder of one run, beside its database.

    >>> run_folder(Path("a/people.duckdb"), "2026").as_posix()
    'a/people.duckdb.runs/2026'
    """
    if not database.name:
        raise StoreError(f"{str(database)!r} names no database file; give --db a file name")
    return database.with_name(database.name + ".runs") / run


def write_parts(run_dir: Path, result: VideoResult) -> Path:
    """Write one analysed video; an earlier part of the same content is replaced.

    Args:
        run_dir: folder of the run.
        result: what was found.

    Returns:
        The part's folder, `run_dir/parts/<video_id>`.

    Raises:
        StoreError: the disk is full or the folder cannot be written; nothing is left behind.
    """
    part = run_dir / PARTS / result.video.video_id
    temp = part.with_name(f".{part.name}.{os.getpid()}.new")
    with said_clearly(part):
        try:
            temp.mkdir(parents=True)
            for name, table in result_tables(result).items():
                write_table(iter([table]), temp / f"{name}.parquet")
            write_table(crop_tables(result), temp / f"{CROP_TABLE}.parquet")
            _swap(temp, part)
        finally:
            shutil.rmtree(temp, ignore_errors=True)
    return part


def write_failure(run_dir: Path, failure: VideoFailure) -> Path:
    """Write one failed video as a small JSON file; an earlier failure of the same path is replaced.

    Raises:
        StoreError: the disk is full or the folder cannot be written.
    """
    name = hashlib.sha256(failure.path.encode(errors="surrogateescape")).hexdigest()[:16]
    file = run_dir / FAILURES / f"{name}.json"
    temp = file.with_name(f".{name}.{os.getpid()}.new")
    with said_clearly(file):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            temp.write_text(json.dumps(asdict(failure)), encoding="utf-8")
            os.replace(temp, file)
        finally:
            temp.unlink(missing_ok=True)
    return file


def complete_parts(run_dir: Path) -> list[Path]:
    """List the parts that were written to their end, by video_id."""
    folder = run_dir / PARTS
    return sorted(p for p in folder.iterdir() if not p.name.startswith(".")) if folder.is_dir() else []


def read_failures(run_dir: Path) -> list[VideoFailure]:
    """Read all failures of a run, sorted by path."""
    folder = run_dir / FAILURES
    files = folder.glob("[!.]*.json") if folder.is_dir() else []
    found = [VideoFailure(**json.loads(file.read_text(encoding="utf-8"))) for file in files]
    return sorted(found, key=lambda failure: failure.path)


def read_part(part: Path) -> dict[str, pa.Table]:
    """Read a part's tables but for its crops, keyed by the name of the database table.

    Raises:
        StoreError: a file is missing or damaged.
    """
    with _whole(part):
        tables = {DETECTION_TABLE: DETECTION_SCHEMA.empty_table()}  # an earlier version wrote none
        names = [name for name in SMALL_TABLES if name not in tables or (part / f"{name}.parquet").exists()]
        return tables | {name: pq.read_table(part / f"{name}.parquet") for name in names}


def read_crops(part: Path) -> Iterator[pa.Table]:
    """Read the table `crop_embedding` of a part in pieces of at most 1024 rows.

    Raises:
        StoreError: the file is missing or damaged.
    """
    with _whole(part), pq.ParquetFile(part / f"{CROP_TABLE}.parquet") as file:
        for batch in file.iter_batches(CROP_ROWS):
            yield pa.Table.from_batches([batch])


@contextmanager
def _whole(part: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"part {part} is damaged ({error}); remove that folder and run again: "
            "the video is then analysed anew"
        ) from error


def remove_part(part: Path) -> None:
    """Remove a part that is in the database."""
    shutil.rmtree(part)


def remove_half_parts(database: Path) -> None:
    """Remove what processes that died in the middle of writing left; no run may go on."""
    for half in run_folder(database, "x").parent.glob(f"*/{PARTS}/.*"):
        shutil.rmtree(half, ignore_errors=True)


def write_table(pieces: Iterator[pa.Table], file: Path) -> None:
    """Write at least one piece of a table, each as a row group; on the disk when this returns."""
    first = next(pieces)
    with file.open("wb") as sink:
        with pq.ParquetWriter(sink, first.schema, compression="zstd") as writer:
            writer.write_table(first)
            for piece in pieces:
                writer.write_table(piece)
        sink.flush()
        os.fsync(sink.fileno())


def _swap(temp: Path, part: Path) -> None:
    """Put `temp` in the place of `part`; a crash in between leaves the video to be done again."""
    if part.exists():
        old = part.with_name(f".{part.name}.{os.getpid()}.old")
        os.rename(part, old)
        os.rename(temp, part)
        shutil.rmtree(old)
    else:
        os.rename(temp, part)


@contextmanager
def said_clearly(target: Path) -> Iterator[None]:
    """Raise `StoreError` with the remedy where a file or folder cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL:
            raise StoreError(
                f"the disk is full: {target} could not be written ({error.strerror}); finished videos are "
                "kept: free some space and run again"
            ) from error
        raise StoreError(
            f"{target} cannot be written ({error.strerror or error}); give yourself the right to its folder "
            "or choose another --db"
        ) from error
