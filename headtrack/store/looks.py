"""Which look each track shows when: the crops in the order of time, cut where the look changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headtrack.identity.ids import TrackIds, TrackKey
from headtrack.identity.look_changes import look_changes
from headtrack.ops.log_odds import log_odds
from headtrack.ops.vectors import unit
from headtrack.settings import IdentitySettings
from headtrack.store.gallery import BATCH_ROWS, MIN_QUALITY, gallery_parts
from headtrack.store.sql_files import statements
from headtrack.types import LookSpans, TrackGallery
from headtrack.types.views import VIEW_NAMES


def load_look_spans(
    con: duckdb.DuckDBPyConnection, settings: IdentitySettings, *, look_dim: int
) -> LookSpans:
    """Cut every track where its look changes.

    Args:
        con: from `open_reader` or `open_writer`.
        settings: the `identity` section.
        look_dim: length of the appearance embeddings; 0 where there is none.

    Returns:
        Spans in the order of `load_gallery`; a track without a crop is one span without a look.
    """
    row: list[int] = []
    edges: list[tuple[int, int]] = []
    looks: list[npt.NDArray[np.float32]] = []
    for first, last in gallery_parts(con):
        values = {"first": first, "last": last}
        tracks = con.execute(statements("store")["look_tracks"].sql, values).fetchnumpy()
        before = row[-1] + 1 if row else 0
        crops = _by_track(con, values)
        pending = next(crops, None)
        frames = zip(tracks["start_frame"].tolist(), tracks["end_frame"].tolist(), strict=True)
        for number, (start, stop) in enumerate(frames):
            cuts, means = [], np.full((1, look_dim), np.nan, np.float32)
            if pending is not None and pending["gallery_row"][0].as_py() == number:
                cuts, means = _spans(pending, settings, look_dim)
                pending = next(crops, None)
            bounds = [start, *cuts, stop]
            row += [before + number] * len(means)
            edges += pairwise(bounds)
            looks += list(means)
    limits = np.array(edges, np.int32).reshape(-1, 2)
    look = np.array(looks, np.float32).reshape(len(row), look_dim)
    return LookSpans(np.array(row, np.int32), limits[:, 0], limits[:, 1], look)


def previous_looks(con: duckdb.DuckDBPyConnection) -> dict[TrackKey, list[tuple[int, str]]]:
    """Give first frame and id of the looks of each track that shows several, for `name_people` to keep."""
    found: dict[TrackKey, list[tuple[int, str]]] = {}
    for video_id, track, start, look in con.execute(statements("store")["previous_looks"].sql).fetchall():
        found.setdefault((video_id, track), []).append((start, look))
    return found


def look_table(gallery: TrackGallery, ids: TrackIds) -> pa.Table:
    """Give the rows of `track_look`: parts of equal looks joined, tracks of one look left out."""
    spans = gallery.look_spans
    look = ids.span_appearance if len(ids.span_appearance) else ids.appearance
    new = np.ones(len(spans), bool)
    new[1:] = (np.diff(spans.row) != 0) | (look[1:] != look[:-1])
    first = np.flatnonzero(new)
    several = np.isin(spans.row[first], np.flatnonzero(np.bincount(spans.row[first], minlength=1) > 1))
    last = np.append(first[1:], len(spans))[several] - 1
    first = first[several]
    row = spans.row[first]
    return pa.table(
        {
            "video_id": pa.array(gallery.video_id[row].tolist(), pa.string()),
            "track": gallery.track[row],
            "start_frame": spans.start[first],
            "end_frame": spans.stop[last],
            "appearance": pa.array(look[first].tolist(), pa.string()),
        }
    )


def _spans(
    crops: pa.Table, settings: IdentitySettings, look_dim: int
) -> tuple[list[int], npt.NDArray[np.float32]]:
    """Give the frames from which on one track shows another look, and the mean look of each part."""
    look = crops["appearance"].combine_chunks().flatten().to_numpy().reshape(-1, look_dim)
    weight = np.maximum(crops["quality"].to_numpy(), MIN_QUALITY).astype(np.float64)
    view = np.array([VIEW_NAMES.index(name) for name in crops["view"].to_pylist()])
    cuts = look_changes(
        crops["time_s"].to_numpy(),
        view,
        look,
        weight,
        max_log_odds=log_odds(1 - settings.min_change_probability),
    )
    parts = np.split(np.arange(len(look)), cuts)
    means = unit(np.stack([(look[p] * weight[p, None]).sum(0) for p in parts]))
    frame, tracklet = crops["frame"].to_numpy(), crops["tracklet"].to_numpy()
    return [_frame_of_change(frame, tracklet, crops["first_frame"].to_numpy(), cut) for cut in cuts], means


def _frame_of_change(
    frame: npt.NDArray[np.int32], tracklet: npt.NDArray[np.int32], first: npt.NDArray[np.int32], cut: int
) -> int:
    """Give the first frame of the new look: that of its tracklet, or the middle between two crops."""
    if tracklet[cut] != tracklet[cut - 1] and first[cut] > frame[cut - 1]:
        return int(first[cut])
    return int(frame[cut - 1] + frame[cut] + 1) // 2


def _by_track(con: duckdb.DuckDBPyConnection, values: dict[str, str]) -> Iterator[pa.Table]:
    """Give the crops of one track after the other; only few are in memory at once."""
    held: list[pa.RecordBatch] = []
    crops = con.sql(statements("store")["look_crops"].sql, params=values)
    for batch in crops.to_arrow_reader(BATCH_ROWS):
        number = batch["gallery_row"].to_numpy()
        edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)]
        for start, stop in pairwise(edges):
            if held and held[-1]["gallery_row"][0].as_py() != number[start]:
                yield pa.Table.from_batches(held)
                held = []
            held.append(batch.slice(start, stop - start))
    if held:
        yield pa.Table.from_batches(held)
