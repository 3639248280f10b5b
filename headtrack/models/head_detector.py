"""Heads, rear views included: by keypoints and faces, or by boxes and what belongs to each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headtrack.errors import ModelError
from headtrack.models.evidence_finder import EvidenceFinder
from headtrack.ops.boxes import areas, clip_boxes
from headtrack.ops.far_heads import has_small_people, join_far_heads, tiles
from headtrack.ops.head_attach import attach_evidence
from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_fits import HEAD_FITS
from headtrack.ops.head_rows import heads_of_union
from headtrack.ops.head_union import unite_heads
from headtrack.ops.near_heads import join_near_heads
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, HeadBoxes, Heads

# Smaller side of a head, as the networks see it, from which CenterFace finds a face in it that looks
# at the camera; it finds faces from about 10 px, which are about half a head.
SHOWING_FACE_PX = 20.0
# Size of the copy in which close-ups are looked for: 224 of 640 px, where a head as high as the frame is
# 126 px high; an eighth of the work.
NEAR_SIZE = 0.35


class BoxFinder(Protocol):
    """Finds boxes of heads and knows nothing else of them."""

    def find(self, rgb: npt.NDArray[np.uint8]) -> list[HeadBoxes]:
        """Give the heads of each of (N, H, W, 3) uint8 images, in any order."""
        ...


class PoseFaceDetector:
    """YOLO11n-pose and CenterFace as one `HeadDetector`.

    On a CPU the heads of a frame do not depend on the other frames of its batch.
    """

    def __init__(self, settings: DetectSettings, *, device: str, threads: int) -> None:
        """Load both networks.

        Args:
            settings: size at which the networks see a frame; lowest score and size of a head.
            device: `cpu` or `cuda`.
            threads: CPU threads of both networks together.

        Raises:
            ModelError: a model file is missing and cannot be fetched, or is altered.
        """
        self._settings = settings
        self._finder = EvidenceFinder(settings, device=device, threads=threads)
        self._near_finder = self._finder.at(round(settings.image_px * NEAR_SIZE))

    @property
    def model_ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per network."""
        return self._finder.model_ids

    def detect(self, batch: FrameBatch) -> Heads:
        """Give the heads of the batch's frames, sorted by frame, then left edge."""
        begun = zip(
            batch.frame, batch.rgb, self._finder.begin(batch), self._near_finder.begin(batch), strict=True
        )
        heads = [self._begin_heads(int(frame), rgb, whole(), small()) for frame, rgb, whole, small in begun]
        return Heads.join([found() for found in heads])

    def _begin_heads(
        self, frame: int, rgb: npt.NDArray[np.uint8], evidence: HeadEvidence, near_evidence: HeadEvidence
    ) -> Callable[[], Heads]:
        """Begin to look at enlarged tiles of a frame as well, where that is to be."""
        union = unite_heads(evidence, HEAD_FITS)
        found = heads_of_union(frame, union, evidence, self._settings)
        found = join_near_heads(found, self._heads(frame, near_evidence), longest_px=evidence.longest_px)
        if not has_small_people(union, evidence, image_px=self._settings.image_px):
            return lambda: found
        height, width = rgb.shape[:2]
        parts = tiles(width, height)
        pixels = np.stack([rgb[y1:y2, x1:x2] for x1, y1, x2, y2 in parts])
        begun = self._finder.begin(FrameBatch(pixels, np.full(len(parts), frame), np.zeros(len(parts))))

        def with_far_heads() -> Heads:
            in_tiles = [(tile, self._heads(frame, seen())) for tile, seen in zip(parts, begun, strict=True)]
            return join_far_heads(
                found, in_tiles, longest_px=max(height, width), image_px=self._settings.image_px
            )

        return with_far_heads

    def _heads(self, frame: int, evidence: HeadEvidence) -> Heads:
        return heads_of_union(frame, unite_heads(evidence, HEAD_FITS), evidence, self._settings)


class BoxHeadDetector:
    """Anything that gives boxes of heads as a `HeadDetector`; people and faces by the built-in networks.

    Boxes and scores are the finder's. Faces and bodies, which the identities and tracks need, and
    the side from which a head is seen come from YOLO11n-pose and CenterFace: see `attach_evidence`.
    """

    def __init__(
        self, finder: BoxFinder, model_id: str, settings: DetectSettings, *, device: str, threads: int
    ) -> None:
        """Load the built-in networks.

        Args:
            finder: gives the boxes.
            model_id: `name@version` of what is behind it.
            settings: size at which the networks see a frame; lowest score and size of a head.
            device: `cpu` or `cuda`, for the built-in networks.
            threads: CPU threads of the built-in networks.

        Raises:
            ModelError: a built-in model cannot be had.
        """
        self._boxes = finder
        self._id = model_id
        self._settings = settings
        self._evidence = EvidenceFinder(settings, device=device, threads=threads)

    @property
    def model_ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per network, the finder's first."""
        return self._id, *self._evidence.model_ids

    def detect(self, batch: FrameBatch) -> Heads:
        """Give the heads of the batch's frames, sorted by frame, then left edge."""
        heads = []
        rows = zip(batch.frame, self._boxes.find(batch.rgb), self._evidence.find(batch), strict=True)
        for frame, found, evidence in rows:
            boxes = self._checked(found, evidence)
            union = attach_evidence(
                boxes.xyxy.astype(np.float64),
                boxes.score,
                evidence=evidence,
                fits=HEAD_FITS,
                showing_face_px=SHOWING_FACE_PX * evidence.longest_px / self._settings.image_px,
            )
            heads.append(heads_of_union(int(frame), union, evidence, self._settings))
        return Heads.join(heads)

    def _checked(self, boxes: HeadBoxes, evidence: HeadEvidence) -> HeadBoxes:
        """Cut boxes at the frame's edges; those wholly outside go."""
        if not np.isfinite(boxes.xyxy).all() or not ((boxes.score >= 0) & (boxes.score <= 1)).all():
            raise ModelError(
                f"detector {self._id} gave a box that is not finite or a score that is not within 0 to 1; "
                "mend the detector, see docs/detectors.md"
            )
        if not (boxes.xyxy[:, :2] <= boxes.xyxy[:, 2:]).all():
            raise ModelError(
                f"detector {self._id} gave a box whose right or bottom edge lies before the other; boxes are "
                "x1, y1, x2, y2: mend the detector, see docs/detectors.md"
            )
        xyxy = clip_boxes(boxes.xyxy, width=evidence.width, height=evidence.height)
        inside = areas(xyxy) > 0
        return HeadBoxes(xyxy[inside], boxes.score[inside])
