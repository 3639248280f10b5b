"""Shot boundaries found, false and missed, with a tolerance in frames.

Source: the TRECVID shot boundary task (Smeaton et al., CVIU 2010): one-to-one matching of cuts
within a few frames.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.metrics.counts import MatchCounts


@dataclass(frozen=True, slots=True)
class BoundaryMatch:
    """What became of the boundaries of one video.

    Attributes:
        counts: right, false and missed boundaries.
        false: (F,) int64 first frames of the false boundaries.
        missed: (M,) int64 first frames of the missed ones.
    """

    counts: MatchCounts
    false: npt.NDArray[np.int64]
    missed: npt.NDArray[np.int64]


def match_boundaries(
    truth: npt.NDArray[np.integer], predicted: npt.NDArray[np.integer], *, tolerance_frames: int
) -> BoundaryMatch:
    """Match boundaries one to one: as many as can be.

    Args:
        truth: (T,) first frame after each transition.
        predicted: (P,) the same, as found.
        tolerance_frames: how far apart two matched boundaries may lie.

    >>> match_boundaries(np.array([20, 80]), np.array([21, 50]), tolerance_frames=2).counts
    MatchCounts(tp=1, fp=1, fn=1)
    """
    true, found = np.sort(truth).tolist(), np.sort(predicted).tolist()
    t = p = tp = 0
    false, missed = [], []
    # Windows of one width, taken from the left: the earliest free boundary is never a worse choice.
    while t < len(true) and p < len(found):
        if abs(true[t] - found[p]) <= tolerance_frames:
            t, p, tp = t + 1, p + 1, tp + 1
        elif found[p] < true[t]:
            false.append(found[p])
            p += 1
        else:
            missed.append(true[t])
            t += 1
    false += found[p:]
    missed += true[t:]
    return BoundaryMatch(
        MatchCounts(tp, len(false), len(missed)), np.array(false, np.int64), np.array(missed, np.int64)
    )
