"""Tracklets as they are stored, to be linked anew, and their new links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headtrack.errors import StoreError
from headtrack.store.detections import detections_of, tracklets_of_heads
from headtrack.store.registered import registered
from headtrack.store.sql_files import statements
from headtrack.store.transaction import transaction
from headtrack.types import HeadEmbeddings, Provenance, SeenTracklets, Tracklets, Tracks
from headtrack.types.tracks import LINK_REASONS

BLOCK_CROPS = 1024  # about 6 MB of vectors


def relinkable_videos(con: duckdb.DuckDBPyConnection, tracklet_hash: str | None) -> set[str]:
    """Give the contents of which all is there to link their tracklets, as it would be found today.

    Args:
        con: from `open_reader` or `open_writer`.
        tracklet_hash: of the run's provenance.
    """
    sql = statements("store")["relinkable_videos"].sql
    return {video_id for (video_id,) in con.execute(sql, {"tracklet_hash": tracklet_hash}).fetchall()}


def stored_tracklets(con: duckdb.DuckDBPyConnection, video_id: str) -> SeenTracklets:
    """Read the tracklets of one of the `relinkable_videos`; its embeddings are read from `con` as needed.

    Raises:
        StoreError: its rows do not fit together.
    """
    try:
        return _stored_tracklets(con, video_id)
    except ValueError as error:
        raise StoreError(
            f"the rows of video {video_id} do not fit together ({error}); run again with --force: the video "
            "is then analysed anew"
        ) from error


def _stored_tracklets(con: duckdb.DuckDBPyConnection, video_id: str) -> SeenTracklets:
    of = {"video_id": video_id}
    rows, times, tracklets = (
        _table(con, name, of) for name in ("stored_detections", "stored_times", "stored_tracklets")
    )
    heads, frame = detections_of(rows).heads, times["frame"].to_numpy()
    time_s = np.full(int(frame.max(initial=-1)) + 1, np.nan)
    time_s[frame] = times["time_s"].to_numpy()
    crops = np.cumsum(tracklets["crops"].to_numpy())
    (widths,) = con.execute(statements("store")["embedding_widths"].sql).fetchall()
    colours = tracklets["colour"]
    return SeenTracklets(
        heads=heads,
        tracklets=Tracklets(tracklets_of_heads(rows), tracklets["shot"].to_numpy()),
        embeddings=StoredEmbeddings(con, video_id, np.concatenate([np.zeros(1, np.int64), crops]), widths),
        colour=_vectors(colours, len(colours[0]) if len(colours) else 0),
        frame_time_s=time_s,
    )


def store_links(
    con: duckdb.DuckDBPyConnection, video_id: str, tracks: Tracks, provenance: Provenance
) -> None:
    """Put new tracks in the place of a video's; they keep the people whose boxes they cover.

    Args:
        con: from `open_writer`.
        video_id: of the content.
        tracks: aligned with its tracklets.
        provenance: of the new tracks.
    """
    of = {"video_id": video_id}
    links = pa.table(
        {
            "tracklet": np.arange(len(tracks), dtype=np.int32),
            "track": tracks.track,
            "link_reason": pa.array([LINK_REASONS[code] for code in tracks.link_reason], pa.string()),
            "link_score": tracks.link_score,
        }
    )
    made = {
        "settings_hash": provenance.settings_hash,
        "models": list(provenance.models),
        "version": provenance.version,
        "analysed_at": datetime.now(UTC).replace(tzinfo=None),
    }
    tables = {"tracklet": links, "head": _table(con, "stored_boxes", of)}
    with registered(con, tables), transaction(con):
        for name in ("remember_people", "delete_track_identities", "delete_track_looks", "set_tracks"):
            con.execute(statements("store")[name].sql, of)
        con.execute(statements("store")["carry_people"].sql, of)
        con.execute(statements("store")["set_provenance"].sql, of | made)


@dataclass(frozen=True, slots=True)
class StoredEmbeddings:
    """Embedded crops of one video, read piece by piece.

    Attributes:
        con: from `open_reader` or `open_writer`.
        video_id: of the content.
        before: (T + 1,) int64 number of crops of all tracklets before each, and of all.
        widths: of identity and appearance, as in the whole database; None where it has none of them.
    """

    con: duckdb.DuckDBPyConnection
    video_id: str
    before: npt.NDArray[np.int64]
    widths: tuple[int | None, int | None]

    def blocks(self) -> Iterator[HeadEmbeddings]:
        """Read them; a piece ends where a tracklet does. `head_row` is the row in the piece."""
        first, count = 0, len(self.before) - 1
        while first < count or not count:
            last = int(np.searchsorted(self.before, self.before[first] + BLOCK_CROPS)) - 1
            last = min(max(last, first), count - 1)
            yield self._read(first, last)
            if not count:
                return
            first = last + 1

    def _read(self, first: int, last: int) -> HeadEmbeddings:
        crops = _table(self.con, "stored_crops", {"video_id": self.video_id, "first": first, "last": last})
        identity, appearance = (width or 1 for width in self.widths)  # one NaN says that there is none
        return HeadEmbeddings(
            head_row=np.arange(len(crops), dtype=np.int32),
            tracklet=crops["tracklet"].to_numpy(),
            quality=crops["quality"].to_numpy(),
            identity=_vectors(crops["identity"], identity),
            appearance=_vectors(crops["appearance"], appearance),
            recognisability=crops["recognisability"].fill_null(0).to_numpy(),
        )


def _vectors(column: pa.ChunkedArray, width: int) -> npt.NDArray[np.float32]:
    """Give lists of one width as rows, NaN where there is none."""
    known = column.is_valid().to_numpy()
    vectors = np.full((len(column), width), np.nan, np.float32)
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    vectors[known] = flat.reshape(int(known.sum()), width)
    return vectors


def _table(con: duckdb.DuckDBPyConnection, name: str, values: dict[str, Any]) -> pa.Table:
    return con.sql(statements("store")[name].sql, params=values).to_arrow_table()
