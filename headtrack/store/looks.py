"""Reads which look each track shows when: the crops in the order of time, cut where the look changes."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headtrack.identity.look_changes import look_changes
from headtrack.ops.log_odds import log_odds
from headtrack.ops.vectors import unit
from headtrack.settings import IdentitySettings
from headtrack.store.read import BATCH_ROWS, MIN_QUALITY
from headtrack.store.sql_files import statements
from headtrack.types import LookSpans
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
    tracks = con.execute(statements("store")["look_tracks"].sql).fetchnumpy()
    crops = _by_track(con)
    pending = next(crops, None)
    row: list[int] = []
    edges: list[tuple[int, int]] = []
    looks: list[npt.NDArray[np.float32]] = []
    frames = zip(tracks["start_frame"].tolist(), tracks["end_frame"].tolist(), strict=True)
    for number, (first, stop) in enumerate(frames):
        if pending is None or pending["gallery_row"][0].as_py() != number:
            row.append(number)
            edges.append((first, stop))
            looks.append(np.full(look_dim, np.nan, np.float32))
            continue
        cuts, means = _spans(pending, settings, look_dim)
        bounds = [first, *cuts, stop]
        row += [number] * len(means)
        edges += list(zip(bounds[:-1], bounds[1:], strict=True))
        looks += list(means)
        pending = next(crops, None)
    limits = np.array(edges, np.int32).reshape(-1, 2)
    look = np.array(looks, np.float32).reshape(len(row), look_dim)
    return LookSpans(np.array(row, np.int32), limits[:, 0], limits[:, 1], look)


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


def _by_track(con: duckdb.DuckDBPyConnection) -> Iterator[pa.Table]:
    """Give the crops of one track after the other; only few are in memory at once."""
    held: list[pa.RecordBatch] = []
    for batch in con.sql(statements("store")["look_crops"].sql).to_arrow_reader(BATCH_ROWS):
        number = batch["gallery_row"].to_numpy()
        edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)]
        for start, stop in zip(edges[:-1], edges[1:], strict=True):
            if held and held[-1]["gallery_row"][0].as_py() != number[start]:
                yield pa.Table.from_batches(held)
                held = []
            held.append(batch.slice(start, stop - start))
    if held:
        yield pa.Table.from_batches(held)
