"""Crowds: heads too small for the networks, found in enlarged tiles of the frame."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headtrack.ops.boxes import ioa_matrix, iou_matrix
from headtrack.ops.head_doubles import without_doubles
from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_union import NONE, HeadUnion
from headtrack.types import Heads

# Height of a head, as the networks see it, under which it is easily missed: on held-out pictures three in
# four of 20 to 40 px are found in the whole frame, and two in five of 10 to 20 px (ADR 7).
SMALL_PX = 32.0
# Tiles are looked at where this many people with small heads or more are this likely, and they are this share
# of all; the heads themselves may score low, which is what tiles are for.
MIN_SMALL_PEOPLE = 2
MIN_SMALL_SHARE = 1 / 3
MIN_LIKELY = 0.25
# A box of a tile and one of the whole frame are one head from these on: of so small a head the whole frame
# knows the place badly. Two heads seen in one look may lie closer.
ACROSS_IOU, ACROSS_IOA = 0.4, 0.6
TILES = 2  # along each side
OVERLAP = 0.2  # of a tile's side: a head of a fifth of it lies wholly in one

Tile = tuple[int, int, int, int]


def has_small_people(union: HeadUnion, evidence: HeadEvidence, *, image_px: int) -> bool:
    """Tell whether a frame shows people so small that heads are likely to have been missed.

    Args:
        union: heads of the whole frame, of any score.
        evidence: the people and faces they refer to.
        image_px: longest side at which the networks see the frame.
    """
    has_person = union.person != NONE
    likely = union.score >= MIN_LIKELY
    likely[has_person] |= evidence.body_score[union.person[has_person]] >= MIN_LIKELY
    heights = (union.xyxy[likely, 3] - union.xyxy[likely, 1]) * image_px / evidence.longest_px
    small = heights < SMALL_PX
    return int(small.sum()) >= MIN_SMALL_PEOPLE and bool(small.mean() >= MIN_SMALL_SHARE)


def tiles(width: int, height: int) -> list[Tile]:
    """Cut a frame into tiles of equal size that overlap; (x1, y1, x2, y2) px.

    >>> tiles(180, 90)
    [(0, 0, 100, 50), (80, 0, 180, 50), (0, 40, 100, 90), (80, 40, 180, 90)]
    """
    share = TILES - (TILES - 1) * OVERLAP
    w, h = (min(math.ceil(side / share), side) for side in (width, height))
    steps = np.linspace(0, 1, TILES)
    lefts, tops = (np.round(steps * free).astype(int).tolist() for free in (width - w, height - h))
    return [(x, y, x + w, y + h) for y in tops for x in lefts]


def join_far_heads(
    heads: Heads, in_tiles: list[tuple[Tile, Heads]], *, longest_px: int, image_px: int
) -> Heads:
    """Join small heads found in tiles to the heads found in the whole frame.

    A box that a tile's inner edge may have cut is left out: the tile beside holds it whole. Of two boxes on
    one head the likelier stays.

    Args:
        heads: of the whole frame.
        in_tiles: each tile and the heads found in it, in px of the tile.
        longest_px: longest side of the frame.
        image_px: longest side at which the networks see the whole frame.

    Returns:
        Heads sorted by left edge.
    """
    width = max((tile[2] for tile, _ in in_tiles), default=0)
    height = max((tile[3] for tile, _ in in_tiles), default=0)
    parts = []
    for tile, found in in_tiles:
        seen_px = (found.xyxy[:, 3] - found.xyxy[:, 1]) * image_px / longest_px
        small = (seen_px < SMALL_PX) & ~_is_cut(found.xyxy, tile, width=width, height=height)
        parts.append(_moved(found[small], tile[0], tile[1]))
    far = without_doubles(Heads.join(parts))
    kept = [heads[~_are_on_likelier(heads, far)], far[~_are_on_likelier(far, heads)]]
    return without_doubles(Heads.join(kept))


def _are_on_likelier(heads: Heads, others: Heads) -> npt.NDArray[np.bool_]:
    """Say of each head whether a likelier one of the others is the same."""
    iou = iou_matrix(heads.xyxy, others.xyxy)  # (N, M)
    share = np.maximum(ioa_matrix(heads.xyxy, others.xyxy), ioa_matrix(others.xyxy, heads.xyxy).T)
    same = (iou > ACROSS_IOU) | (share > ACROSS_IOA)
    return np.any(same & (others.score[None] > heads.score[:, None]), axis=1)


def _is_cut(xyxy: npt.NDArray[np.float32], tile: Tile, *, width: int, height: int) -> npt.NDArray[np.bool_]:
    """Say of each box in a tile whether it touches an edge of the tile that is none of the frame."""
    x1, y1, x2, y2 = tile
    inner = np.array([x1 > 0, y1 > 0, x2 < width, y2 < height])
    touches = np.stack(
        [xyxy[:, 0] <= 1, xyxy[:, 1] <= 1, xyxy[:, 2] >= x2 - x1 - 1, xyxy[:, 3] >= y2 - y1 - 1], axis=1
    )
    return np.any(touches & inner, axis=1)


def _moved(heads: Heads, right_px: int, down_px: int) -> Heads:
    shift = np.array([right_px, down_px], np.float32)
    return replace(
        heads,
        xyxy=heads.xyxy + np.tile(shift, 2),
        face_xyxy=heads.face_xyxy + np.tile(shift, 2),
        landmarks=heads.landmarks + shift,
        body_xyxy=heads.body_xyxy + np.tile(shift, 2),
    )
