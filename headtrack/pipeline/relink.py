"""Where only the settings of links changed, stored tracklets are linked anew: no frame is decoded."""

from __future__ import annotations

from pathlib import Path

from headtrack.pipeline.analyze import linked
from headtrack.pipeline.commit import COMMIT_WAIT_S
from headtrack.settings import Settings
from headtrack.store.database import open_writer
from headtrack.store.links import store_links, stored_tracklets
from headtrack.types import Provenance


def relink(db: Path, video_id: str, settings: Settings, *, now: Provenance) -> None:
    """Link the tracklets of one video anew, and commit it.

    Args:
        db: the DuckDB file.
        video_id: one of `relinkable_videos`.
        settings: of the run.
        now: what the result depends on.
    """
    with open_writer(db, wait_s=COMMIT_WAIT_S) as con:
        store_links(con, video_id, linked(stored_tracklets(con, video_id), settings), now)
