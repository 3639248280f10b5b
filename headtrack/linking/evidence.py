"""What is known of each tracklet when tracklets are linked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.ops.vectors import group_unit_means, group_weighted_means
from headtrack.types import EmbeddingBlocks, HeadEmbeddings, Heads, Tracklets
from headtrack.types.arrays import as_array


@dataclass(frozen=True, slots=True)
class TrackletEvidence:
    """One row a tracklet, and the appearance of its crops.

    Attributes:
        shot: (T,) int32.
        first_s: (T,) float64 time of the first detection.
        last_s: (T,) float64 time of the last detection.
        first_xyxy: (T, 4) float32 px.
        last_xyxy: (T, 4) float32 px.
        face: (T, Di) float32 unit mean of its faces, NaN without a face.
        face_weight: (T,) float32 summed quality of the faces.
        face_recognisability: (T,) float32 in 0..1, their quality-weighted mean; 0 without a face.
        look: (T, Da) float32 unit mean of its crops' appearance, NaN without a crop.
        colour: (T, B) float32 mean colour histogram of head and clothing, unit sum.
    """

    shot: npt.NDArray[np.int32]
    first_s: npt.NDArray[np.float64]
    last_s: npt.NDArray[np.float64]
    first_xyxy: npt.NDArray[np.float32]
    last_xyxy: npt.NDArray[np.float32]
    face: npt.NDArray[np.float32]
    face_weight: npt.NDArray[np.float32]
    face_recognisability: npt.NDArray[np.float32]
    look: npt.NDArray[np.float32]
    colour: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.shot)
        for name, dtype, shape in (
            ("shot", np.int32, (n,)),
            ("first_s", np.float64, (n,)),
            ("last_s", np.float64, (n,)),
            ("first_xyxy", np.float32, (n, 4)),
            ("last_xyxy", np.float32, (n, 4)),
            ("face", np.float32, (n, None)),
            ("face_weight", np.float32, (n,)),
            ("face_recognisability", np.float32, (n,)),
            ("look", np.float32, (n, None)),
            ("colour", np.float32, (n, None)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.shot)

    @property
    def has_face(self) -> npt.NDArray[np.bool_]:
        """(T,) bool."""
        return self.face_weight > 0


@dataclass(slots=True)
class _Crops:
    """What the crops of each tracklet say together, taken in block by block."""

    face: npt.NDArray[np.float32]
    face_weight: npt.NDArray[np.float32]
    face_recognisability: npt.NDArray[np.float32]
    look: npt.NDArray[np.float32]

    @staticmethod
    def none(count: int, block: HeadEmbeddings) -> _Crops:
        """Give `count` tracklets without a crop."""
        face, look = (
            np.full((count, vectors.shape[1]), np.nan, np.float32)
            for vectors in (block.identity, block.appearance)
        )
        return _Crops(face, np.zeros(count, np.float32), np.zeros(count, np.float32), look)

    def take_in(self, block: HeadEmbeddings) -> None:
        """Sum up the tracklets of a block, which holds all their crops."""
        if not len(block):
            return
        first = int(block.tracklet.min())
        count = int(block.tracklet.max()) + 1 - first
        tracklet, rows = block.tracklet - first, slice(first, first + count)
        weight = np.where(block.has_identity, block.quality, 0)
        self.face[rows] = group_unit_means(block.identity, tracklet, weight, count)
        self.face_weight[rows] = np.bincount(tracklet, weights=weight, minlength=count)
        clear = group_weighted_means(block.recognisability, tracklet, weight, count)
        self.face_recognisability[rows] = clear
        self.look[rows] = group_unit_means(block.appearance, tracklet, block.quality, count)


def gather_evidence(
    heads: Heads,
    tracklets: Tracklets,
    embeddings: EmbeddingBlocks,
    *,
    colour: npt.NDArray[np.float32],
    frame_time_s: npt.NDArray[np.float64],
) -> TrackletEvidence:
    """Sum up heads and embedded crops by tracklet.

    Args:
        heads: (N,) detections.
        tracklets: aligned with the heads.
        embeddings: of the chosen crops.
        colour: (T, B) float32 mean histogram of each tracklet's heads, unit sum.
        frame_time_s: (F,) float64.
    """
    count = len(tracklets)
    rows = np.flatnonzero(tracklets.tracklet_of_head >= 0)
    of_head = tracklets.tracklet_of_head[rows]
    first = np.full(count, len(heads), np.int64)
    last = np.full(count, -1, np.int64)
    np.minimum.at(first, of_head, rows)
    np.maximum.at(last, of_head, rows)
    crops = _summed_up(embeddings, count)
    return TrackletEvidence(
        shot=tracklets.shot,
        first_s=frame_time_s[heads.frame[first]] if count else np.zeros(0),
        last_s=frame_time_s[heads.frame[last]] if count else np.zeros(0),
        first_xyxy=heads.xyxy[first] if count else np.zeros((0, 4), np.float32),
        last_xyxy=heads.xyxy[last] if count else np.zeros((0, 4), np.float32),
        face=crops.face,
        face_weight=crops.face_weight,
        face_recognisability=crops.face_recognisability,
        look=crops.look,
        colour=colour,
    )


def _summed_up(embeddings: EmbeddingBlocks, count: int) -> _Crops:
    blocks = embeddings.blocks()
    block = next(blocks)
    crops = _Crops.none(count, block)
    crops.take_in(block)
    for block in blocks:
        crops.take_in(block)
    return crops


def overlapping_pairs(heads: Heads, tracklets: Tracklets) -> npt.NDArray[np.int32]:
    """Give pairs of tracklets that share a frame: two heads at once are two people.

    Returns:
        (P, 2) int32, each pair once, smaller first.
    """
    rows = np.flatnonzero(tracklets.tracklet_of_head >= 0)
    frame, tracklet = heads.frame[rows], tracklets.tracklet_of_head[rows]
    pairs: set[tuple[int, int]] = set()
    starts = np.flatnonzero(np.diff(frame, prepend=-1))
    for group in np.split(tracklet, starts[1:]):
        present = sorted(set(group.tolist()))
        pairs.update((a, b) for k, a in enumerate(present) for b in present[k + 1 :])
    return np.array(sorted(pairs), np.int32).reshape(-1, 2)
