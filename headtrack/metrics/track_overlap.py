"""What every tracking metric sees: ids from 0 and the IoU of truth and prediction, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.ops.boxes import iou_matrix
from headtrack.types.arrays import as_array


@dataclass(frozen=True, slots=True)
class TrackedBoxes:
    """Boxes that carry the id of what they show, in any order.

    Attributes:
        frame: (N,) int64.
        track: (N,) int64, one box a frame at most.
        xyxy: (N, 4) float64 px.
    """

    frame: npt.NDArray[np.int64]
    track: npt.NDArray[np.int64]
    xyxy: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = len(self.frame)
        object.__setattr__(self, "frame", as_array("frame", self.frame, np.int64, (n,)))
        object.__setattr__(self, "track", as_array("track", self.track, np.int64, (n,)))
        object.__setattr__(self, "xyxy", as_array("xyxy", self.xyxy, np.float64, (n, 4)))
        pairs, counts = np.unique(np.stack([self.frame, self.track], 1), axis=0, return_counts=True)
        if n and counts.max() > 1:
            frame, track = pairs[counts.argmax()]
            raise ValueError(f"track {track} has {counts.max()} boxes in frame {frame}; one is allowed")

    def __len__(self) -> int:
        return len(self.frame)


@dataclass(frozen=True, slots=True)
class FrameOverlap:
    """One frame: who is there, who is predicted, and how much they overlap.

    Attributes:
        truth: (G,) int64 ids from 0.
        predicted: (P,) int64 ids from 0.
        iou: (G, P) float64 in 0..1.
    """

    truth: npt.NDArray[np.int64]
    predicted: npt.NDArray[np.int64]
    iou: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrackOverlap:
    """One sequence, ready to be scored.

    Attributes:
        frames: every frame with a box of either side, in order.
        truth_tracks: number of true ids; they run from 0.
        predicted_tracks: number of predicted ids; they run from 0.
    """

    frames: tuple[FrameOverlap, ...]
    truth_tracks: int
    predicted_tracks: int

    @property
    def truth_boxes(self) -> int:
        """Number of true boxes."""
        return sum(len(frame.truth) for frame in self.frames)

    @property
    def predicted_boxes(self) -> int:
        """Number of predicted boxes."""
        return sum(len(frame.predicted) for frame in self.frames)


def overlap_tracks(truth: TrackedBoxes, predicted: TrackedBoxes) -> TrackOverlap:
    """Put truth and prediction side by side, frame by frame.

    Args:
        truth: boxes of the sequence.
        predicted: boxes of the same sequence; frames with neither are left out.

    >>> one = TrackedBoxes([4], [7], [[0, 0, 2, 2]])
    >>> overlap_tracks(one, one).frames[0].iou.tolist()
    [[1.0]]
    """
    true_ids, true_id = np.unique(truth.track, return_inverse=True)
    predicted_ids, predicted_id = np.unique(predicted.track, return_inverse=True)
    frames = []
    for frame in np.union1d(truth.frame, predicted.frame):
        g = np.flatnonzero(truth.frame == frame)
        p = np.flatnonzero(predicted.frame == frame)
        iou = iou_matrix(truth.xyxy[g], predicted.xyxy[p]).astype(np.float64)
        frames.append(FrameOverlap(true_id[g], predicted_id[p], iou))
    return TrackOverlap(tuple(frames), len(true_ids), len(predicted_ids))
