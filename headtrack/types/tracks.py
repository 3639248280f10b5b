"""Tracklets (unbroken, inside a shot), their embedded crops, and tracks (tracklets linked)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array, concat, select
from headtrack.types.heads import Heads

LINK_REASONS: tuple[str, ...] = ("start", "occlusion", "shot_change")
LINK_START, LINK_OCCLUSION, LINK_SHOT_CHANGE = range(3)


@dataclass(frozen=True, slots=True)
class Tracklets:
    """Which detected head belongs to which tracklet, and each tracklet's shot.

    Attributes:
        tracklet_of_head: (N,) int32, aligned with the rows of `Heads`; -1 for a head that no
            tracklet keeps.
        shot: (T,) int32 per tracklet. Tracklets are numbered by first frame, then left edge.
    """

    tracklet_of_head: npt.NDArray[np.int32]
    shot: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        of_head = as_array("tracklet_of_head", self.tracklet_of_head, np.int32, (None,))
        object.__setattr__(self, "tracklet_of_head", of_head)
        object.__setattr__(self, "shot", as_array("shot", self.shot, np.int32, (None,)))
        if of_head.size and of_head.max() >= len(self.shot):
            raise ValueError(f"tracklet {of_head.max()} has no shot; there are {len(self.shot)}")

    def __len__(self) -> int:
        return len(self.shot)


@dataclass(frozen=True, slots=True)
class FaceEmbeddings:
    """What a network makes of face chips.

    Attributes:
        vector: (N, D) float32, unit length.
        recognisability: (N,) float32 in 0..1: how far the chip shows whose face it is at all.
    """

    vector: npt.NDArray[np.float32]
    recognisability: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.vector)
        for name, shape in (("vector", (n, None)), ("recognisability", (n,))):
            object.__setattr__(self, name, as_array(name, getattr(self, name), np.float32, shape))

    def __len__(self) -> int:
        return len(self.vector)


@dataclass(frozen=True, slots=True)
class HeadEmbeddings:
    """Embeddings of the chosen crops.

    Attributes:
        head_row: (C,) int32, the row of `Heads` the crop was cut from.
        tracklet: (C,) int32.
        quality: (C,) float32 in 0..1: size, sharpness, frontality, not cut by the frame.
        identity: (C, Di) float32, unit length; NaN where the crop has no usable face.
        appearance: (C, Da) float32, unit length.
        recognisability: (C,) float32 in 0..1: how far the face shows whose it is; 0 without one.
    """

    head_row: npt.NDArray[np.int32]
    tracklet: npt.NDArray[np.int32]
    quality: npt.NDArray[np.float32]
    identity: npt.NDArray[np.float32]
    appearance: npt.NDArray[np.float32]
    recognisability: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.head_row)
        for name, dtype, shape in (
            ("head_row", np.int32, (n,)),
            ("tracklet", np.int32, (n,)),
            ("quality", np.float32, (n,)),
            ("identity", np.float32, (n, None)),
            ("appearance", np.float32, (n, None)),
            ("recognisability", np.float32, (n,)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.head_row)

    def __getitem__(self, index: Any) -> HeadEmbeddings:
        return select(self, index)

    @property
    def has_identity(self) -> npt.NDArray[np.bool_]:
        """(C,) bool: the crop has a face embedding."""
        return np.isfinite(self.identity[:, 0]) if self.identity.shape[1] else np.zeros(len(self), bool)

    def blocks(self) -> Iterator[HeadEmbeddings]:
        """Give all of it at once, as `EmbeddingBlocks` does piece by piece."""
        yield self

    @staticmethod
    def empty(identity_dim: int, appearance_dim: int) -> HeadEmbeddings:
        """Give no crops, with the widths of the two embeddings."""
        none, number = np.zeros(0, np.int32), np.zeros(0, np.float32)
        identity, appearance = (np.zeros((0, dim), np.float32) for dim in (identity_dim, appearance_dim))
        return HeadEmbeddings(none, none, number, identity, appearance, number)

    @staticmethod
    def join(parts: list[HeadEmbeddings], empty: HeadEmbeddings) -> HeadEmbeddings:
        """Join crops in the order given."""
        return concat(parts, empty)


class EmbeddingBlocks(Protocol):
    """Embeddings of a whole video, which need not be in memory all at once."""

    def blocks(self) -> Iterator[HeadEmbeddings]:
        """Give the crops piece by piece, at least one piece; all crops of a tracklet are in one."""
        ...


@dataclass(frozen=True, slots=True)
class SeenTracklets:
    """All by which the tracklets of a video are linked.

    Attributes:
        heads: (N,) detections.
        tracklets: aligned with the heads.
        embeddings: of the chosen crops.
        colour: (T, B) float32 mean histogram of each tracklet's heads and their clothes, unit sum.
        frame_time_s: (F,) float64; that of frames without a head does not matter.
    """

    heads: Heads
    tracklets: Tracklets
    embeddings: EmbeddingBlocks
    colour: npt.NDArray[np.float32]
    frame_time_s: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tracks:
    """Which tracklet belongs to which track, and why it was joined.

    Attributes:
        track: (T,) int32 per tracklet, numbered by first frame.
        link_reason: (T,) int8 code into `LINK_REASONS`: how the tracklet joined the earlier part
            of its track; `start` for the first.
        link_score: (T,) float32 in 0..1: strength of that link; 1 for the first.
    """

    track: npt.NDArray[np.int32]
    link_reason: npt.NDArray[np.int8]
    link_score: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.track)
        object.__setattr__(self, "track", as_array("track", self.track, np.int32, (n,)))
        object.__setattr__(self, "link_reason", as_array("link_reason", self.link_reason, np.int8, (n,)))
        object.__setattr__(self, "link_score", as_array("link_score", self.link_score, np.float32, (n,)))

    def __len__(self) -> int:
        return len(self.track)
