"""Which predicted boxes of one frame are right, with regions where nothing is scored.

Source: the one-to-one matching of Everingham et al., "The PASCAL Visual Object Classes Challenge",
IJCV 2010, with ignore regions as in the Caltech Pedestrian benchmark (Dollár et al., TPAMI 2012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from headtrack.metrics.counts import MatchCounts
from headtrack.ops.boxes import ioa_matrix, iou_matrix
from headtrack.types.arrays import as_array

MISSED = -1
# Outweighs any IoU, so that as many boxes as possible are matched, and among these the closest.
PAIR = 1000.0


@dataclass(frozen=True, slots=True)
class FrameMatch:
    """What became of the boxes of one frame.

    Attributes:
        predicted_of_truth: (T,) int64 row of the prediction that matches each true box; -1: missed.
        scored: (P,) bool, whether each prediction counts (it matches, or lies in no ignore region).
    """

    predicted_of_truth: npt.NDArray[np.int64]
    scored: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        rows = as_array("predicted_of_truth", self.predicted_of_truth, np.int64, (None,))
        object.__setattr__(self, "predicted_of_truth", rows)
        object.__setattr__(self, "scored", as_array("scored", self.scored, np.bool_, (None,)))

    @property
    def false(self) -> npt.NDArray[np.bool_]:
        """(P,) bool: predictions that count and match nothing."""
        matched = np.isin(np.arange(len(self.scored)), self.predicted_of_truth)
        return self.scored & ~matched

    @property
    def counts(self) -> MatchCounts:
        """Right, false and missed boxes."""
        missed = int(np.count_nonzero(self.predicted_of_truth == MISSED))
        return MatchCounts(len(self.predicted_of_truth) - missed, int(self.false.sum()), missed)


def match_frame(
    truth: npt.NDArray[np.floating],
    predicted: npt.NDArray[np.floating],
    *,
    ignore: npt.NDArray[np.floating],
    min_iou: float,
    min_ignored_share: float = 0.5,
) -> FrameMatch:
    """Match predictions to the truth one to one: as many as can be, and of these the closest.

    Args:
        truth: (T, 4) px.
        predicted: (P, 4) px.
        ignore: (I, 4) px, regions where a prediction is neither right nor false.
        min_iou: lowest IoU of a match, 0..1.
        min_ignored_share: share of an unmatched prediction inside one region from which it is left
            out, 0..1. One that matches a region as a box (`min_iou`) is left out as well.

    >>> box = np.array([[0.0, 0, 10, 10]])
    >>> match_frame(box, box + 1, ignore=np.zeros((0, 4)), min_iou=0.4).counts
    MatchCounts(tp=1, fp=0, fn=0)
    """
    truth, predicted, ignore = (np.asarray(a, np.float64).reshape(-1, 4) for a in (truth, predicted, ignore))
    iou = iou_matrix(truth, predicted)
    weight = np.where(iou >= min_iou, PAIR + iou, 0)
    rows, columns = linear_sum_assignment(weight, maximize=True)
    kept = weight[rows, columns] > 0
    predicted_of_truth = np.full(len(truth), MISSED)
    predicted_of_truth[rows[kept]] = columns[kept]
    inside = ioa_matrix(predicted, ignore) >= min_ignored_share  # (P, I)
    same = iou_matrix(predicted, ignore) >= min_iou
    scored = ~np.any(inside | same, axis=1)
    scored[columns[kept]] = True
    return FrameMatch(predicted_of_truth, scored)
