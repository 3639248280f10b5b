"""Detections made before, with what the main job would know of their pixels: input of `association.py`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import supervision as sv

from headtrack.pipeline.looking import look_at  # the main job's descriptors, not a copy of them
from headtrack.settings import DecodeSettings, Settings
from headtrack.store.database import open_reader
from headtrack.store.measure import detection_rows
from headtrack.store.read import named_query
from headtrack.types import FrameBatch, Heads
from headtrack.video.decode import decode
from headtrack.video.probe import probe


@dataclass(frozen=True)
class CachedLook:
    """The detections of one looked-at frame."""

    frame: int
    time_s: float
    frame_px: tuple[int, int]
    shot: int
    heads: Heads
    descriptor: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Sequence:
    """Looks in order, and how many a second there are."""

    looks: list[CachedLook]
    fps: float

    @cached_property
    def detections(self) -> list[sv.Detections]:
        """The looks as `supervision` has them; each box knows its row."""
        return [
            sv.Detections(
                xyxy=np.array(look.heads.xyxy, np.float32),
                confidence=np.array(look.heads.score),
                class_id=np.zeros(len(look.heads), int),
                data={"row": np.arange(len(look.heads))},
            )
            for look in self.looks
        ]


def mot_detections(path: Path) -> npt.NDArray[np.float64]:
    """Read (frame from 0, x1, y1, x2, y2, score) rows of a MOT file whose ids do not count."""
    rows = np.loadtxt(path, delimiter=",", ndmin=2)
    score = rows[:, 6] if path.name == "det.txt" else np.ones(len(rows))
    boxes = np.column_stack([rows[:, 0] - 1, rows[:, 2:4], rows[:, 2:4] + rows[:, 4:6], score])
    return boxes[np.argsort(boxes[:, 0], kind="stable")]


def without_pixels(detections: npt.NDArray[np.float64], fps: float, frame_px: tuple[int, int]) -> Sequence:
    """Give looks whose detections all look alike: geometry alone decides."""
    return Sequence(
        [
            CachedLook(k, k / fps, frame_px, 0, heads, np.ones((len(heads), 1), np.float32))
            for k in range(int(detections[:, 0].max()) + 1)
            for heads in [as_heads(detections[detections[:, 0] == k])]
        ],
        fps,
    )


def with_pixels(
    video: Path, detections: npt.NDArray[np.float64], shot_starts: npt.NDArray[np.integer], every_frame: bool
) -> Sequence:
    """Give looks with the descriptors that the main job makes, from the frames of a video.

    Args:
        video: the file.
        detections: rows as `mot_detections` gives them.
        shot_starts: first frame of each shot.
        every_frame: a frame without detections was looked at too.
    """
    probed = probe(video, DecodeSettings())
    models: Any = SimpleNamespace(detector=_Cached(as_heads(detections)))
    looked_at = None if every_frame else set(detections[:, 0].astype(int).tolist())
    looks = []
    for batch in decode(probed, DecodeSettings()):
        picked = [k for k, f in enumerate(batch.frame.tolist()) if looked_at is None or f in looked_at]
        due = FrameBatch(batch.rgb[picked], batch.frame[picked], batch.time_s[picked])
        for look in look_at(due, models, Settings()):
            shot = int(np.searchsorted(shot_starts, look.frame, side="right"))
            looks.append(
                CachedLook(look.frame, look.time_s, look.frame_px, shot, look.heads, look.descriptor)
            )
    return Sequence(looks, (len(looks) - 1) / max(looks[-1].time_s - looks[0].time_s, 1e-9))


def head_detections(db: Path, clip: Path) -> npt.NDArray[np.float64]:
    """Read the detected heads of a clip, rows as `mot_detections` gives them."""
    with open_reader(db) as con:
        return np.array(detection_rows(con, str(clip)), np.float64).reshape(-1, 6)


def shot_starts(db: Path, clip: Path) -> npt.NDArray[np.int64]:
    """Read the first frame of each shot of a clip."""
    with open_reader(db) as con:
        shots = named_query(con, "shots_in_file", {"path": str(clip)})
    return np.array([row[shots.columns.index("start_frame")] for row in shots.rows], np.int64)


def as_heads(rows: npt.NDArray[np.float64]) -> Heads:
    """Give detection rows as heads of which only box and score are known."""
    n = len(rows)
    nan = np.full(n, np.nan, np.float32)
    return Heads(
        frame=rows[:, 0],
        xyxy=rows[:, 1:5],
        score=np.clip(rows[:, 5], 0, 1),
        view=np.zeros(n),
        yaw_deg=nan,
        face_score=nan,
        face_xyxy=np.full((n, 4), np.nan),
        landmarks=np.full((n, 5, 2), np.nan),
        body_xyxy=np.full((n, 4), np.nan),
    )


class _Cached:
    """A detector that found everything before."""

    def __init__(self, heads: Heads) -> None:
        self.heads = heads

    def detect(self, batch: FrameBatch) -> Heads:
        return self.heads[np.isin(self.heads.frame, batch.frame)]
