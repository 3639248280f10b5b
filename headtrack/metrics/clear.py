"""CLEAR: MOTA, MOTP, identity switches, fragments, and how many tracks were kept or lost.

Source: Bernardin and Stiefelhagen, "Evaluating Multiple Object Tracking Performance: The CLEAR MOT
Metrics", EURASIP JIVP 2008; matching and track counts as in TrackEval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from headtrack.metrics.track_overlap import TrackOverlap

EPSILON = float(np.finfo(np.float64).eps)
# Outweighs any IoU, so that a pair of the frame before is kept wherever it still overlaps.
KEEP_PAIR = 1000.0
# Shares of a track's boxes from which it counts as mostly tracked, or below which as mostly lost.
# Source: TrackEval; "more than" 0.8, "less than" 0.2.
MOSTLY_TRACKED, MOSTLY_LOST = 0.8, 0.2


@dataclass(frozen=True, slots=True)
class Clear:
    """CLEAR's counts; they add up over sequences (`+`).

    Attributes:
        tp: matched boxes.
        fp: predicted boxes without a match.
        fn: true boxes without a match.
        switches: matched boxes whose true track was last matched by another predicted track (IDSW).
        fragments: times a true track was taken up again after being lost (Frag).
        mostly_tracked: true tracks (MT).
        partly_tracked: true tracks (PT).
        mostly_lost: true tracks (ML).
        iou_sum: over the matched boxes.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    switches: int = 0
    fragments: int = 0
    mostly_tracked: int = 0
    partly_tracked: int = 0
    mostly_lost: int = 0
    iou_sum: float = 0.0

    def __add__(self, other: Clear) -> Clear:
        return Clear(
            self.tp + other.tp,
            self.fp + other.fp,
            self.fn + other.fn,
            self.switches + other.switches,
            self.fragments + other.fragments,
            self.mostly_tracked + other.mostly_tracked,
            self.partly_tracked + other.partly_tracked,
            self.mostly_lost + other.mostly_lost,
            self.iou_sum + other.iou_sum,
        )

    @property
    def mota(self) -> float:
        """MOTA, at most 1; 0 where there is no truth."""
        boxes = self.tp + self.fn
        return (self.tp - self.fp - self.switches) / boxes if boxes else 0.0

    @property
    def motp(self) -> float:
        """MOTP as a mean IoU in 0..1; 0 where nothing matches."""
        return self.iou_sum / max(1, self.tp)


def clear(sequence: TrackOverlap, *, min_iou: float = 0.5) -> Clear:
    """Score one sequence.

    Args:
        sequence: truth and prediction side by side; may be empty.
        min_iou: lowest IoU of a match, 0..1.
    """
    unmatched = -1
    last = np.full(sequence.truth_tracks, unmatched)  # predicted track of the last match ever
    before = np.full(sequence.truth_tracks, unmatched)  # the same, of the last scored frame only
    boxes = np.zeros(sequence.truth_tracks, int)
    tracked = np.zeros(sequence.truth_tracks, int)
    begun = np.zeros(sequence.truth_tracks, int)
    tp, switches, iou_sum = 0, 0, 0.0
    for frame in sequence.frames:
        boxes[frame.truth] += 1
        if not len(frame.truth) or not len(frame.predicted):
            continue  # as TrackEval has it: such a frame breaks no track
        score = KEEP_PAIR * (frame.predicted[None, :] == before[frame.truth][:, None]) + frame.iou
        score[frame.iou < min_iou - EPSILON] = 0
        rows, columns = linear_sum_assignment(score, maximize=True)
        matched = score[rows, columns] > EPSILON
        rows, columns = rows[matched], columns[matched]
        truth, predicted = frame.truth[rows], frame.predicted[columns]
        switches += np.count_nonzero((last[truth] != unmatched) & (last[truth] != predicted))
        begun[truth] += before[truth] == unmatched
        last[truth] = predicted
        before[:] = unmatched
        before[truth] = predicted
        tracked[truth] += 1
        tp += len(rows)
        iou_sum += float(frame.iou[rows, columns].sum())
    share = tracked / boxes
    mostly_tracked = int(np.count_nonzero(share > MOSTLY_TRACKED))
    mostly_lost = int(np.count_nonzero(share < MOSTLY_LOST))
    return Clear(
        tp=tp,
        fp=sequence.predicted_boxes - tp,
        fn=sequence.truth_boxes - tp,
        switches=int(switches),
        fragments=int(np.sum(np.maximum(begun - 1, 0))),
        mostly_tracked=mostly_tracked,
        partly_tracked=sequence.truth_tracks - mostly_tracked - mostly_lost,
        mostly_lost=mostly_lost,
        iou_sum=iou_sum,
    )
