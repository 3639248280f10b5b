"""The hierarchy over all videos: identity, then appearance."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array


@dataclass(frozen=True, slots=True)
class LookSpans:
    """Parts of tracks that each show one look; most tracks are one span.

    Attributes:
        row: (S,) int32, the track's row in the gallery; rising, each row at least once.
        start: (S,) int32, first frame of the span.
        stop: (S,) int32, one past its last frame.
        look: (S, Da) float32 quality-weighted unit mean of the appearance embeddings; NaN without any.
    """

    row: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    stop: npt.NDArray[np.int32]
    look: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.row)
        for name, dtype, shape in (
            ("row", np.int32, (n,)),
            ("start", np.int32, (n,)),
            ("stop", np.int32, (n,)),
            ("look", np.float32, (n, None)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))
        if n and (self.row[0] or not np.isin(np.diff(self.row), (0, 1)).all()):
            raise ValueError("spans must lie in the order of their tracks, each track with one at least")

    def __len__(self) -> int:
        return len(self.row)

    @staticmethod
    def whole(look: npt.NDArray[np.float32]) -> LookSpans:
        """Give one span a track, over all its frames; (M, Da) looks."""
        n = len(look)
        last = np.full(n, np.iinfo(np.int32).max, np.int32)
        return LookSpans(np.arange(n, dtype=np.int32), np.zeros(n, np.int32), last, look)


@dataclass(frozen=True, slots=True)
class TrackGallery:
    """What clustering sees of the tracks of all videos, one row a track.

    Attributes:
        video_id: (M,) str.
        track: (M,) int32 number inside its video.
        face: (M, Di) float32 quality-weighted unit mean of the identity embeddings; NaN: no face.
        face_weight: (M,) float32, summed quality of the faces behind `face`; 0 where none.
        face_recognisability: (M,) float32 in 0..1, their quality-weighted mean; 0 where none.
        look: (M, Da) float32 quality-weighted unit mean of the appearance embeddings.
        cannot_link: (P, 2) int32 pairs of rows that share a frame, or that a person told apart.
        must_link: (Q, 2) int32 pairs of rows that a person said are one.
        spans: where the look of a track changes; None where each track shows one look.
    """

    video_id: npt.NDArray[np.str_]
    track: npt.NDArray[np.int32]
    face: npt.NDArray[np.float32]
    face_weight: npt.NDArray[np.float32]
    face_recognisability: npt.NDArray[np.float32]
    look: npt.NDArray[np.float32]
    cannot_link: npt.NDArray[np.int32]
    must_link: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    spans: LookSpans | None = None

    def __post_init__(self) -> None:
        n = len(self.track)
        if self.spans is not None and int(self.spans.row.max(initial=-1)) + 1 != n:
            raise ValueError(f"spans of {int(self.spans.row.max(initial=-1)) + 1} tracks, {n} tracks")
        for name, dtype, shape in (
            ("video_id", np.str_, (n,)),
            ("track", np.int32, (n,)),
            ("face", np.float32, (n, None)),
            ("face_weight", np.float32, (n,)),
            ("face_recognisability", np.float32, (n,)),
            ("look", np.float32, (n, None)),
            ("cannot_link", np.int32, (None, 2)),
            ("must_link", np.int32, (None, 2)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.track)

    @property
    def has_face(self) -> npt.NDArray[np.bool_]:
        """(M,) bool: the track has at least one usable face."""
        return self.face_weight > 0

    @property
    def look_spans(self) -> LookSpans:
        """The spans, each track's whole where none are given."""
        return LookSpans.whole(self.look) if self.spans is None else self.spans


@dataclass(frozen=True, slots=True)
class IdentityTree:
    """Identity and appearance of each track; an appearance has exactly one identity.

    Attributes:
        identity: (M,) int32, every track has one.
        appearance: (M,) int32, numbered over all identities; of several, the one the track shows longest.
        strength: (M,) float32 in 0..1: how well the track fits its identity.
        span_appearance: (S,) int32, that of each part of the gallery's `look_spans`; empty where each
            track is one part.
    """

    identity: npt.NDArray[np.int32]
    appearance: npt.NDArray[np.int32]
    strength: npt.NDArray[np.float32]
    span_appearance: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    def __post_init__(self) -> None:
        n = len(self.identity)
        parts = as_array("span_appearance", self.span_appearance, np.int32, (None,))
        object.__setattr__(self, "span_appearance", parts)
        object.__setattr__(self, "identity", as_array("identity", self.identity, np.int32, (n,)))
        object.__setattr__(self, "appearance", as_array("appearance", self.appearance, np.int32, (n,)))
        object.__setattr__(self, "strength", as_array("strength", self.strength, np.float32, (n,)))
        pairs = np.unique(np.stack([self.appearance, self.identity], 1), axis=0) if n else np.zeros((0, 2))
        if len(np.unique(pairs[:, 0])) != len(pairs):
            raise ValueError("an appearance spans two identities")

    def __len__(self) -> int:
        return len(self.identity)
