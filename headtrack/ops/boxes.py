"""Boxes as (N, 4) arrays of x1, y1, x2, y2 in pixels: areas, overlaps, clipping, suppression."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]


def areas(xyxy: Floats) -> Floats:
    """Give each box's area; 0 where a side is negative.

    Args:
        xyxy: (N, 4) px.

    Returns:
        (N,) px².

    >>> areas(np.array([[0.0, 0.0, 2.0, 3.0], [5.0, 5.0, 4.0, 9.0]])).tolist()
    [6.0, 0.0]
    """
    return np.maximum(xyxy[:, 2] - xyxy[:, 0], 0) * np.maximum(xyxy[:, 3] - xyxy[:, 1], 0)


def centres(xyxy: Floats) -> Floats:
    """Give each box's centre as (N, 2) px."""
    return (xyxy[:, :2] + xyxy[:, 2:]) / 2


def intersections(a: Floats, b: Floats) -> Floats:
    """Give the area shared by each pair of boxes.

    Args:
        a: (N, 4) px.
        b: (M, 4) px.

    Returns:
        (N, M) px².
    """
    low = np.maximum(a[:, None, :2], b[None, :, :2])  # (N, M, 2)
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    sides = np.maximum(high - low, 0)
    return sides[..., 0] * sides[..., 1]


def iou_matrix(a: Floats, b: Floats) -> Floats:
    """Give intersection over union of each pair of boxes.

    Args:
        a: (N, 4) px.
        b: (M, 4) px.

    Returns:
        (N, M) in 0..1; 0 for boxes without area.

    >>> iou_matrix(np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 3, 2], [0, 0, 2, 2]])).tolist()
    [[0.3333333, 1.0]]
    """
    shared = intersections(a, b)
    union = areas(a)[:, None] + areas(b)[None, :] - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def ioa_matrix(a: Floats, b: Floats) -> Floats:
    """Give the share of each box of `a` that lies inside each box of `b`.

    Args:
        a: (N, 4) px.
        b: (M, 4) px.

    Returns:
        (N, M) in 0..1; 0 where the box of `a` has no area.

    >>> ioa_matrix(np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 9, 9]])).tolist()
    [[0.5]]
    """
    shared = intersections(a, b)
    own = np.broadcast_to(areas(a)[:, None], shared.shape)
    return np.divide(shared, own, out=np.zeros_like(shared), where=own > 0)


def clip_boxes(xyxy: Floats, *, width: float, height: float) -> Floats:
    """Cut boxes at the edges of an image.

    Args:
        xyxy: (N, 4) px.
        width: of the image, px.
        height: of the image, px.

    Returns:
        (N, 4) px; a box wholly outside has no area afterwards.

    >>> clip_boxes(np.array([[-5.0, 2, 50, 20]]), width=40, height=10).tolist()
    [[0.0, 2.0, 40.0, 10.0]]
    """
    limits = np.array([width, height, width, height], dtype=xyxy.dtype)
    return np.clip(xyxy, 0, limits)


def nms(xyxy: Floats, score: Floats, *, max_iou: float, max_ioa: float = 1.0) -> npt.NDArray[np.intp]:
    """Keep the best of the boxes that cover the same thing (greedy non-maximum suppression).

    A box falls when a better one overlaps it by more than `max_iou`, or when either of the two
    lies inside the other by more than `max_ioa`. Equal scores keep the earlier box.

    Args:
        xyxy: (N, 4) px.
        score: (N,) higher is better.
        max_iou: highest IoU that two kept boxes may have.
        max_ioa: highest share of one kept box that may lie inside another; 1 switches this off.

    Returns:
        (K,) indices of the kept boxes, best first.

    >>> boxes = np.array([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 0, 30, 10]])
    >>> nms(boxes, np.array([0.5, 0.9, 0.3]), max_iou=0.5).tolist()
    [1, 2]
    """
    order = np.argsort(-score, kind="stable")
    ranked = xyxy[order]
    shared = intersections(ranked, ranked)
    area = areas(ranked)
    union = area[:, None] + area[None, :] - shared
    smaller = np.minimum(area[:, None], area[None, :])
    clash = (shared > max_iou * union) | (shared > max_ioa * smaller)  # (N, N)
    kept = np.ones(len(order), dtype=bool)
    for i in range(len(order)):
        if kept[i]:
            kept[i + 1 :] &= ~clash[i, i + 1 :]
    return order[kept]
