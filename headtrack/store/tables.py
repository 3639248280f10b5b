"""A `VideoResult` as Arrow tables, one for each database table it fills."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headtrack.store.detections import DETECTION_TABLE, detection_table
from headtrack.types import Detections, HeadEmbeddings, VideoResult
from headtrack.types.tracks import LINK_REASONS
from headtrack.types.views import VIEW_NAMES

# The tables of a part: those of `result_tables`, and that of `crop_tables`.
SMALL_TABLES, CROP_TABLE = ("video", "shot", "head", "tracklet", DETECTION_TABLE), "crop_embedding"


def result_tables(result: VideoResult) -> dict[str, pa.Table]:
    """Give the rows of one video, but for its crops, keyed by the name of the database table.

    The table `video` has the extra column `path`, which goes to `video_path`.
    """
    return {
        "video": _video_table(result),
        "shot": _shot_table(result),
        "head": _head_table(result),
        "tracklet": _tracklet_table(result),
        DETECTION_TABLE: detection_table(
            result.video.video_id, Detections(result.looked_at, result.heads), result.tracklets
        ),
    }


def crop_tables(result: VideoResult) -> Iterator[pa.Table]:
    """Give the rows of `crop_embedding` in pieces, at least one, as they come from `result.embeddings`."""
    for crops in result.embeddings.blocks():
        yield _crop_table(result, crops)


def database_text(text: str) -> str:
    r"""Write out the bytes of a file name that are no UTF-8, which the database cannot hold.

    >>> database_text("a\udcff.mp4")
    'a\\xff.mp4'
    """
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def shown_s(frame_time_s: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give how long each frame stays on screen: until the next one; the last as long as is usual.

    Args:
        frame_time_s: (F,) float64, time of every frame.

    Returns:
        (F,) float64 seconds, not negative; 0 for the one frame of a still image.

    >>> shown_s(np.array([0.0, 0.5, 0.75, 1.25])).tolist()
    [0.5, 0.25, 0.5, 0.5]
    >>> shown_s(np.zeros(1)).tolist()
    [0.0]
    """
    step = np.maximum(np.diff(frame_time_s), 0.0)
    last = np.median(step) if len(step) else 0.0
    return np.append(step, last)[: len(frame_time_s)]


def _video_table(result: VideoResult) -> pa.Table:
    video, provenance = result.video, result.provenance
    time_s = result.frame_time_s
    broken = result.broken_at >= 0
    row = {
        "video_id": video.video_id,
        "path": database_text(video.path),
        "width": video.width,
        "height": video.height,
        "frame_count": len(time_s),
        "duration_s": float(time_s[-1] + shown_s(time_s)[-1]) if len(time_s) else 0.0,
        "fps": float(video.fps),
        "rotation_deg": video.rotation_deg,
        "sample_aspect": float(video.sample_aspect),
        "codec": video.codec,
        "decoder": video.decoder,
        "decoder_reason": video.decoder_reason,
        "status": "partial" if broken else "complete",
        "broken_at": result.broken_at if broken else None,
        "broken_reason": database_text(result.broken_reason) if broken else None,
        "settings_hash": provenance.settings_hash,
        "models": list(provenance.models),
        "version": provenance.version,
        "detection_hash": provenance.detection_hash,
        "tracklet_hash": provenance.tracklet_hash,
        "analysed_at": datetime.now(UTC).replace(tzinfo=None),
    }
    types = {
        "broken_at": pa.int32(),
        "broken_reason": pa.string(),
        "models": pa.list_(pa.string()),
        "detection_hash": pa.string(),
        "tracklet_hash": pa.string(),
        "analysed_at": pa.timestamp("us"),
    }
    return pa.table({name: pa.array([value], types.get(name)) for name, value in row.items()})


def _shot_table(result: VideoResult) -> pa.Table:
    shots, time_s = result.shots, result.frame_time_s
    end_s = time_s + shown_s(time_s)
    return pa.table(
        {
            "video_id": _repeat(result.video.video_id, len(shots)),
            "shot": np.arange(len(shots), dtype=np.int32),
            "start_frame": shots.start,
            "end_frame": shots.stop,
            "start_s": time_s[shots.start],
            "end_s": end_s[shots.stop - 1],
            "p_cut": shots.p_cut,
        }
    )


