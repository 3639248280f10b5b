"""Probabilities as natural log-odds, in which evidence adds up."""

from __future__ import annotations

import math

CERTAIN_LOG_ODDS = 99.0  # of 1 and, negative, of 0: beyond any evidence, but a number


def log_odds(probability: float) -> float:
    """Give the log-odds of a probability in 0..1; those of 0 and 1 are finite too.

    >>> [round(log_odds(p), 3) for p in (0.0, 0.5, 0.75, 1.0)]
    [-99.0, 0.0, 1.099, 99.0]
    """
    if probability <= 0:
        return -CERTAIN_LOG_ODDS
    if probability >= 1:
        return CERTAIN_LOG_ODDS
    return math.log(probability) - math.log1p(-probability)
