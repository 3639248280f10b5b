"""Labelled heads of pictures in YOLO format, for the benchmarks that draw from such a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def labelled_heads(data: Path, name: str) -> np.ndarray:
    """Give the (N, 4) boxes of `labels/NAME.txt` as x1, y1, x2, y2 in shares of the picture's sides."""
    rows = np.loadtxt(data / "labels" / f"{name}.txt", ndmin=2).reshape(-1, 5)
    middle, half = rows[:, 1:3], rows[:, 3:] / 2
    return np.concatenate([middle - half, middle + half], axis=1)
