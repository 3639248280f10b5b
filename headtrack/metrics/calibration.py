"""Whether a score of 0.8 means right in 8 of 10 cases.

Source: the reliability diagram and expected calibration error of Guo et al., "On Calibration of Modern
Neural Networks", ICML 2017, with bins of equal width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array

BINS = 10


@dataclass(frozen=True, slots=True)
class Reliability:
    """Scores and outcomes by score, in bins of equal width; counts add up (`+`).

    Attributes:
        count: (B,) int64 predictions in each bin.
        right: (B,) int64 how many of them are right.
        score_sum: (B,) float64 sum of their scores.
    """

    count: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    score_sum: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        bins = len(self.count)
        for name, dtype in (("count", np.int64), ("right", np.int64), ("score_sum", np.float64)):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, (bins,)))

    def __add__(self, other: Reliability) -> Reliability:
        return Reliability(
            self.count + other.count, self.right + other.right, self.score_sum + other.score_sum
        )

    @staticmethod
    def none() -> Reliability:
        """Give no predictions."""
        return reliability(np.zeros(0), np.zeros(0, bool))

    @property
    def mean_score(self) -> npt.NDArray[np.float64]:
        """(B,) what each bin promises; NaN where it is empty."""
        return _per(self.score_sum, self.count)

    @property
    def share_right(self) -> npt.NDArray[np.float64]:
        """(B,) what each bin keeps; NaN where it is empty."""
        return _per(self.right.astype(np.float64), self.count)

    @property
    def expected_error(self) -> float:
        """Mean gap between promise and outcome, weighted by count, 0..1; NaN without predictions."""
        total = int(self.count.sum())
        return float(np.abs(self.right - self.score_sum).sum() / total) if total else math.nan


def reliability(score: npt.NDArray[np.floating], right: npt.NDArray[np.bool_]) -> Reliability:
    """Sort predictions into bins by score.

    Args:
        score: (N,) in 0..1.
        right: (N,) bool.

    >>> promise = reliability(np.array([0.9, 0.94, 0.95, 0.25]), np.array([True, True, False, False]))
    >>> round(promise.expected_error, 4)
    0.26
    """
    bins = np.clip((np.asarray(score) * BINS).astype(np.int64), 0, BINS - 1)
    return Reliability(
        np.bincount(bins, minlength=BINS),
        np.bincount(bins[right], minlength=BINS),
        np.asarray(np.bincount(bins, weights=score, minlength=BINS), np.float64),
    )


def _per(value: npt.NDArray[np.float64], count: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.divide(value, count, out=np.full(len(count), np.nan), where=count > 0)
