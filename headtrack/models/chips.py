"""Runs a face network over chips, batch by batch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

BATCH_CHIPS = 32


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
    rows = [np.zeros((0, dim), np.float32)]
    with torch.inference_mode():
        for start in range(0, len(chips), BATCH_CHIPS):
            batch = torch.from_numpy(np.array(chips[start : start + BATCH_CHIPS]))  # a writeable copy
            rows.append(network(batch.to(device)).float().cpu().numpy())
    return np.concatenate(rows)
