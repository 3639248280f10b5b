"""Reads every track as clustering sees it, part by part of the archive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headtrack.log import LOGGER
from headtrack.ops.vectors import unit
from headtrack.store.sql_files import statements
from headtrack.types import TrackGallery

BATCH_ROWS = 2048  # crops: about 12 MB
# Heads of the videos that are read at once: their crops, sorted, are some hundred MB, and 100,000 tracks
# need no more than a hundred.
PART_ROWS = 200_000
# A crop that was worth embedding counts a little even where its quality was judged 0.
MIN_QUALITY = 1e-3


def load_gallery(con: duckdb.DuckDBPyConnection) -> TrackGallery:
    """Read every track of every video as clustering sees it, sorted by video_id, then track.

    `face` and `look` are means over the crops of all tracklets of a track, weighted by quality. A
    track without any crop has NaN for both.

    Args:
        con: from `open_reader` or `open_writer`.
    """
    _warn_of_mixed_models(con)
    tracks = con.execute(statements("store")["gallery_tracks"].sql).fetchnumpy()
    video_id, count = np.asarray(tracks["video_id"]).astype(np.str_), len(tracks["track"])
    face_width, look_width = (width or 0 for width in _ask(con, "embedding_widths")[0])
    face = np.full((count, face_width), np.nan, np.float32)
    look = np.full((count, look_width), np.nan, np.float32)
    weight, clear = np.zeros(count, np.float32), np.zeros(count, np.float32)
    cannot_link = [np.zeros((0, 2), np.int32)]
    for first, last in gallery_parts(con):
        start, stop = np.searchsorted(video_id, first), np.searchsorted(video_id, last, side="right")
        rows = slice(int(start), int(stop))
        part = _read_part(con, (first, last), rows.stop - rows.start, (face_width, look_width))
        face[rows], weight[rows], clear[rows] = part.face.unit_mean(), part.face.weight, part.clear()
        look[rows] = part.look.unit_mean()
        cannot_link.append(part.cannot_link + np.int32(rows.start))
    return TrackGallery(
        video_id=video_id,
        track=tracks["track"],
        face=face,
        face_weight=weight,
        face_recognisability=clear,
        look=look,
        cannot_link=np.concatenate(cannot_link),
    )


class _WeightedSum:
    """Sums list vectors by row, batch after batch, so that the crops are never all in memory."""

    def __init__(self, rows: int, width: int) -> None:
        self.total = np.zeros((rows, width), np.float64)
        self.weight = np.zeros(rows, np.float64)

    def add(self, row: npt.NDArray[np.int64], weight: npt.NDArray[np.float64], vectors: pa.Array) -> None:
        known = vectors.is_valid().to_numpy(zero_copy_only=False)
        dense = vectors.flatten().to_numpy().reshape(known.sum(), self.total.shape[1])  # (K, D)
        np.add.at(self.total, row[known], dense * weight[known, None])
        np.add.at(self.weight, row[known], weight[known])

    def unit_mean(self) -> npt.NDArray[np.float32]:
        mean = unit(self.total.astype(np.float32))
        mean[self.weight == 0] = np.nan
        return mean


@dataclass(frozen=True, slots=True)
class _GalleryPart:
    face: _WeightedSum
    look: _WeightedSum
    recognisable: npt.NDArray[np.float64]
    cannot_link: npt.NDArray[np.int32]

    def clear(self) -> npt.NDArray[np.float64]:
        return self.recognisable / np.where(self.face.weight > 0, self.face.weight, 1)


def gallery_parts(con: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """Give first and last video_id of parts of the archive that hold about `PART_ROWS` heads."""
    videos = _ask(con, "gallery_videos")
    part = np.cumsum([heads for _, heads in videos]) // PART_ROWS
    for places in np.split(np.arange(len(videos)), np.flatnonzero(np.diff(part)) + 1):
        if len(places):
            yield videos[places[0]][0], videos[places[-1]][0]


def _read_part(
    con: duckdb.DuckDBPyConnection, videos: tuple[str, str], count: int, widths: tuple[int, int]
) -> _GalleryPart:
    face, look = (_WeightedSum(count, width) for width in widths)
    recognisable = np.zeros(count)
    values = dict(zip(("first", "last"), videos, strict=True))
    crops = con.sql(statements("store")["gallery_crops"].sql, params=values)
    for batch in crops.to_arrow_reader(BATCH_ROWS):
        row = batch["gallery_row"].to_numpy()
        weight = np.maximum(batch["quality"].to_numpy(), MIN_QUALITY).astype(np.float64)
        face.add(row, weight, batch["identity"])
        look.add(row, weight, batch["appearance"])
        clear = batch["recognisability"].to_numpy() * batch["identity"].is_valid().to_numpy(False)
        np.add.at(recognisable, row, weight * clear)
    pairs = con.execute(statements("store")["cannot_link"].sql, values).fetchnumpy()
    cannot_link = np.stack([pairs["row_a"], pairs["row_b"]], axis=1).astype(np.int32)
    return _GalleryPart(face, look, recognisable, cannot_link)


def _warn_of_mixed_models(con: duckdb.DuckDBPyConnection) -> None:
    sets = [set(models) for models, _ in _ask(con, "model_sets")]
    if len(sets) > 1:
        differing = sorted(set.union(*sets) - set.intersection(*sets))
        LOGGER.warning(
            "videos in the database were analysed with different models (%s); people may be split: "
            "run again with --force over all of them",
            ", ".join(differing),
        )


def _ask(con: duckdb.DuckDBPyConnection, name: str) -> list[tuple[Any, ...]]:
    return con.execute(statements("store")[name].sql).fetchall()
