"""What the pipeline asks of its replaceable parts: a few methods each, no torch here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from headtrack.types import FaceEmbeddings, FrameBatch, Heads, Video


@runtime_checkable
class Decoder(Protocol):
    """Gives every frame of a video once, in order."""

    def batches(self, video: Video, *, batch_frames: int) -> Iterator[FrameBatch]:
        """Yield upright RGB frames from the first to the last.

        Raises:
            VideoError: no (further) frame can be had; frames yielded before stay valid.
        """
        ...


@runtime_checkable
class HeadDetector(Protocol):
    """Finds heads, rear views included."""

    @property
    def model_ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per model behind it."""
        ...

    def detect(self, batch: FrameBatch) -> Heads:
        """Give the heads of the batch's frames, sorted by frame, then left edge."""
        ...


@runtime_checkable
class IdentityEmbedder(Protocol):
    """Embeds faces so that one person's lie close together."""

    @property
    def model_id(self) -> str:
        """`name@sha256-prefix`."""
        ...

    @property
    def dim(self) -> int:
        """Length of its vectors."""
        ...

    def align(self, rgb: npt.NDArray[np.uint8], landmarks: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
        """Cut the face chip that `embed` wants out of an image.

        Args:
            rgb: (H, W, 3) uint8.
            landmarks: (5, 2) float32 px in that image, ordered as in `Heads.landmarks`.

        Returns:
            (S, S, 3) uint8.
        """
        ...

    def embed(self, chips: npt.NDArray[np.uint8]) -> FaceEmbeddings:
        """Embed (N, S, S, 3) uint8 chips, as `align` cuts them."""
        ...


@runtime_checkable
class AppearanceEmbedder(Protocol):
    """Embeds whole heads so that one look's lie close together."""

    @property
    def model_id(self) -> str:
        """`name@sha256-prefix`."""
        ...

    def embed(self, crops: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.float32]:
        """Embed N (h, w, 3) uint8 head crops of any size as (N, D) float32 unit vectors."""
        ...


@runtime_checkable
class ShotScorer(Protocol):
    """Judges whether a transition lies at each frame."""

    @property
    def model_id(self) -> str:
        """`name@sha256-prefix`."""
        ...

    def score(self, thumbnails: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Give (N,) float32 probabilities that a transition lies between frame i and i + 1.

        Args:
            thumbnails: (N, 27, 48, 3) uint8 RGB, consecutive frames.
        """
        ...
