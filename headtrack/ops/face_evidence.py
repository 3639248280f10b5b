"""How likely two face embeddings show one person."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Even odds at the distance that tells LFW's pairs apart best, 0.57 between vectors of dlib's mean
# length 1.48: cosine 1 - 0.57^2 / (2 * 1.48^2) = 0.926. The slope brings the first percentile of
# same faces and the last of different ones among the labelled portraits (0.930, 0.908) near four to
# one. Both are readings, not yet a fit: the fit on degraded stills is work in progress.
INTERCEPT = -74.0
PER_COSINE = 80.0
MAX_LOG_ODDS = 8.0  # no single pair may outweigh everything else


def same_person_log_odds(cosine: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Give the log-odds that two (mean) face embeddings show one person.

    Args:
        cosine: similarity of the two, any shape; NaN gives NaN.

    Returns:
        Natural logarithm of the odds, in the same shape.

    >>> same_person_log_odds(np.array([0.80, 0.925, 0.97])).round(1).tolist()
    [-8.0, 0.0, 3.6]
    """
    odds = INTERCEPT + PER_COSINE * np.asarray(cosine, np.float64)
    return np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
