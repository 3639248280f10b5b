"""How an image is fitted into the input of a YOLO network."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

STRIDE_PX = 32  # the coarsest grid of the network: its input's sides are multiples of this
PAD_VALUE = 114  # grey of the border, as in training; Source: ultralytics LetterBox


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How an image is fitted into the network's input: scaled, then centred on grey.

    Attributes:
        scale: network pixels an image pixel.
        size: width and height of the scaled image.
        pad: grey pixels at the left and at the top.
        padded: width and height of the network's input.
    """

    scale: float
    size: tuple[int, int]
    pad: tuple[int, int]
    padded: tuple[int, int]

    @staticmethod
    def of(width: int, height: int, *, image_px: int) -> Letterbox:
        """Fit an image of this size into the smallest input whose longest side is `image_px`.

        >>> Letterbox.of(1920, 1080, image_px=640)
        Letterbox(scale=0.333, size=(640, 360), pad=(0, 12), padded=(640, 384))
        """
        scale = image_px / max(width, height)
        size = _scaled(width, height, scale)
        return _centred(scale, size, (_next_multiple(size[0]), _next_multiple(size[1])))

    @staticmethod
    def within(width: int, height: int, *, padded: tuple[int, int]) -> Letterbox:
        """Fit an image of this size into an input whose width and height are fixed.

        >>> Letterbox.within(1920, 1080, padded=(640, 640))
        Letterbox(scale=0.333, size=(640, 360), pad=(0, 140), padded=(640, 640))
        """
        scale = min(padded[0] / width, padded[1] / height)
        return _centred(scale, _scaled(width, height, scale), padded)

    def apply(self, rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Fit one (H, W, 3) image."""
        canvas = np.full((self.padded[1], self.padded[0], 3), PAD_VALUE, dtype=np.uint8)
        left, top = self.pad
        canvas[top : top + self.size[1], left : left + self.size[0]] = cv2.resize(
            rgb, self.size, interpolation=cv2.INTER_LINEAR
        )
        return canvas

    def to_image(self, xy: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Turn (..., 2) network pixels into image pixels."""
        return ((xy - np.array(self.pad)) / self.scale).astype(np.float32)


def _scaled(width: int, height: int, scale: float) -> tuple[int, int]:
    return max(round(width * scale), 1), max(round(height * scale), 1)


def _next_multiple(side: int) -> int:
    return -(-side // STRIDE_PX) * STRIDE_PX


def _centred(scale: float, size: tuple[int, int], padded: tuple[int, int]) -> Letterbox:
    return Letterbox(scale, size, ((padded[0] - size[0]) // 2, (padded[1] - size[1]) // 2), padded)
