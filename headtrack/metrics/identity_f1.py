"""IDF1, IDP and IDR: how many boxes carry the one id that fits their track best.

Source: Ristani et al., "Performance Measures and a Data Set for Multi-Target, Multi-Camera
Tracking", ECCV 2016 workshops, equations 7 to 9.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.track_overlap import TrackOverlap


def identity_f1(sequence: TrackOverlap, *, min_iou: float = 0.5) -> MatchCounts:
    """Score one sequence.

    Args:
        sequence: truth and prediction side by side; may be empty.
        min_iou: lowest IoU at which two boxes coincide, 0..1.

    Returns:
        IDTP, IDFP and IDFN; `precision` is IDP, `recall` is IDR, `f1` is IDF1.
    """
    shared = np.zeros((sequence.truth_tracks, sequence.predicted_tracks), int)
    for frame in sequence.frames:
        rows, columns = np.nonzero(frame.iou >= min_iou)
        np.add.at(shared, (frame.truth[rows], frame.predicted[columns]), 1)
    # A pair of tracks that shares n boxes leaves (true + predicted - 2 n) boxes wrong; a track left
    # alone leaves all of its own. The least wrong one-to-one choice is the one that shares most.
    idtp = int(shared[linear_sum_assignment(shared, maximize=True)].sum())
    return MatchCounts(idtp, sequence.predicted_boxes - idtp, sequence.truth_boxes - idtp)
