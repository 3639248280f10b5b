"""Crops held for embedding, and their embeddings in batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.pipeline.models import Models
from headtrack.settings import EmbedSettings
from headtrack.types import HeadEmbeddings, Heads
from headtrack.types.views import REAR
from headtrack.video.crops import HeadCrop, cut_head_crop, head_region, sharpness

# Side in px at which a head's size counts half in its quality: dlib's chip shows a face at about
# 100 px, so that half of that is clearly less than the network could use.
HALF_QUALITY_PX = 50.0
MIN_CLEAR = 0.1  # an unrecognisable face still shows a look
# Share of the quality that a view keeps: face embeddings of turned heads are less telling.
VIEW_QUALITY = np.array([1.0, 0.8, 0.4, 0.4], np.float32)


@dataclass(frozen=True, slots=True)
class HeldCrop:
    """The pixels around one head that wait to be embedded.

    Attributes:
        crop: square crop with its place in the frame.
        xyxy: (4,) float32 px of the head in the frame.
        landmarks: (5, 2) float32 px in the frame, NaN without a face fit for embedding.
        quality: 0..1.
    """

    crop: HeadCrop
    xyxy: npt.NDArray[np.float32]
    landmarks: npt.NDArray[np.float32]
    quality: float


def hold_crop(rgb: npt.NDArray[np.uint8], heads: Heads, k: int, settings: EmbedSettings) -> HeldCrop:
    """Cut head `k` out of its frame and judge its quality.

    Args:
        rgb: (H, W, 3) uint8.
        heads: of the frame.
        k: row in `heads`.
        settings: the `embed` section.
    """
    xyxy = heads.xyxy[k]
    crop = cut_head_crop(rgb, xyxy)
    width = float(heads.face_xyxy[k, 2] - heads.face_xyxy[k, 0])  # NaN without a face
    usable = bool(heads.has_face[k]) and width >= settings.min_face_px and heads.view[k] != REAR
    landmarks = heads.landmarks[k] if usable else np.full((5, 2), np.nan, np.float32)
    return HeldCrop(crop, xyxy, landmarks, _quality(rgb, crop, heads, k))


def _quality(rgb: npt.NDArray[np.uint8], crop: HeadCrop, heads: Heads, k: int) -> float:
    """Give 0..1: large, sharp, whole, sure and turned to the camera."""
    x1, y1, x2, y2 = heads.xyxy[k]
    side = float(np.sqrt(max(x2 - x1, 1) * max(y2 - y1, 1)))
    height, width = rgb.shape[:2]
    inside = max(min(x2, width) - max(x1, 0), 0) * max(min(y2, height) - max(y1, 0), 0) / side**2
    at_edge = 0.6 if (x1 <= 1 or y1 <= 1 or x2 >= width - 1 or y2 >= height - 1) else 1.0
    size = side / (side + HALF_QUALITY_PX)
    sharp = 0.3 + 0.7 * sharpness(crop.rgb)
    return float(size * sharp * inside * at_edge * heads.score[k] * VIEW_QUALITY[heads.view[k]])


def embed_crops(models: Models, items: list[tuple[int, int, HeldCrop]]) -> HeadEmbeddings:
    """Embed (tracklet, head row, crop) items; a crop without a usable face has NaN for identity."""
    held = [crop for _, _, crop in items]
    appearance = models.appearance.embed([head_region(h.crop, h.xyxy) for h in held])
    faces = [k for k, h in enumerate(held) if np.isfinite(h.landmarks).all()]
    chips = [models.identity.align(held[k].crop.rgb, held[k].crop.to_crop(held[k].landmarks)) for k in faces]
    quality = np.array([h.quality for h in held], np.float32)
    identity = np.full((len(held), models.identity.dim), np.nan, np.float32)
    recognisability = np.zeros(len(held), np.float32)
    if chips:
        found = models.identity.embed(np.stack(chips))
        clear = found.recognisability > 0
        rows = np.array(faces, np.intp)
        identity[rows[clear]] = found.vector[clear]
        recognisability[rows] = found.recognisability
        quality[rows] *= np.maximum(found.recognisability, MIN_CLEAR)
    return HeadEmbeddings(
        head_row=np.array([row for _, row, _ in items]),
        tracklet=np.array([tracklet for tracklet, _, _ in items]),
        quality=quality,
        identity=identity,
        appearance=appearance,
        recognisability=recognisability,
    )
