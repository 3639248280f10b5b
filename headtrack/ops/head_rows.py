"""From the heads of one frame to rows of `Heads`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_union import NONE, HeadUnion
from headtrack.settings import DetectSettings
from headtrack.types import Heads
from headtrack.types.views import PROFILE, REAR, VIEW_EDGES_DEG, view_of_yaw

MIN_REARNESS = 0.5


def heads_of_union(frame: int, union: HeadUnion, evidence: HeadEvidence, settings: DetectSettings) -> Heads:
    """Give the heads of one frame that are likely and large enough, from left to right.

    Args:
        frame: its number.
        union: its heads.
        evidence: the people and faces they refer to.
        settings: lowest score and size.
    """
    sides = union.xyxy[:, 2:] - union.xyxy[:, :2]
    kept = (union.score >= settings.min_score) & (sides.min(axis=1) >= settings.min_head_px)
    rows = np.flatnonzero(kept)
    rows = rows[np.argsort(union.xyxy[rows, 0], kind="stable")]
    rear = union.rearness[rows] >= MIN_REARNESS
    face, person = union.face[rows], union.person[rows]
    return Heads(
        frame=np.full(len(rows), frame),
        xyxy=union.xyxy[rows],
        score=union.score[rows],
        view=_views(union, rows, rear),
        yaw_deg=np.where(rear, np.nan, union.yaw_deg[rows]),
        face_score=_taken(evidence.face_score, face),
        face_xyxy=_taken(evidence.face_xyxy, face),
        landmarks=_taken(evidence.landmarks, face),
        body_xyxy=_taken(evidence.body_xyxy, person),
    )


def _views(union: HeadUnion, rows: npt.NDArray[np.intp], rear: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    """Give each head's view; one with an eye in view is at most a profile, whatever its yaw.

    One of which nothing is known is called a profile: as far from front as from rear.
    """
    most = np.nextafter(VIEW_EDGES_DEG[-1], 0)
    yaw = union.yaw_deg[rows]
    views = view_of_yaw(np.clip(np.nan_to_num(yaw), -most, most).astype(np.float32))
    return np.where(rear, REAR, np.where(np.isnan(yaw), PROFILE, views)).astype(np.int8)


def _taken(values: npt.NDArray[np.floating], row: npt.NDArray[np.int64]) -> npt.NDArray[np.floating]:
    """Take rows of an array, NaN where the row is `NONE`."""
    taken = np.full((len(row), *values.shape[1:]), np.nan)
    taken[row != NONE] = values[row[row != NONE]]
    return taken
