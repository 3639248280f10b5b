"""Heads: one row for one head in one frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array, concat, select


@dataclass(frozen=True, slots=True)
class Heads:
    """Detected heads of a run of frames, sorted by frame.

    Attributes:
        frame: (N,) int32.
        xyxy: (N, 4) float32 px, hair or hat top to chin (rear: nape), upright frame.
        score: (N,) float32 in 0..1.
        view: (N,) int8 code into `VIEW_NAMES`.
        yaw_deg: (N,) float32, NaN where unknown; positive turns to the image's right.
        face_score: (N,) float32 in 0..1, NaN where no face was found.
        face_xyxy: (N, 4) float32 px box of the face, NaN where no face was found.
        landmarks: (N, 5, 2) float32 px: the eye at the image's left, the eye at its right,
            nose tip, the mouth corner at the left, at the right; NaN where no face was found.
        body_xyxy: (N, 4) float32 px box of the person, NaN where unknown.
    """

    frame: npt.NDArray[np.int32]
    xyxy: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]
    view: npt.NDArray[np.int8]
    yaw_deg: npt.NDArray[np.float32]
    face_score: npt.NDArray[np.float32]
    face_xyxy: npt.NDArray[np.float32]
    landmarks: npt.NDArray[np.float32]
    body_xyxy: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.frame)
        for name, dtype, shape in (
            ("frame", np.int32, (n,)),
            ("xyxy", np.float32, (n, 4)),
            ("score", np.float32, (n,)),
            ("view", np.int8, (n,)),
            ("yaw_deg", np.float32, (n,)),
            ("face_score", np.float32, (n,)),
            ("face_xyxy", np.float32, (n, 4)),
            ("landmarks", np.float32, (n, 5, 2)),
            ("body_xyxy", np.float32, (n, 4)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, index: Any) -> Heads:
        return select(self, index)

    @property
    def has_face(self) -> npt.NDArray[np.bool_]:
        """(N,) bool: a face was found in the head."""
        return np.isfinite(self.face_score)

    @staticmethod
    def empty() -> Heads:
        """Give no heads at all."""
        f32 = np.float32
        return Heads(
            np.zeros(0, np.int32),
            np.zeros((0, 4), f32),
            np.zeros(0, f32),
            np.zeros(0, np.int8),
            np.zeros(0, f32),
            np.zeros(0, f32),
            np.zeros((0, 4), f32),
            np.zeros((0, 5, 2), f32),
            np.zeros((0, 4), f32),
        )

    @staticmethod
    def join(parts: list[Heads]) -> Heads:
        """Join runs of heads in the order given."""
        return concat(parts, Heads.empty())

    def to_supervision(self) -> Any:
        """Give the same boxes as a `supervision.Detections` for its annotators and metrics."""
        import supervision as sv

        return sv.Detections(
            xyxy=np.array(self.xyxy), confidence=np.array(self.score), data={"view": np.array(self.view)}
        )


@dataclass(frozen=True, slots=True)
class Detections:
    """What a detector gave in a video.

    Attributes:
        looked_at: (L,) int32 frames in which heads were looked for, sorted, each once.
        heads: in these frames, in the detector's order.
    """

    looked_at: npt.NDArray[np.int32]
    heads: Heads

    def __post_init__(self) -> None:
        object.__setattr__(self, "looked_at", as_array("looked_at", self.looked_at, np.int32, (None,)))
        if (np.diff(self.looked_at) <= 0).any():
            raise ValueError("the frames looked at are not sorted, or one is there twice")
        if not np.isin(self.heads.frame, self.looked_at).all():
            raise ValueError("there is a head in a frame that was not looked at")

    def __len__(self) -> int:
        return len(self.looked_at)


@dataclass(frozen=True, slots=True)
class HeadBoxes:
    """Boxes of the heads in one image, and nothing else of them.

    Attributes:
        xyxy: (N, 4) float32 px, hair or hat top to chin (rear: nape), within the image.
        score: (N,) float32 in 0..1.
    """

    xyxy: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.score)
        object.__setattr__(self, "xyxy", as_array("xyxy", self.xyxy, np.float32, (n, 4)))
        object.__setattr__(self, "score", as_array("score", self.score, np.float32, (n,)))

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True, slots=True)
class BoxTrack:
    """Boxes of heads at every frame, detected or interpolated.

    Attributes:
        frame: (N,) int32.
        xyxy: (N, 4) float32 px.
        score: (N,) float32; of an interpolated box, the lower of its two neighbours.
        view: (N,) int8 code into `VIEW_NAMES`; of an interpolated box, the nearer neighbour's.
        interpolated: (N,) bool.
        tracklet: (N,) int32.
    """

    frame: npt.NDArray[np.int32]
    xyxy: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]
    view: npt.NDArray[np.int8]
    interpolated: npt.NDArray[np.bool_]
    tracklet: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        n = len(self.frame)
        for name, dtype, shape in (
            ("frame", np.int32, (n,)),
            ("xyxy", np.float32, (n, 4)),
            ("score", np.float32, (n,)),
            ("view", np.int8, (n,)),
            ("interpolated", np.bool_, (n,)),
            ("tracklet", np.int32, (n,)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, index: Any) -> BoxTrack:
        return select(self, index)

    @staticmethod
    def join(parts: list[BoxTrack]) -> BoxTrack:
        """Join runs of boxes in the order given."""
        none = BoxTrack(
            np.zeros(0, np.int32),
            np.zeros((0, 4), np.float32),
            np.zeros(0, np.float32),
            np.zeros(0, np.int8),
            np.zeros(0, np.bool_),
            np.zeros(0, np.int32),
        )
        return concat(parts, none)
