"""Frames shrunk to the size at which shots are found."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

THUMBNAIL_HEIGHT, THUMBNAIL_WIDTH = 27, 48  # the input of TransNetV2 (arXiv 2008.04838, section 3)


def thumbnails(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Shrink frames by averaging areas; the aspect ratio is not kept.

    Args:
        rgb: (N, H, W, 3) uint8.

    Returns:
        (N, 27, 48, 3) uint8.

    >>> thumbnails(np.full((2, 90, 160, 3), 7, np.uint8)).shape
    (2, 27, 48, 3)
    """
    small = np.empty((len(rgb), THUMBNAIL_HEIGHT, THUMBNAIL_WIDTH, 3), np.uint8)
    for frame, out in zip(rgb, small, strict=True):
        out[:] = cv2.resize(frame, (THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT), interpolation=cv2.INTER_AREA)
    return small
