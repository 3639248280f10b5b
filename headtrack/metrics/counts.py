"""Right, false and missed, and the rates that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many predictions were right, how many false, how much of the truth was missed.

    Counts add up (`+`), so that a total over clips weighs every item alike.

    Attributes:
        tp: predictions that match the truth.
        fp: predictions that match nothing.
        fn: truth that nothing matches.

    >>> MatchCounts(3, 1, 0) + MatchCounts(0, 0, 1)
    MatchCounts(tp=3, fp=1, fn=1)
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: MatchCounts) -> MatchCounts:
        return MatchCounts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """Share of the predictions that are right; NaN where nothing was predicted."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of the truth that was found; NaN where there is none."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """Harmonic mean of both; 1 where there was nothing to find and nothing was predicted."""
        weight = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / weight if weight else 1.0


def ratio(part: float, whole: float) -> float:
    """Divide; NaN (unknown) where the whole is 0.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, nan)
    """
    return part / whole if whole else math.nan


def known(value: float) -> float | None:
    """Give a figure, None where it is unknown (NaN): JSON has no NaN.

    >>> known(0.25), known(math.nan)
    (0.25, None)
    """
    return None if math.isnan(value) else value