def _head_table(result: VideoResult) -> pa.Table:
    """List the boxes of all tracklets, and the detections that no tracklet keeps."""
    boxes, heads = result.boxes, result.heads
    loose = heads[result.tracklets.tracklet_of_head < 0]
    frame = np.concatenate([boxes.frame, loose.frame])
    xyxy = np.concatenate([boxes.xyxy, loose.xyxy])
    tracklet = np.concatenate([boxes.tracklet, np.full(len(loose), -1, np.int32)])
    yaw_deg = np.concatenate([_box_yaw_deg(result), loose.yaw_deg])
    table = pa.table(
        {
            "video_id": _repeat(result.video.video_id, len(frame)),
            "frame": frame,
            "time_s": result.frame_time_s[frame],
            "shown_s": shown_s(result.frame_time_s)[frame],
            "x1": xyxy[:, 0],
            "y1": xyxy[:, 1],
            "x2": xyxy[:, 2],
            "y2": xyxy[:, 3],
            "score": np.concatenate([boxes.score, loose.score]),
            "view": _view_column(np.concatenate([boxes.view, loose.view])),
            "yaw_deg": pa.array(yaw_deg, mask=np.isnan(yaw_deg)),
            "interpolated": np.concatenate([boxes.interpolated, np.zeros(len(loose), np.bool_)]),
            "tracklet": pa.array(tracklet, mask=tracklet < 0),
        }
    )
    return table.take(np.lexsort((xyxy[:, 0], frame)))


def _box_yaw_deg(result: VideoResult) -> npt.NDArray[np.float32]:
    """Find each detected box's yaw in `heads`, by frame and tracklet; NaN for interpolated boxes."""
    boxes, heads, of_head = result.boxes, result.heads, result.tracklets.tracklet_of_head
    kept = np.flatnonzero(of_head >= 0)
    count = max(len(result.tracklets), 1)
    key = heads.frame[kept].astype(np.int64) * count + of_head[kept]
    kept, key = kept[np.argsort(key)], np.sort(key)
    wanted = boxes.frame.astype(np.int64) * count + boxes.tracklet
    place = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
    yaw_deg = np.full(len(boxes), np.nan, np.float32)
    if len(key):
        found = (key[place] == wanted) & ~boxes.interpolated
        yaw_deg[found] = heads.yaw_deg[kept[place[found]]]
    return yaw_deg


def _tracklet_table(result: VideoResult) -> pa.Table:
    boxes, tracks, count = result.boxes, result.tracks, len(result.tracklets)
    first = np.full(count, np.iinfo(np.int32).max, np.int32)
    last = np.full(count, -1, np.int32)
    np.minimum.at(first, boxes.tracklet, boxes.frame)
    np.maximum.at(last, boxes.tracklet, boxes.frame)
    return pa.table(
        {
            "video_id": _repeat(result.video.video_id, count),
            "tracklet": np.arange(count, dtype=np.int32),
            "shot": result.tracklets.shot,
            "track": tracks.track,
            "first_frame": first,
            "last_frame": last,
            "link_reason": pa.array([LINK_REASONS[code] for code in tracks.link_reason], pa.string()),
            "link_score": tracks.link_score,
            "colour": _vector_column(result.colour, np.ones(count, np.bool_)),
        }
    )


def _crop_table(result: VideoResult, crops: HeadEmbeddings) -> pa.Table:
    heads = result.heads
    return pa.table(
        {
            "video_id": _repeat(result.video.video_id, len(crops)),
            "tracklet": crops.tracklet,
            "frame": heads.frame[crops.head_row],
            "quality": crops.quality,
            "view": _view_column(heads.view[crops.head_row]),
            "identity": _vector_column(crops.identity, crops.has_identity),
            "appearance": _vector_column(crops.appearance, np.ones(len(crops), np.bool_)),
            "recognisability": pa.array(crops.recognisability, mask=~crops.has_identity),
        }
    )


def _vector_column(vectors: npt.NDArray[np.float32], known: npt.NDArray[np.bool_]) -> pa.Array:
    """Give (N, D) float32 as a list column, NULL where not known."""
    width = np.where(known, vectors.shape[1], 0)
    offsets = np.concatenate([[0], np.cumsum(width)]).astype(np.int32)
    return pa.ListArray.from_arrays(
        pa.array(offsets), pa.array(vectors[known].ravel()), mask=pa.array(~known)
    )


def _view_column(view: npt.NDArray[np.int8]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(view), pa.array(VIEW_NAMES)).cast(pa.string())


def _repeat(text: str, count: int) -> pa.Array:
    return pa.repeat(text, count) if count else pa.array([], pa.string())
