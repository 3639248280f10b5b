"""How likely two face embeddings show one person."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Logistic regression on the cosine and on the poorer side's quality.
INTERCEPT = -74.0
PER_COSINE = 80.0
PER_LOG_WEIGHT = 0.0
MAX_LOG_ODDS = 8.0  # no single pair may outweigh everything else


def same_person_log_odds(
    cosine: npt.NDArray[np.float32], weight_a: npt.NDArray[np.float32], weight_b: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Give the log-odds that two (mean) face embeddings show one person.

    Args:
        cosine: similarity of the two, any shape; NaN gives NaN.
        weight_a: summed quality of the faces behind one side, of a shape that broadcasts.
        weight_b: the same for the other side.

    Returns:
        Natural logarithm of the odds, in the broadcast shape.

    Source: fitted by `benchmarks/fit_evidence.py`; cross-validated figures in
    `docs/adr/0003-identity-clustering.md`.
    """
    poorer = np.log(np.clip(np.minimum(weight_a, weight_b), 0.02, 1.0))
    odds = INTERCEPT + PER_COSINE * np.asarray(cosine, np.float64) + PER_LOG_WEIGHT * poorer
    return np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
