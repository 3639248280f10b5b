"""Unit vectors and their means."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Rows weighed at once: their copy in float64 stays small beside what a process holds anyway.
BLOCK_ROWS = 1024


def unit(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Scale each row to unit length; rows of zeros stay zero, NaN rows stay NaN.

    Args:
        vectors: (N, D) float.

    Returns:
        (N, D) float32.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    vectors = np.asarray(vectors, np.float32)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length == 0, 1, length).astype(np.float32)


def group_weighted_means(
    values: npt.NDArray[np.floating],
    group: npt.NDArray[np.integer],
    weight: npt.NDArray[np.floating],
    groups: int,
) -> npt.NDArray[np.float32]:
    """Give each group's weighted mean of a number.

    Args:
        values: (N,) float.
        group: (N,) int in 0..groups-1.
        weight: (N,) float, not negative.
        groups: how many groups there are.

    Returns:
        (groups,) float32; 0 where a group has no weight.

    >>> group_weighted_means(np.array([1.0, 4.0]), np.array([0, 0]), np.array([2.0, 1.0]), 2).tolist()
    [2.0, 0.0]
    """
    total = np.bincount(group, weights=weight * values, minlength=groups)[:groups]
    size = np.bincount(group, weights=weight, minlength=groups)[:groups]
    return (total / np.where(size > 0, size, 1)).astype(np.float32)


def group_unit_means(
    vectors: npt.NDArray[np.float32],
    group: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float32],
    groups: int,
) -> npt.NDArray[np.float32]:
    """Give each group's weighted mean direction.

    Args:
        vectors: (N, D) float unit vectors; NaN rows do not count.
        group: (N,) int in 0..groups-1.
        weight: (N,) float, not negative.
        groups: how many groups there are.

    Returns:
        (groups, D) float32 unit vectors; NaN where a group has no vector of positive weight.

    >>> group_unit_means(np.eye(2, dtype=np.float32), np.array([0, 0]), np.ones(2), 2).round(3).tolist()
    [[0.707, 0.707], [nan, nan]]
    """
    dim = vectors.shape[1]
    total, size = np.zeros((groups, dim), np.float64), np.zeros(groups, np.int64)
    for start in range(0, len(vectors), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        known = np.isfinite(vectors[rows]).all(axis=1) & (weight[rows] > 0)
        weights = np.asarray(weight[rows], np.float64)[known, None]
        np.add.at(total, group[rows][known], vectors[rows][known] * weights)
        np.add.at(size, group[rows][known], 1)
    mean = unit(total.astype(np.float32))
    mean[size == 0] = np.nan
    return mean
