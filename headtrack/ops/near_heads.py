"""Close-ups: heads found in a small copy of the frame, joined to those found in the large one.

The networks were trained on people of which the most are far smaller than the frame; a head that fills
half of it is found in a copy at a third of the size, where it is as large as others are. What the copy is
too coarse for are two heads side by side: it may put one box between them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headtrack.ops.boxes import ioa_matrix, iou_matrix
from headtrack.ops.head_doubles import MAX_IOU, without_doubles
from headtrack.types import Heads

# Height from which a head counts as a close-up, in shares of the frame's longest side.
NEAR_SHARE = 1 / 8
# Share of a box that lies in a likelier head; with two of these it is on both, and none of its own.
ON_HEAD = 0.2


def join_near_heads(heads: Heads, near: Heads, *, longest_px: int) -> Heads:
    """Join the close-ups found in a small copy of one frame to the heads found in the large one.

    Of two boxes on one head the likelier stays. Landmarks are taken from the large copy, where it found
    that face as well: they are finer.

    Args:
        heads: of the frame, found at the usual size.
        near: of the same frame, found at the small size; those that are no close-up are left out.
        longest_px: longest side of the frame.

    Returns:
        Heads sorted by left edge.
    """
    near = near[near.xyxy[:, 3] - near.xyxy[:, 1] >= NEAR_SHARE * longest_px]
    near = near[~_are_on_two(near, heads)]
    return without_doubles(Heads.join([heads, _with_finer_faces(near, heads)]))


def _are_on_two(near: Heads, heads: Heads) -> npt.NDArray[np.bool_]:
    likelier = heads.score[None] >= near.score[:, None]  # (M, N)
    return (likelier & (ioa_matrix(near.xyxy, heads.xyxy) >= ON_HEAD)).sum(axis=1) >= 2


def _with_finer_faces(near: Heads, heads: Heads) -> Heads:
    if not len(near) or not heads.has_face.any():
        return near
    heads = heads[heads.has_face]
    iou = iou_matrix(near.face_xyxy, heads.face_xyxy)  # (M, N), NaN without a face
    finer = np.nan_to_num(iou).argmax(axis=1)
    rows = np.flatnonzero(np.nan_to_num(iou).max(axis=1) > MAX_IOU)
    face_score, face_xyxy, landmarks = (
        np.array(v) for v in (near.face_score, near.face_xyxy, near.landmarks)
    )
    face_score[rows] = heads.face_score[finer[rows]]
    face_xyxy[rows] = heads.face_xyxy[finer[rows]]
    landmarks[rows] = heads.landmarks[finer[rows]]
    return replace(near, face_score=face_score, face_xyxy=face_xyxy, landmarks=landmarks)
