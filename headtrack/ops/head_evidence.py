"""What the networks found in one frame: people with keypoints, and faces with landmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array

# What the networks are asked for; `HEAD_FITS` was made from people and faces from these scores on.
MIN_PERSON = 0.1
MIN_FACE = 0.2


@dataclass(frozen=True, slots=True)
class HeadEvidence:
    """People and faces of one frame.

    Attributes:
        width: of the frame, px.
        height: of the frame, px.
        body_xyxy: (P, 4) px.
        body_score: (P,) in 0..1.
        keypoints: (P, 17, 3) x and y in px, confidence in 0..1; COCO order.
        face_xyxy: (F, 4) px.
        face_score: (F,) in 0..1.
        landmarks: (F, 5, 2) px, ordered as in `Heads.landmarks`.
    """

    width: int
    height: int
    body_xyxy: npt.NDArray[np.floating]
    body_score: npt.NDArray[np.floating]
    keypoints: npt.NDArray[np.floating]
    face_xyxy: npt.NDArray[np.floating]
    face_score: npt.NDArray[np.floating]
    landmarks: npt.NDArray[np.floating]

    def __post_init__(self) -> None:
        people, faces = len(self.body_score), len(self.face_score)
        for name, shape in (
            ("body_xyxy", (people, 4)),
            ("body_score", (people,)),
            ("keypoints", (people, 17, 3)),
            ("face_xyxy", (faces, 4)),
            ("face_score", (faces,)),
            ("landmarks", (faces, 5, 2)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), np.float64, shape))

    @property
    def longest_px(self) -> int:
        """Longest side of the frame."""
        return max(self.width, self.height)
