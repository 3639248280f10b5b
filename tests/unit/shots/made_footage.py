"""Frames as small as the judge of shots sees them, drawn from a seed."""

from __future__ import annotations

import numpy as np


def footage(lengths: list[int], seed: int = 0, noise: float = 1.0) -> np.ndarray:
    """Shots of unlike random pictures, each drifting a little from frame to frame."""
    rng = np.random.default_rng(seed)
    shots = []
    for length in lengths:
        picture = rng.integers(0, 255, (27, 48, 3)).astype(np.float32)
        shots.append(picture + rng.normal(0, noise, (length, 27, 48, 3)).cumsum(0))
    return np.clip(np.concatenate(shots), 0, 255).astype(np.uint8)


def scene(width: int, seed: int = 1) -> np.ndarray:
    """Give a (27, width, 3) picture of soft patches, as scenes are at this size."""
    coarse = np.random.default_rng(seed).uniform(40, 210, (5, width // 12 + 1, 3))
    rows, columns = np.linspace(0, 4, 27), np.linspace(0, width // 12, width)
    r, c = rows.astype(int).clip(max=3), columns.astype(int).clip(max=width // 12 - 1)
    down, right = (rows - r)[:, None, None], (columns - c)[None, :, None]
    top = coarse[r][:, c] * (1 - right) + coarse[r][:, c + 1] * right
    bottom = coarse[r + 1][:, c] * (1 - right) + coarse[r + 1][:, c + 1] * right
    return top * (1 - down) + bottom * down
