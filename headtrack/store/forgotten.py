"""Keeps people who were forgotten from coming back when their video is analysed anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headtrack.log import LOGGER
from headtrack.ops.places import lie_at
from headtrack.store.detections import DETECTION_TABLE
from headtrack.store.sql_files import statements

# A track or tracklet goes where so large a share of its boxes lie where a forgotten person was.
MIN_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What of one part is not stored.

    Attributes:
        tracklets: (K,) int32 numbers, sorted.
        tracks: (J,) int32 numbers of tracks that have no other tracklet, sorted.
        loose: (N,) bool: these rows of the table `head` go.
        was_here: somebody who was forgotten was seen in this video.
    """

    tracklets: npt.NDArray[np.int32]
    tracks: npt.NDArray[np.int32]
    loose: npt.NDArray[np.bool_]
    was_here: bool

    def strip(self, name: str, table: pa.Table) -> pa.Table:
        """Leave out of one table of the part what is not stored."""
        if name == DETECTION_TABLE and self.was_here:
            return table[:0]
        gone = self.loose if name == "head" else np.zeros(len(table), np.bool_)
        for column, numbers in (("tracklet", self.tracklets), ("track", self.tracks)):
            if column in table.column_names and len(numbers):
                gone = gone | np.isin(table[column].fill_null(-1).to_numpy(), numbers)
        return table.filter(pa.array(~gone)) if gone.any() else table


def forgotten_in(con: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table]) -> Forgotten:
    """Find what of a part lies where forgotten people were.

    Args:
        con: from `open_writer`.
        tables: the part's `video`, `head` and `tracklet`.
    """
    video_id = tables["video"]["video_id"][0].as_py()
    heads, tracklets = tables["head"], tables["tracklet"]
    found = np.zeros(len(heads), np.bool_)
    time_s = heads["time_s"].to_numpy()
    xyxy = np.stack([heads[name].to_numpy() for name in ("x1", "y1", "x2", "y2")], axis=1)
    receipts = con.execute(statements("store")["places_of_video"].sql, {"video_id": video_id}).fetchall()
    for salt, places in receipts:
        found |= lie_at(np.array(places, np.uint64), video_id, time_s, xyxy, salt=salt)
    of_head = heads["tracklet"].fill_null(-1).to_numpy()
    number, track = tracklets["tracklet"].to_numpy(), tracklets["track"].to_numpy()
    gone_tracklets = _mostly(of_head, found)
    track_of = np.full(int(max(number.max(initial=-1), of_head.max(initial=-1))) + 1, -1)
    track_of[number] = track
    gone_tracks = _mostly(np.where(of_head >= 0, track_of[of_head], -1) if len(track_of) else of_head, found)
    gone = np.isin(number, gone_tracklets) | np.isin(track, gone_tracks)
    if gone.any():
        LOGGER.info("%d tracklets of %s lie where a forgotten person was; not stored", gone.sum(), video_id)
    return Forgotten(
        tracklets=np.sort(number[gone]),
        tracks=np.setdiff1d(track[gone], track[~gone]),
        loose=found & (of_head < 0),
        was_here=bool(receipts),
    )


def _mostly(group: npt.NDArray[np.integer], found: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Give the groups of which the share found suffices; -1 is none."""
    rows = group >= 0
    size = np.bincount(group[rows])
    hits = np.bincount(group[rows], weights=found[rows], minlength=len(size))
    return np.flatnonzero((hits > 0) & (hits >= MIN_SHARE * size))
