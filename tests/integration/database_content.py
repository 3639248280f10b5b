"""What a database holds of videos and people, for comparison."""

from __future__ import annotations

from pathlib import Path

from headtrack.store.database import open_reader

TABLES = ("video", "video_path", "shot", "head", "tracklet", "detection", "crop_embedding", "track_identity")
# Everything but when it was done; as text, since NaN is not equal to itself, with as many digits as it takes.
CONTENT = "SELECT COLUMNS(lambda c: c NOT LIKE '%_at' OR c = 'broken_at')::VARCHAR FROM {table} ORDER BY ALL"


def content(db: Path) -> dict[str, list[tuple[object, ...]]]:
    """Give the rows of every table."""
    with open_reader(db) as con:
        return {table: con.execute(CONTENT.format(table=table)).fetchall() for table in TABLES}
