"""Whether two frames show the same view: the same camera on the same place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BAR_LEVEL = 24  # a row or column nowhere brighter than this in both frames is a black bar (16 is video black)
GRID_ROWS, GRID_COLUMNS = 3, 4
# A block whose standard deviation is below this many grey levels shows nothing to compare.
FLAT_LEVELS = 1.5
# Blocks that correlate this much show the same thing: half of the variance explained.
MIN_BLOCK_CORRELATION = 0.7
MIN_BLOCKS = GRID_ROWS * GRID_COLUMNS // 2


def is_same_view(before: npt.NDArray[np.uint8], after: npt.NDArray[np.uint8]) -> bool:
    """Tell whether most of the picture has kept its structure over a jump.

    Lost frames, time lapse, a frozen feed that resumes, a flash or a change of exposure make the
    picture jump inside one shot. Then most blocks of the picture still show the same structure,
    whatever their brightness. Black bars are cut away first, as they are alike in any two shots of
    a film; blocks without structure do not vote, and without a quorum the answer is no. A caption or
    a logo fills fewer than half of the blocks and cannot make two views alike. What it cannot see:
    a view that moved (a pan or zoom during the lost frames).

    Args:
        before: (h, w, 3) uint8 thumbnail.
        after: the same shape.

    >>> rng = np.random.default_rng(0)
    >>> room, street = rng.integers(0, 255, (2, 27, 48, 3), np.uint8)
    >>> is_same_view(room, (room * 0.5).astype(np.uint8)), is_same_view(room, street)
    (True, False)
    """
    a, b = (frame.astype(np.float32).mean(-1) for frame in (before, after))
    bright = np.maximum(a, b) > BAR_LEVEL
    rows, columns = np.flatnonzero(bright.any(1)), np.flatnonzero(bright.any(0))
    if len(rows) < GRID_ROWS or len(columns) < GRID_COLUMNS:
        return False
    picture = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
    correlations = [
        _correlation(block_a, block_b)
        for row_a, row_b in zip(*(np.array_split(x[picture], GRID_ROWS, 0) for x in (a, b)), strict=True)
        for block_a, block_b in zip(
            *(np.array_split(x, GRID_COLUMNS, 1) for x in (row_a, row_b)), strict=True
        )
        if max(block_a.std(), block_b.std()) >= FLAT_LEVELS
    ]
    return len(correlations) >= MIN_BLOCKS and float(np.median(correlations)) >= MIN_BLOCK_CORRELATION


def _correlation(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / norm if norm > 0 else 0.0
