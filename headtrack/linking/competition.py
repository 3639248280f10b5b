"""What a link is worth where others compete for it: an end goes on in one start at most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def contested_probability(
    log_odds: npt.NDArray[np.float64], end: npt.NDArray[np.integer], start: npt.NDArray[np.integer]
) -> npt.NDArray[np.float64]:
    """Give the probability of each possible link; those of one end or of one start exclude each other.

    Args:
        log_odds: (K,) of each link on its own, against none.
        end: (K,) what would go on.
        start: (K,) in what.

    Returns:
        (K,) in 0..1: the odds of a link over those of itself, of every rival and of no link (1).

    Source: the posterior of one hypothesis among exclusive ones, as in probabilistic data association
    (Bar-Shalom and Tse, 1975), with those of the end and of the start together.

    >>> contested_probability(np.log([3.0, 1.0, 1.0]), np.array([0, 0, 1]), np.array([0, 1, 0])).tolist()
    [0.5, 0.2, 0.2]
    """
    top = max(float(np.max(log_odds, initial=0.0)), 0.0)  # keeps exp finite, as in log-sum-exp
    weight = np.exp(log_odds - top)
    of_end = np.bincount(end, weights=weight)[end] if len(end) else weight
    of_start = np.bincount(start, weights=weight)[start] if len(start) else weight
    return weight / (np.exp(-top) + of_end + of_start - weight)
