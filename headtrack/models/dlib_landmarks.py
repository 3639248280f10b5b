"""Finds dlib's five landmarks and cuts face chips as dlib does, in numpy.

Source: Kazemi and Sullivan, "One Millisecond Face Alignment with an Ensemble of Regression Trees",
CVPR 2014; dlib/image_processing/shape_predictor.h; dlib/image_transforms/interpolation.h
(`get_face_chip_details`, `extract_image_chips`) and image_pyramid.h (`pyramid_down<2>`).

dlib's five points: outer and inner corner of the eye at the image's right, outer and inner corner
of the eye at its left, base of the nose.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.models.dlib_dat import read_shape_predictor

TREE_DEPTH = 4
CHIP_PX = 150
CHIP_PADDING = 0.25
MIN_PYRAMID_PX = 9  # dlib makes no smaller level of an image with a shorter side

# The five points of a mean face in the unit square. Source: dlib's `get_face_chip_details`.
MEAN_FACE = np.array(
    [
        [0.8595674595992, 0.2134981538014],
        [0.6460604764104, 0.2289674387677],
        [0.1205750620789, 0.2137274526848],
        [0.3340850613712, 0.2290642403242],
        [0.4901123135679, 0.6277975316475],
    ]
)


class ShapePredictor:
    """dlib's 5-point shape predictor.

    Args:
        path: of `shape_predictor_5_face_landmarks.dat`.
    """

    def __init__(self, path: Path) -> None:
        self._weights = read_shape_predictor(path)

    def predict(self, rgb: npt.NDArray[np.uint8], rects: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Find the five points of each face of one image.

        Args:
            rgb: (H, W, 3) uint8.
            rects: (F, 4) px: left, top, right, bottom, as dlib's frontal face detector frames a face.

        Returns:
            (F, 5, 2) float32 px; dlib itself rounds them to whole pixels.
        """
        weights = self._weights
        corner, sides = rects[:, None, :2], (rects[:, 2:] - rects[:, :2])[:, None]  # (F, 1, 2)
        shape = np.repeat(weights.initial_shape[None], len(rects), axis=0)  # (F, 5, 2)
        face = np.arange(len(rects))[:, None]
        tree = np.arange(weights.pixel_a.shape[1])[None]
        for level in range(len(weights.anchor)):
            turn = _complex(_rotations(weights.initial_shape, shape).astype(np.float32))[:, None]  # (F, 1)
            offset = _pairs(turn * _complex(weights.offset[level]))  # (F, P, 2)
            pixels = (shape[:, weights.anchor[level]] + offset) * sides + corner
            value = _grey_values(rgb, pixels)  # (F, P)
            node = np.zeros((len(rects), tree.shape[1]), np.intp)
            for _ in range(TREE_DEPTH):
                difference = (
                    value[face, weights.pixel_a[level][tree, node]]
                    - value[face, weights.pixel_b[level][tree, node]]
                )
                goes_left = difference > weights.min_difference[level][tree, node]
                node = 2 * node + np.where(goes_left, 1, 2)
            leaf = node - weights.pixel_a.shape[2]
            steps = weights.leaves[level][tree, leaf].reshape(*leaf.shape, 5, 2)
            # Summed one by one in float32, from the shape on, as dlib does.
            shape = np.concatenate([shape[:, None], steps], axis=1).sum(axis=1)
        return (shape * sides + corner).astype(np.float32)


