"""What a detector gave, as the table `detection`: a row a frame, float32 as it was."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headtrack.types import Detections, Heads

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
}
DETECTION_SCHEMA = pa.schema(
    [
        ("video_id", pa.string()),
        ("frame", pa.int32()),
        ("heads", pa.int32()),
        *((name, pa.list_(pa.int8() if name == "view" else pa.float32())) for name in NUMBERS_A_HEAD),
    ]
)


def detection_table(video_id: str, found: Detections) -> pa.Table:
    """Give the rows of one video, one for each frame looked at."""
    looked_at, heads = found.looked_at, found.heads
    ends = np.searchsorted(heads.frame, looked_at, side="right")
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    lists = [
        pa.ListArray.from_arrays(
            pa.array((offsets * numbers).astype(np.int32)), pa.array(getattr(heads, name).ravel())
        )
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
    looked_at, counts = (table[name].to_numpy().astype(np.int32) for name in ("frame", "heads"))
    shape = {"landmarks": (-1, 5, 2)}
    columns = {
        name: table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False) for name in NUMBERS_A_HEAD
    }
    shaped = {
        name: flat.reshape(shape.get(name, (-1, 4) if NUMBERS_A_HEAD[name] == 4 else (-1,)))
        for name, flat in columns.items()
    }
    return Detections(looked_at, Heads(frame=np.repeat(looked_at, counts), **shaped))
