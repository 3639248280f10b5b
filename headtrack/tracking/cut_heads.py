"""Heads that the frame's edge cuts, made whole: what is seen of them shrinks while they leave."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# A box ends at the frame's edge where it comes this near to it, in shares of its own side.
NEAR_EDGE = 0.03


def whole_boxes(xyxy: Floats, sides: Floats, *, frame_px: tuple[int, int]) -> Floats:
    """Give the boxes that heads would have without the frame's edges, were they as large as others known.

    A box that ends at one edge is drawn out beyond it to the side that is known; one that does not, or that
    ends at both edges across, is left as it is.

    Args:
        xyxy: (n, 4) px boxes within the frame.
        sides: (A, 2) px width and height of A known heads.
        frame_px: width and height of the frame.

    Returns:
        (A, n, 4) float64 px.

    >>> whole_boxes(np.array([[80.0, 20, 100, 60]]), np.array([[40.0, 44]]), frame_px=(100, 90)).tolist()
    [[[80.0, 20.0, 120.0, 60.0]]]
    """
    low, high = xyxy[:, :2], xyxy[:, 2:]
    near = NEAR_EDGE * (high - low)
    at_low, at_high = low <= near, high >= np.array(frame_px) - near
    cut_low, cut_high = at_low & ~at_high, at_high & ~at_low  # (n, 2)
    known = sides[:, None]  # (A, 1, 2)
    return np.concatenate(
        [
            np.where(cut_low, np.minimum(low, high - known), low),
            np.where(cut_high, np.maximum(high, low + known), high),
        ],
        axis=2,
    )
