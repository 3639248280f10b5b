"""HOTA: how well detection, association and localisation go together.

Source: Luiten et al., "HOTA: A Higher Order Metric for Evaluating Multi-Object Tracking", IJCV 2020,
equations 9 to 17; matching and averaging as in TrackEval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from headtrack.metrics.track_overlap import TrackOverlap

# Localisation thresholds. Source: HOTA, section 5 (0.05 to 0.95 in steps of 0.05).
ALPHAS = np.arange(0.05, 0.99, 0.05)
EPSILON = float(np.finfo(np.float64).eps)
# TrackEval's floor under LocA, which makes it 1 where nothing matches.
LOC_FLOOR = 1e-10


@dataclass(frozen=True, slots=True)
class Hota:
    """HOTA's counts at every alpha; the figures are means over alpha.

    Attributes:
        tp: (A,) float64 matched pairs.
        fn: (A,) float64 true boxes without a match.
        fp: (A,) float64 predicted boxes without a match.
        association_sum: (A,) float64, sum over the matched pairs of each pair's association score.
        iou_sum: (A,) float64, sum over the matched pairs of their IoU.
    """

    tp: npt.NDArray[np.float64]
    fn: npt.NDArray[np.float64]
    fp: npt.NDArray[np.float64]
    association_sum: npt.NDArray[np.float64]
    iou_sum: npt.NDArray[np.float64]

    @property
    def det_a(self) -> float:
        """DetA in 0..1: Jaccard index of true and predicted boxes."""
        return float(np.mean(self._det_a()))

    @property
    def ass_a(self) -> float:
        """AssA in 0..1: mean Jaccard index of the tracks of each matched pair."""
        return float(np.mean(self._ass_a()))

    @property
    def loc_a(self) -> float:
        """LocA in 0..1: mean IoU of the matched pairs; 1 where nothing matches."""
        return float(np.mean(np.maximum(LOC_FLOOR, self.iou_sum) / np.maximum(LOC_FLOOR, self.tp)))

    @property
    def hota(self) -> float:
        """HOTA in 0..1: geometric mean of DetA and AssA, then the mean over alpha."""
        return float(np.mean(np.sqrt(self._det_a() * self._ass_a())))

    def _det_a(self) -> npt.NDArray[np.float64]:
        return self.tp / np.maximum(1, self.tp + self.fn + self.fp)

    def _ass_a(self) -> npt.NDArray[np.float64]:
        return self.association_sum / np.maximum(1, self.tp)


def hota(sequence: TrackOverlap) -> Hota:
    """Score one sequence.

    Args:
        sequence: truth and prediction side by side; may be empty.

    Returns:
        Its counts. DetA, AssA and HOTA are 0 where there is neither truth nor prediction.
    """
    true_boxes = np.zeros(sequence.truth_tracks)
    predicted_boxes = np.zeros(sequence.predicted_tracks)
    alignment = _global_alignment(sequence, true_boxes, predicted_boxes)  # (G, P)
    pairs = np.zeros((len(ALPHAS), sequence.truth_tracks, sequence.predicted_tracks))
    tp, iou_sum = np.zeros(len(ALPHAS)), np.zeros(len(ALPHAS))
    for frame in sequence.frames:
        score = alignment[np.ix_(frame.truth, frame.predicted)] * frame.iou
        rows, columns = linear_sum_assignment(score, maximize=True)
        iou = frame.iou[rows, columns]
        for a, alpha in enumerate(ALPHAS):
            matched = iou >= alpha - EPSILON
            tp[a] += np.count_nonzero(matched)
            iou_sum[a] += iou[matched].sum()
            pairs[a, frame.truth[rows[matched]], frame.predicted[columns[matched]]] += 1
    union = true_boxes[None, :, None] + predicted_boxes[None, None, :] - pairs
    association_sum = (pairs * pairs / np.maximum(1, union)).sum((1, 2))
    return Hota(tp, true_boxes.sum() - tp, predicted_boxes.sum() - tp, association_sum, iou_sum)


def combine_hota(parts: list[Hota]) -> Hota:
    """Score sequences as one set, every box alike."""
    zero = np.zeros(len(ALPHAS))
    return Hota(
        sum((p.tp for p in parts), zero),
        sum((p.fn for p in parts), zero),
        sum((p.fp for p in parts), zero),
        sum((p.association_sum for p in parts), zero),
        sum((p.iou_sum for p in parts), zero),
    )


def _global_alignment(
    sequence: TrackOverlap,
    true_boxes: npt.NDArray[np.float64],
    predicted_boxes: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Give (G, P) how far each pair of tracks coincides, and fill in both box counts."""
    shared = np.zeros((sequence.truth_tracks, sequence.predicted_tracks))
    for frame in sequence.frames:
        true_boxes[frame.truth] += 1
        predicted_boxes[frame.predicted] += 1
        both = frame.iou.sum(0)[None, :] + frame.iou.sum(1)[:, None] - frame.iou
        share = np.divide(frame.iou, both, out=np.zeros_like(frame.iou), where=both > EPSILON)
        shared[np.ix_(frame.truth, frame.predicted)] += share
    return shared / (true_boxes[:, None] + predicted_boxes[None, :] - shared)
