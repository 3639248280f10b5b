"""People and faces of frames: what the built-in networks know of heads."""

from __future__ import annotations

import copy

import numpy as np

from headtrack.models.centerface import CenterFace, Faces
from headtrack.models.registry import model_id
from headtrack.models.weights import weights_path
from headtrack.models.yolo_pose import People, YoloPose
from headtrack.ops.head_evidence import MIN_FACE, MIN_PERSON, HeadEvidence
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch

POSE_MODEL, FACE_MODEL = "yolo11n-pose", "centerface"


class EvidenceFinder:
    """YOLO11n-pose and CenterFace.

    On a CPU the evidence of a frame does not depend on the other frames of its batch.
    """

    def __init__(self, settings: DetectSettings, *, device: str, threads: int) -> None:
        """Load both networks.

        Args:
            settings: size at which the networks see a frame.
            device: `cpu` or `cuda`.
            threads: CPU threads of each network.

        Raises:
            ModelError: a model file is missing and cannot be fetched, or is altered.
        """
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

    def at(self, image_px: int) -> EvidenceFinder:
        """Give the same networks, looking at frames of another longest side."""
        other = copy.copy(self)
        other._pose, other._face = self._pose.at(image_px), self._face.at(image_px)
        return other

    def find(self, batch: FrameBatch) -> list[HeadEvidence]:
        """Give the people and faces of each frame."""
        people = self._pose.find(batch.rgb)
        found = []
        for i in range(len(batch)):
            (faces,) = self._face.detect_faces(batch.rgb[i : i + 1])  # alone, so that no frame sways another
            found.append(_evidence(batch, people[people.image == i], faces))
        return found


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
        landmarks=np.asarray(faces.landmarks),
    )
