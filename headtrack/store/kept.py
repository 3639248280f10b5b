"""What the detector gave in earlier runs, in the run folder: workers do not open the database."""

from __future__ import annotations

import os
import shutil
from itertools import chain
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from headtrack.errors import StoreError
from headtrack.store.detections import DETECTION_SCHEMA, detections_of
from headtrack.store.spool import said_clearly, write_table
from headtrack.store.sql_files import statements
from headtrack.types import Detections, Video

KEPT = "kept"
KEPT_ROWS = 16_384  # a piece; about an hour of footage


def keep_detections(
    con: duckdb.DuckDBPyConnection, run_dir: Path, video: Video, detection_hash: str
) -> Path | None:
    """Write what the database holds of a video's detections, if the detector would give the same today.

    Args:
        con: from `open_reader` or `open_writer`.
        run_dir: folder of the run.
        video: as probed; the stored one must have been decoded as this one will be.
        detection_hash: of the run's provenance.

    Returns:
        The file, `run_dir/kept/<video_id>.parquet`; None where there is nothing to keep.

    Raises:
        StoreError: the disk is full or the folder cannot be written; nothing is left behind.
    """
    values = {
        "video_id": video.video_id,
        "detection_hash": detection_hash,
        "decoder": video.decoder,
        "decoder_reason": video.decoder_reason,
    }
    statement = statements("store")["kept_detections"]
    found = con.sql(statement.sql, params=statement.pick(values)).to_arrow_reader(KEPT_ROWS)
    pieces = (pa.Table.from_batches([batch]).cast(DETECTION_SCHEMA) for batch in found if len(batch))
    first = next(pieces, None)
    if first is None:
        return None
    file = _file(run_dir, video.video_id)
    temp = file.with_name(f".{file.name}.{os.getpid()}.new")
    with said_clearly(file):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_table(chain([first], pieces), temp)
            os.replace(temp, file)
        finally:
            temp.unlink(missing_ok=True)
    return file


def read_kept(run_dir: Path, video_id: str) -> Detections | None:
    """Give the detections that were kept of a video; None where there are none.

    Raises:
        StoreError: the file is damaged.
    """
    file = _file(run_dir, video_id)
    try:
        return detections_of(pq.read_table(file))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise StoreError(f"{file} is damaged ({error}); run again: the file is then written anew") from error


def drop_kept(run_dir: Path, video_id: str) -> bool:
    """Remove what was kept of a video; tell whether there was anything."""
    try:
        _file(run_dir, video_id).unlink()
    except FileNotFoundError:
        return False
    return True


def remove_all_kept(run_dir: Path) -> None:
    """Remove what a run that is over, or died, kept; the database still has it."""
    shutil.rmtree(run_dir / KEPT, ignore_errors=True)


def _file(run_dir: Path, video_id: str) -> Path:
    return run_dir / KEPT / f"{video_id}.parquet"
