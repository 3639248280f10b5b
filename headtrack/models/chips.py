"""Runs a face network over chips, batch by batch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

# On a CPU more pictures at once are not faster, and a network's layers over 32 heads take 300 MB.
CPU_BATCH, GPU_BATCH = 8, 32
# A product of a matrix and one vector is summed in another order than that of two matrices: a face alone
# goes in twice, so that its embedding has the same bits as among others.
LEAST_AT_ONCE = 2


def pictures_at_once(device: torch.device) -> int:
    """Give how many pictures of one head a network gets at once."""
    return CPU_BATCH if device.type == "cpu" else GPU_BATCH


def run_on_chips(
    network: nn.Module, chips: npt.NDArray[np.uint8], *, side_px: int, dim: int, device: torch.device
) -> npt.NDArray[np.float32]:
    """Give what a network makes of face chips.

    Args:
        network: maps (B, S, S, 3) uint8 to (B, dim) float.
        chips: (N, S, S, 3) uint8 RGB.
        side_px: S, as the network wants it.
        dim: length of its vectors.
        device: where it is.

    Returns:
        (N, dim) float32; what becomes of a chip does not depend on the others.

    Raises:
        ValueError: the chips are of another size.
    """
    if chips.shape[1:] != (side_px, side_px, 3):
        raise ValueError(f"face chips have shape {chips.shape}, expected (N, {side_px}, {side_px}, 3)")
    rows, at_once = [np.zeros((0, dim), np.float32)], pictures_at_once(device)
    with torch.inference_mode():
        for start in range(0, len(chips), at_once):
            batch = chips[start : start + at_once]
            count = len(batch)
            x = torch.from_numpy(np.repeat(batch, -(-LEAST_AT_ONCE // count), axis=0))  # a writeable copy
            rows.append(network(x.to(device))[:count].float().cpu().numpy())
    return np.concatenate(rows)