def face_chip(rgb: npt.NDArray[np.uint8], five_points: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """Cut an upright face out of an image, as dlib's `get_face_chip(size=150, padding=0.25)` does.

    Args:
        rgb: (H, W, 3) uint8.
        five_points: (5, 2) px, dlib's five points.

    Returns:
        (150, 150, 3) uint8; black where it lies outside the image.
    """
    mean = (CHIP_PADDING + MEAN_FACE) / (2 * CHIP_PADDING + 1) * CHIP_PX
    turn = complex(_complex(_rotations(mean, five_points[None]))[0])
    middle = complex(_complex(carried(np.full((1, 2), CHIP_PX / 2), mean, five_points))[0])
    side = CHIP_PX * abs(turn) - 1  # px between the outermost pixel centres
    direction = turn / abs(turn)
    corners = np.array([-1 - 1j, 1 - 1j, -1 + 1j, 1 + 1j]) * direction * side / 2 + middle

    halvings = 0
    while side / 2 ** (halvings + 1) + 1 > CHIP_PX:
        halvings += 1
    border = 4 * 2**halvings - 2
    source, first = _crop(rgb, corners, border)
    middle -= complex(*first)
    for _ in range(halvings):
        source = _halved(source)
        middle = middle / 2 - (1.25 + 0.75j)  # dlib's convention for where pixels go
    step = direction * (side / 2**halvings) / (CHIP_PX - 1)
    row, column = np.mgrid[:CHIP_PX, :CHIP_PX] - (CHIP_PX - 1) / 2
    return _bilinear(source, _pairs(middle + step * (column + 1j * row)))


def carried(
    points: npt.NDArray[np.floating],
    shape: npt.NDArray[np.floating],
    target: npt.NDArray[np.floating],
) -> npt.NDArray[np.floating]:
    """Carry points by the similarity (scale, rotation, shift) that best maps one shape onto another.

    Args:
        points: (N, 2).
        shape: (K, 2), in the space of `points`.
        target: (K, 2).

    Returns:
        (N, 2), in the space of `target`.
    """
    turn = _complex(_rotations(shape, target[None]))[0]
    return _pairs(turn * _complex(points - shape.mean(axis=0))) + target.mean(axis=0)


def _complex(xy: npt.NDArray[np.floating]) -> npt.NDArray[np.complexfloating]:
    return xy[..., 0] + 1j * xy[..., 1]


def _pairs(values: npt.NDArray[np.complexfloating]) -> npt.NDArray[np.floating]:
    return np.stack([values.real, values.imag], axis=-1)


def _rotations(
    shape: npt.NDArray[np.floating], targets: npt.NDArray[np.floating]
) -> npt.NDArray[np.floating]:
    """Give scale and rotation of the similarity that best maps a shape to each target.

    Source: Umeyama 1991, in two dimensions and without reflection.

    Args:
        shape: (K, 2).
        targets: (F, K, 2).

    Returns:
        (F, 2): the complex number by which centred points are multiplied.
    """
    a = _complex(shape - shape.mean(axis=0, dtype=np.float64))
    b = _complex(targets - targets.mean(axis=1, keepdims=True, dtype=np.float64))
    return _pairs((b * a.conj()).sum(axis=1) / (np.abs(a) ** 2).sum())


def _grey_values(rgb: npt.NDArray[np.uint8], xy: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Give the mean of the three channels at the nearest pixels; 0 outside the image."""
    x, y = np.moveaxis(np.floor(xy + 0.5).astype(np.intp), -1, 0)
    inside = (x >= 0) & (y >= 0) & (x < rgb.shape[1]) & (y < rgb.shape[0])
    pixels = rgb[np.where(inside, y, 0), np.where(inside, x, 0)]
    return np.where(inside, pixels.sum(axis=-1, dtype=np.int32) // 3, 0).astype(np.float32)


def _crop(
    rgb: npt.NDArray[np.uint8], corners: npt.NDArray[np.complexfloating], border: float
) -> tuple[npt.NDArray[np.uint8], tuple[int, int]]:
    """Give the part of the image around the corners, and the position of its first pixel."""
    height, width = rgb.shape[:2]
    x, y = corners.real, corners.imag
    left, right = np.clip([x.min() - border, x.max() + border], 0, width - 1)
    top, bottom = np.clip([y.min() - border, y.max() + border], 0, height - 1)
    left, top, right, bottom = (int(np.floor(v + 0.5)) for v in (left, top, right, bottom))
    return rgb[top : bottom + 1, left : right + 1], (left, top)


def _halved(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Blur with 1 4 6 4 1 in both directions and keep every other pixel."""
    if min(rgb.shape[:2]) < MIN_PYRAMID_PX:
        return np.zeros((0, 0, 3), np.uint8)
    blurred = rgb.astype(np.uint16)  # 255 * 16 * 16 just fits
    for axis in (0, 1):
        lines = np.moveaxis(blurred, axis, 0)
        count = (len(lines) - 3) // 2
        taps = [lines[i : i + 2 * count : 2][:count] for i in range(5)]
        blurred = np.moveaxis(taps[0] + 4 * taps[1] + 6 * taps[2] + 4 * taps[3] + taps[4], 0, axis)
    return (blurred >> 8).astype(np.uint8)


def _bilinear(rgb: npt.NDArray[np.uint8], xy: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """Sample an image at (..., 2) positions; black where a neighbour lies outside, no rounding up."""
    low = np.floor(xy).astype(np.intp)
    x, y = low[..., 0], low[..., 1]
    inside = (x >= 0) & (y >= 0) & (x < rgb.shape[1] - 1) & (y < rgb.shape[0] - 1)
    if not inside.any():
        return np.zeros((*xy.shape[:-1], 3), np.uint8)
    x, y = np.where(inside, x, 0), np.where(inside, y, 0)
    right, down = np.moveaxis(xy - low, -1, 0)[..., None]
    above = rgb[y, x] * (1 - right) + rgb[y, x + 1] * right
    below = rgb[y + 1, x] * (1 - right) + rgb[y + 1, x + 1] * right
    return np.where(inside[..., None], above * (1 - down) + below * down, 0).astype(np.uint8)
