"""Average precision of boxes with scores.

Source: the matching and the 101-point interpolation of the COCO evaluation (Lin et al., "Microsoft
COCO: Common Objects in Context", ECCV 2014), without its limit of 100 boxes an image.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.ops.boxes import ioa_matrix, iou_matrix
from headtrack.types.arrays import as_array

RECALL_POINTS = np.linspace(0, 1, 101)
COCO_IOUS = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))  # of AP50-95
FALSE, IGNORED = -1, -2


@dataclass(frozen=True, slots=True)
class RankedBoxes:
    """Scored boxes, each right or false, and how many there were to find.

    Attributes:
        score: (P,) float64 of the boxes that count.
        right: (P,) bool.
        truths: number of true boxes.
    """

    score: npt.NDArray[np.float64]
    right: npt.NDArray[np.bool_]
    truths: int

    def __post_init__(self) -> None:
        n = len(self.score)
        object.__setattr__(self, "score", as_array("score", self.score, np.float64, (n,)))
        object.__setattr__(self, "right", as_array("right", self.right, np.bool_, (n,)))

    @staticmethod
    def join(parts: list[RankedBoxes]) -> RankedBoxes:
        """Put the boxes of several images together."""
        return RankedBoxes(
            np.concatenate([np.zeros(0), *(part.score for part in parts)]),
            np.concatenate([np.zeros(0, bool), *(part.right for part in parts)]),
            sum(part.truths for part in parts),
        )


def match_by_score(
    truth: npt.NDArray[np.floating],
    predicted: npt.NDArray[np.floating],
    score: npt.NDArray[np.floating],
    *,
    ignore: npt.NDArray[np.floating],
    min_iou: float,
    min_ignored_share: float = 0.5,
) -> npt.NDArray[np.int64]:
    """Give each predicted box of one image the true box it finds: the best-scored chooses first.

    What a box finds does not depend on boxes of lower score, so one matching holds for every limit.

    Args:
        truth: (T, 4) px.
        predicted: (P, 4) px.
        score: (P,) higher is better.
        ignore: (I, 4) px, regions where a box that finds nothing is not false.
        min_iou: lowest IoU of a match, 0..1.
        min_ignored_share: share of a box inside one region from which it is left out, 0..1; one that
            matches a region as a box is left out as well.

    Returns:
        (P,) row of the true box; -1: false; -2: left out.

    >>> box = np.array([[0.0, 0, 10, 10]])
    >>> match_by_score(box, np.concatenate([box, box]), [0.5, 0.9], ignore=box[:0], min_iou=0.5).tolist()
    [-1, 0]
    """
    iou = iou_matrix(predicted, truth)  # (P, T)
    found = np.full(len(predicted), FALSE)
    free = np.ones(len(truth), bool)
    for row in np.argsort(-np.asarray(score), kind="stable"):
        candidates = np.flatnonzero(free & (iou[row] >= min_iou))
        if len(candidates):
            found[row] = candidates[np.argmax(iou[row, candidates])]
            free[found[row]] = False
    inside = np.any(ioa_matrix(predicted, ignore) >= min_ignored_share, axis=1)
    same = np.any(iou_matrix(predicted, ignore) >= min_iou, axis=1)
    return np.where((found == FALSE) & (inside | same), IGNORED, found)


def average_precision(ranked: RankedBoxes) -> float:
    """Give the mean precision over recalls 0, 0.01, ... 1, each the best at that recall or a higher one.

    Returns:
        In 0..1; NaN where there was nothing to find.

    >>> average_precision(RankedBoxes([0.9, 0.8], [True, False], 1))
    1.0
    """
    if ranked.truths == 0:
        return float("nan")
    right = ranked.right[np.argsort(-ranked.score, kind="stable")]
    hits = np.cumsum(right)
    recall = hits / ranked.truths
    precision = hits / np.arange(1, len(right) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(recall, RECALL_POINTS, side="left")
    return float(np.append(best, 0.0)[np.minimum(at, len(best))].mean())
