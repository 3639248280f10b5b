"""Runs a face network over chips, batch by batch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

# On a CPU more pictures at once are hardly faster, and a network's layers over 32 heads take 300 MB.
CPU_BATCH, GPU_BATCH = 8, 32


def pictures_at_once(device: torch.device) -> int:
    """Give how many pictures of one head a network gets at once, where that changes no result."""
    return CPU_BATCH if device.type == "cpu" else GPU_BATCH


def run_on_chips(
    network: nn.Module,
    chips: npt.NDArray[np.uint8],
    *,
    side_px: int,
    dim: int,
    device: torch.device,
    views: int = 1,
) -> npt.NDArray[np.float32]:
    """Give what a network makes of face chips.

    Args:
        network: maps (B, S, S, 3) uint8 to (B, dim) float.
        chips: (N, S, S, 3) uint8 RGB; N is a multiple of `views`.
        side_px: S, as the network wants it.
        dim: length of its vectors.
        device: where it is.
        views: of each face, one after the other.

    Returns:
        (N, dim) float32. On a CPU the views of a face go through alone: torch sums in another order where
        there are more or fewer, and what becomes of a face is not to depend on the others.

    Raises:
        ValueError: the chips are of another size.
    """
    if chips.shape[1:] != (side_px, side_px, 3):
        raise ValueError(f"face chips have shape {chips.shape}, expected (N, {side_px}, {side_px}, 3)")
    rows = [np.zeros((0, dim), np.float32)]
    at_once = views if device.type == "cpu" else GPU_BATCH
    with torch.inference_mode():
        for start in range(0, len(chips), at_once):
            x = torch.from_numpy(np.array(chips[start : start + at_once]))  # a writeable copy
            rows.append(network(x.to(device)).float().cpu().numpy())
    return np.concatenate(rows)
