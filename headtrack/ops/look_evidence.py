"""How likely two head crops show one look, and two colour histograms one head and its clothes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LOOK_INTERCEPT = -15.4
PER_LOOK_COSINE = 17.5
COLOUR_INTERCEPT = -26.2
PER_COLOUR_LIKENESS = 27.8
MAX_LOG_ODDS = 4.0  # no single pair may outweigh everything else


def same_look_log_odds(cosine: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Give the log-odds that two (mean) appearance embeddings show one look, against two people.

    Args:
        cosine: similarity of the two, any shape; NaN gives NaN.

    Source: fitted by `benchmarks/fit_looks.py`.
    """
    odds = LOOK_INTERCEPT + PER_LOOK_COSINE * np.asarray(cosine, np.float64)
    return np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)


def same_colour_log_odds(likeness: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Give the log-odds that two colour histograms are of one head with its clothes.

    Args:
        likeness: Bhattacharyya coefficient in 0..1, any shape.

    Source: fitted by `benchmarks/fit_looks.py`.
    """
    odds = COLOUR_INTERCEPT + PER_COLOUR_LIKENESS * np.asarray(likeness, np.float64)
    return np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
