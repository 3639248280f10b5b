"""Heads, rear views included: people's keypoints and faces, united."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.models.centerface import CenterFace, Faces
from headtrack.models.registry import model_id
from headtrack.models.weights import weights_path
from headtrack.models.yolo_pose import People, YoloPose
from headtrack.ops.head_evidence import MIN_FACE, MIN_PERSON, HeadEvidence
from headtrack.ops.head_fits import HEAD_FITS
from headtrack.ops.head_union import NONE, HeadUnion, unite_heads
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, Heads
from headtrack.types.views import REAR, VIEW_EDGES_DEG, view_of_yaw

POSE_MODEL, FACE_MODEL = "yolo11n-pose", "centerface"
MIN_REARNESS = 0.5


class PoseFaceDetector:
    """YOLO11n-pose and CenterFace as one `HeadDetector`.

    On a CPU the heads of a frame do not depend on the other frames of its batch.
    """

    def __init__(self, settings: DetectSettings, *, device: str, threads: int) -> None:
        """Load both networks.

        Args:
            settings: size at which the networks see a frame; lowest score and size of a head.
            device: `cpu` or `cuda`.
            threads: CPU threads of each network.

        Raises:
            ModelError: a model file is missing and cannot be fetched, or is altered.
        """
        self._settings = settings
        self._pose = YoloPose(
            weights_path(POSE_MODEL),
            image_px=settings.image_px,
            min_score=MIN_PERSON,
            device=device,
            threads=threads,
        )
        self._face = CenterFace(
            weights_path(FACE_MODEL),
            threads=threads,
            image_px=settings.image_px,
            min_score=MIN_FACE,
            device=device,
        )

    @property
    def model_ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per network."""
        return model_id(POSE_MODEL), model_id(FACE_MODEL)

    def detect(self, batch: FrameBatch) -> Heads:
        """Give the heads of the batch's frames, sorted by frame, then left edge."""
        people = self._pose.find(batch.rgb)
        heads = []
        for i, frame in enumerate(batch.frame):
            (faces,) = self._face.detect_faces(batch.rgb[i : i + 1])  # alone, so that no frame sways another
            evidence = _evidence(batch, people[people.image == i], faces)
            heads.append(_heads(int(frame), evidence, self._settings))
        return Heads.join(heads)


def _evidence(batch: FrameBatch, people: People, faces: Faces) -> HeadEvidence:
    height, width = batch.rgb.shape[1:3]
    return HeadEvidence(
        width=width,
        height=height,
        body_xyxy=people.xyxy,
        body_score=people.score,
        keypoints=people.keypoints,
        face_xyxy=faces.xyxy,
        face_score=faces.score,
        landmarks=faces.landmarks,
    )


def _heads(frame: int, evidence: HeadEvidence, settings: DetectSettings) -> Heads:
    union = unite_heads(evidence, HEAD_FITS)
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
    """Give each head's view; one with an eye in view is at most a profile, whatever its yaw."""
    most = np.nextafter(VIEW_EDGES_DEG[-1], 0)
    views = view_of_yaw(np.clip(union.yaw_deg[rows], -most, most).astype(np.float32))
    return np.where(rear, REAR, views).astype(np.int8)


def _taken(values: npt.NDArray[np.floating], row: npt.NDArray[np.int64]) -> npt.NDArray[np.floating]:
    """Take rows of an array, NaN where the row is `NONE`."""
    taken = np.full((len(row), *values.shape[1:]), np.nan)
    taken[row != NONE] = values[row[row != NONE]]
    return taken
