"""What lay behind URLs when they were last fetched, so that they need not be fetched to be known again."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa

from headtrack.store.registered import registered
from headtrack.store.sql_files import statements
from headtrack.store.tables import database_text
from headtrack.store.transaction import transaction
from headtrack.types import RemoteFile


def known_remote(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], str]:
    """Give the content that lay behind each URL and stamp."""
    rows = con.execute(statements("store")["known_remote"].sql).fetchall()
    return {(path, stamp): video_id for path, stamp, video_id in rows}


def note_remote(con: duckdb.DuckDBPyConnection, content: Mapping[RemoteFile, str]) -> None:
    """Note the content of files that were fetched; of those without a stamp there is nothing to note.

    Args:
        con: from `open_writer`.
        content: video id of each file.
    """
    noted = {file: video_id for file, video_id in content.items() if file.stamp}
    if not noted:
        return
    rows = pa.table(
        {
            "path": pa.array([database_text(file.url) for file in noted], pa.string()),
            "stamp": pa.array([database_text(file.stamp) for file in noted], pa.string()),
            "video_id": pa.array(list(noted.values()), pa.string()),
        }
    )
    with registered(con, {"remote_file": rows}), transaction(con):
        con.execute(statements("store")["forget_remote"].sql)
        con.execute(statements("store")["insert_remote"].sql)
