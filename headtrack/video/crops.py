"""What is cut out around a head: the pixels to embed, how sharp they are, and their colours."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

MARGIN = 1.6  # side of the crop in longer sides of the head: hair and shoulders are in
MAX_CROP_PX = 288  # a head is then up to 180 px, more than any of the networks sees
# Variance of the Laplacian at which a crop of 64 px counts as half sharp.
HALF_SHARP = 60.0
SHARPNESS_PX = 64
# Colours in CIE Lab: bins along lightness, and along the two colour axes.
LIGHT_BINS, COLOUR_BINS = 6, 5
HISTOGRAM_PX = 24  # a region is shrunk to this before its colours are counted
COLOUR_BIN_COUNT = 2 * (LIGHT_BINS + COLOUR_BINS * COLOUR_BINS)


@dataclass(frozen=True, slots=True)
class HeadCrop:
    """A square cut out of a frame.

    Attributes:
        rgb: (S, S, 3) uint8; beyond the frame its border is repeated.
        origin: (2,) float32 px, the crop's upper left corner in the frame.
        scale: crop pixels a frame pixel, at most 1.
    """

    rgb: npt.NDArray[np.uint8]
    origin: npt.NDArray[np.float32]
    scale: float

    def to_crop(self, points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Map (..., 2) px in the frame to px in the crop."""
        return ((points - self.origin) * self.scale).astype(np.float32)


def cut_head_crop(rgb: npt.NDArray[np.uint8], xyxy: npt.NDArray[np.float32]) -> HeadCrop:
    """Cut a square around a head, shrunk where it is larger than needed, never enlarged.

    Args:
        rgb: (H, W, 3) uint8 frame.
        xyxy: (4,) float px of the head.
    """
    x1, y1, x2, y2 = (float(v) for v in xyxy)
    side = max(round(MARGIN * max(x2 - x1, y2 - y1)), 8)
    left, top = round((x1 + x2 - side) / 2), round((y1 + y2 - side) / 2)
    height, width = rgb.shape[:2]
    inner = rgb[max(top, 0) : max(min(top + side, height), 0), max(left, 0) : max(min(left + side, width), 0)]
    if inner.size == 0:
        return HeadCrop(np.zeros((8, 8, 3), np.uint8), np.array([left, top], np.float32), 8 / side)
    border = (
        max(-top, 0), max(top + side - height, 0), max(-left, 0), max(left + side - width, 0)
    )  # fmt: skip
    if any(border):
        inner = cv2.copyMakeBorder(inner, *border, cv2.BORDER_REPLICATE)
    scale = min(1.0, MAX_CROP_PX / side)
    if scale < 1:
        inner = cv2.resize(inner, (MAX_CROP_PX, MAX_CROP_PX), interpolation=cv2.INTER_AREA)
    return HeadCrop(np.ascontiguousarray(inner), np.array([left, top], np.float32), scale)


def head_region(crop: HeadCrop, xyxy: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """Give the head's own square out of its crop: what the appearance embedder sees.

    Args:
        crop: from `cut_head_crop`.
        xyxy: (4,) float px of the head in the frame.
    """
    (x1, y1), (x2, y2) = crop.to_crop(np.asarray(xyxy, np.float32).reshape(2, 2))
    side = max(x2 - x1, y2 - y1, 4)
    left, top = max((x1 + x2 - side) / 2, 0), max((y1 + y2 - side) / 2, 0)
    return crop.rgb[
        round(top) : max(round(top + side), round(top) + 4),
        round(left) : max(round(left + side), round(left) + 4),
    ]


def sharpness(rgb: npt.NDArray[np.uint8]) -> float:
    """Judge how sharp a crop is: 0 (flat) to 1, by the variance of its Laplacian at 64 px.

    Source: Pech-Pacheco et al., ICPR 2000 (variance of the Laplacian).
    """
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    if max(grey.shape) > SHARPNESS_PX:
        grey = cv2.resize(grey, (SHARPNESS_PX, SHARPNESS_PX), interpolation=cv2.INTER_AREA)
    variance = float(cv2.Laplacian(grey, cv2.CV_32F).var())
    return variance / (variance + HALF_SHARP)


def head_and_clothes_colours(
    rgb: npt.NDArray[np.uint8], head_xyxy: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Count the colours of a head and of what is worn below it.

    Args:
        rgb: (H, W, 3) uint8 frame.
        head_xyxy: (4,) float px of the head.

    Returns:
        (COLOUR_BIN_COUNT,) float32 histogram of unit sum: half head, half clothes. Clothes out of
        the frame leave their half evenly spread.
    """
    x1, y1, x2, y2 = (float(v) for v in head_xyxy)
    w, h = x2 - x1, y2 - y1
    head = _region_histogram(rgb, (x1 + 0.1 * w, y1, x2 - 0.1 * w, y2))
    clothes = _region_histogram(rgb, (x1 - 0.3 * w, y2 + 0.4 * h, x2 + 0.3 * w, y2 + 1.6 * h))
    return np.concatenate([head, clothes]) / 2


def _region_histogram(
    rgb: npt.NDArray[np.uint8], xyxy: tuple[float, float, float, float]
) -> npt.NDArray[np.float32]:
    """Give lightness and chroma histograms of a region, together of unit sum."""
    height, width = rgb.shape[:2]
    x1, y1 = max(int(xyxy[0]), 0), max(int(xyxy[1]), 0)
    x2, y2 = min(int(xyxy[2]) + 1, width), min(int(xyxy[3]) + 1, height)
    bins = LIGHT_BINS + COLOUR_BINS * COLOUR_BINS
    if x2 - x1 < 2 or y2 - y1 < 2:
        return np.full(bins, 1 / bins, np.float32)
    patch = rgb[y1:y2, x1:x2]
    if max(patch.shape[:2]) > HISTOGRAM_PX:
        patch = cv2.resize(patch, (HISTOGRAM_PX, HISTOGRAM_PX), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(patch, cv2.COLOR_RGB2LAB).reshape(-1, 3).astype(np.float32)
    light = _soft_histogram(lab[:, 0] / 255 * (LIGHT_BINS - 1), LIGHT_BINS)
    # The chroma axes of natural colours fill the middle half of their range.
    a = np.clip((lab[:, 1] - 128) / 64 + 0.5, 0, 1) * (COLOUR_BINS - 1)
    b = np.clip((lab[:, 2] - 128) / 64 + 0.5, 0, 1) * (COLOUR_BINS - 1)
    a0, b0 = np.minimum(a.astype(np.intp), COLOUR_BINS - 2), np.minimum(b.astype(np.intp), COLOUR_BINS - 2)
    fa, fb = a - a0, b - b0
    chroma = np.zeros(COLOUR_BINS * COLOUR_BINS, np.float32)
    for da, wa in ((0, 1 - fa), (1, fa)):
        for db, wb in ((0, 1 - fb), (1, fb)):
            chroma += np.bincount(
                (a0 + da) * COLOUR_BINS + b0 + db, weights=wa * wb, minlength=COLOUR_BINS**2
            )
    return np.concatenate([light, chroma / len(lab)]) / 2


def _soft_histogram(position: npt.NDArray[np.float32], bins: int) -> npt.NDArray[np.float32]:
    """Spread each value over its two nearest bins; unit sum."""
    low = np.minimum(position.astype(np.intp), bins - 2)
    share = position - low
    counts = np.bincount(low, weights=1 - share, minlength=bins) + np.bincount(
        low + 1, weights=share, minlength=bins
    )
    return (counts / len(position)).astype(np.float32)
