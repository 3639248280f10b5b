"""When two boxes are one head."""

from __future__ import annotations

import numpy as np

from headtrack.ops.boxes import nms
from headtrack.types import Heads

# Two boxes are one head from these on.
MAX_IOU = 0.5
MAX_IOA = 0.8


def without_doubles(heads: Heads) -> Heads:
    """Keep the likeliest of the boxes on each head of one frame, sorted by left edge."""
    kept = nms(heads.xyxy, heads.score, max_iou=MAX_IOU, max_ioa=MAX_IOA)
    return heads[kept[np.argsort(heads.xyxy[kept, 0], kind="stable")]]
