"""People and faces of frames: what the built-in networks know of heads."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from headtrack.models.centerface import CenterFace, Faces
from headtrack.models.lanes import Lanes
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
            threads: CPU threads of both networks together.

        Raises:
            ModelError: a model file is missing and cannot be fetched, or is altered.
        """
        self._lanes = Lanes(threads)
        self._pose = YoloPose(
            weights_path(POSE_MODEL),
            image_px=settings.image_px,
            min_score=MIN_PERSON,
            device=device,
            threads=self._lanes.threads_a_pass,
        )
        self._face = CenterFace(
            weights_path(FACE_MODEL),
            threads=self._lanes.threads_a_pass,
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
        return [evidence() for evidence in self.begin(batch)]

    def begin(self, batch: FrameBatch) -> list[Callable[[], HeadEvidence]]:
        """Begin to find them.

        Args:
            batch: its pixels are to stay until the last frame was asked for.

        Returns:
            For each frame a function that waits for its evidence; to be called once.
        """
        start, rgb = self._lanes.start, batch.rgb
        at_once = self._pose.images_at_once or max(len(rgb), 1)
        people = [start(self._pose.find, rgb[i : i + at_once]) for i in range(0, len(rgb), at_once)]
        # Each frame alone, so that none sways another.
        faces = [start(self._face.detect_faces, rgb[i : i + 1]) for i in range(len(rgb))]
        return _evidence_of_each(rgb, people, faces, at_once)


def _evidence_of_each(
    rgb: npt.NDArray[np.uint8],
    people: list[Callable[[], People]],
    faces: list[Callable[[], list[Faces]]],
    at_once: int,
) -> list[Callable[[], HeadEvidence]]:
    known: dict[int, People] = {}

    def evidence(i: int) -> HeadEvidence:
        group, image = divmod(i, at_once)
        if group not in known:
            known[group] = people[group]()
        found = known[group]
        (face,) = faces[i]()
        return _evidence(rgb, found[found.image == image], face)

    return [partial(evidence, i) for i in range(len(rgb))]


def _evidence(rgb: npt.NDArray[np.uint8], people: People, faces: Faces) -> HeadEvidence:
    height, width = rgb.shape[1:3]
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
