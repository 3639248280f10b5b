"""Arrow tables under a name that SQL sees, for as long as they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from headtrack.identity.ids import TrackKey


@contextmanager
def registered(con: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table]) -> Iterator[None]:
    """Let SQL see each table as `part_` and its name."""
    for name, table in tables.items():
        con.register(f"part_{name}", table)
    try:
        yield
    finally:
        for name in tables:
            con.unregister(f"part_{name}")


def track_table(keys: Sequence[TrackKey]) -> pa.Table:
    """Give tracks as a table, one row each: `video_id`, `track`."""
    return pa.table(
        {
            "video_id": pa.array([video_id for video_id, _ in keys], pa.string()),
            "track": pa.array([track for _, track in keys], pa.int32()),
        }
    )
