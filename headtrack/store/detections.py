"""What a detector gave, and which tracklet keeps it, as the table `detection`: a row a frame, as it was."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headtrack.types import Detections, Heads, Tracklets

DETECTION_TABLE = "detection"
# The columns of lists, and how many numbers each has for one head.
NUMBERS_A_HEAD = {
    "score": 1,
    "view": 1,
    "yaw_deg": 1,
    "xyxy": 4,
    "face_score": 1,
    "face_xyxy": 4,
    "landmarks": 10,
    "body_xyxy": 4,
    "tracklet": 1,
}
WHOLE = {"view": pa.int8(), "tracklet": pa.int32()}
DETECTION_SCHEMA = pa.schema(
    [
        ("video_id", pa.string()),
        ("frame", pa.int32()),
        ("heads", pa.int32()),
        *((name, pa.list_(WHOLE.get(name, pa.float32()))) for name in NUMBERS_A_HEAD),
    ]
)


def detection_table(video_id: str, found: Detections, tracklets: Tracklets) -> pa.Table:
    """Give the rows of one video, one for each frame looked at.

    Args:
        video_id: of the video.
        found: what the detector gave.
        tracklets: aligned with the heads.
    """
    looked_at, heads = found.looked_at, found.heads
    ends = np.searchsorted(heads.frame, looked_at, side="right")
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    of_heads = {f.name: getattr(heads, f.name).ravel() for f in fields(heads)}
    of_heads["tracklet"] = tracklets.tracklet_of_head
    lists = [
        pa.ListArray.from_arrays(pa.array((offsets * numbers).astype(np.int32)), pa.array(of_heads[name]))
        for name, numbers in NUMBERS_A_HEAD.items()
    ]
    counts = np.diff(offsets).astype(np.int32)
    repeated = pa.array([video_id] * len(looked_at), pa.string())
    return pa.table([repeated, pa.array(looked_at), pa.array(counts), *lists], schema=DETECTION_SCHEMA)


def detections_of(table: pa.Table) -> Detections:
    """Give what `detection_table` made rows of; the rows are of one video, sorted by frame.

    Raises:
        ValueError: the lists of a frame do not fit its number of heads.
    """
    shape = {"landmarks": (-1, 5, 2)} | {name: (-1, 4) for name, n in NUMBERS_A_HEAD.items() if n == 4}
    looked_at, counts = (table[name].to_numpy().astype(np.int32) for name in ("frame", "heads"))
    columns = {f.name: _numbers(table, f.name).reshape(shape.get(f.name, (-1,))) for f in fields(Heads)[1:]}
    return Detections(looked_at, Heads(frame=np.repeat(looked_at, counts), **columns))


def tracklets_of_heads(table: pa.Table) -> npt.NDArray[np.int32]:
    """Give the tracklet of each head, -1 where none keeps it, of rows that `detections_of` takes."""
    return _numbers(table, "tracklet").astype(np.int32)


def _numbers(table: pa.Table, name: str) -> npt.NDArray[Any]:
    return table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)
