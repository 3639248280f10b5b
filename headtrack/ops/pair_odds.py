"""Log-odds of any pairs of many rows, and of means of rows, without a matrix of all pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from headtrack.ops.face_evidence import FaceScale, face_log_odds
from headtrack.ops.look_evidence import LOOK_INTERCEPT, PER_LOOK_COSINE, same_look_log_odds

# Recognisability in which the features' smaller of two is exact where a knot lies between them or at one
# of them, and at most 1/8 too small elsewhere.
KNOTS = (0.0, 0.5, 1.0)
BLOCK_PAIRS = 8192

LogOdds = Callable[[npt.NDArray[np.floating], npt.NDArray[np.floating]], npt.NDArray[np.floating]]


@dataclass(frozen=True, slots=True)
class PairOdds:
    """Rows of which any two have log-odds, and features whose inner products are nearly those.

    `sum(weight * feature[a] * feature[b])` leaves out only the limit to what a single pair may say, and
    part of what the smaller recognisability is. So the mean log-odds over all pairs of two groups are
    nearly the product of their mean features, and groups can be searched like vectors.

    Attributes:
        vector: (N, D) float32 unit vectors, or means of such where a row stands for several.
        clear: (N,) float32 in 0..1.
        log_odds: of cosines and the smaller `clear` of each pair.
        feature: (N, F) float32.
        weight: (F,) float32, of either sign.
    """

    vector: npt.NDArray[np.float32]
    clear: npt.NDArray[np.float32]
    log_odds: LogOdds
    feature: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.vector)

    def of_pairs(self, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """Give (P,) log-odds of row `a[k]` and row `b[k]`."""
        odds = np.empty(len(a))
        for start in range(0, len(a), BLOCK_PAIRS):
            left, right = a[start : start + BLOCK_PAIRS], b[start : start + BLOCK_PAIRS]
            cosine = np.einsum("ij,ij->i", self.vector[left], self.vector[right])
            poorer = np.minimum(self.clear[left], self.clear[right])
            # In float32 the likeliest pairs would be equal again: `TIE_BREAK`.
            odds[start : start + BLOCK_PAIRS] = self.log_odds(cosine.astype(np.float64), poorer)
        return odds

    def of_block(self, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> npt.NDArray[np.floating]:
        """Give (A, B) log-odds of each row `a` and each row `b`."""
        cosine = self.vector[a] @ self.vector[b].T
        return self.log_odds(cosine, np.minimum(self.clear[a][:, None], self.clear[b]))


def face_odds(
    face: npt.NDArray[np.floating], recognisability: npt.NDArray[np.floating], scale: FaceScale
) -> PairOdds:
    """Give the log-odds of `same_person_log_odds` for many rows.

    Args:
        face: (N, D) unit vectors, or means of unit vectors.
        recognisability: (N,) in 0..1, or means.
        scale: of the network that made the faces.

    Source: the smaller of two numbers is the covariance of a Wiener process at both; between two knots
    its path is taken for a straight line, so that it is a finite sum of products.

    >>> odds = face_odds(np.eye(2), np.ones(2), FaceScale(intercept=-8.0, per_cosine=10.0))
    >>> odds.of_block(np.arange(2), np.arange(2)).tolist()
    [[2.0, -8.0], [-8.0, 2.0]]
    >>> (odds.feature * odds.weight @ odds.feature.T).tolist()
    [[2.0, -8.0], [-8.0, 2.0]]
    """
    face, clear = np.asarray(face, np.float32), np.asarray(recognisability, np.float32)
    n, width = face.shape
    features = [np.ones((n, 1), np.float32), face]
    weights = [[scale.intercept], [scale.per_cosine] * width]
    if scale.per_recognisability or scale.per_both:
        for low, high in pairwise(KNOTS):
            share = np.clip((clear - low) / (high - low), 0, 1)[:, None]
            features += [share, share * face]
            step = high - low
            weights += [[step * scale.per_recognisability], [step * scale.per_both] * width]
    return PairOdds(
        face,
        clear,
        partial(face_log_odds, scale=scale),
        np.concatenate(features, axis=1),
        np.concatenate(weights).astype(np.float32),
    )


def look_odds(look: npt.NDArray[np.floating]) -> PairOdds:
    """Give the log-odds of `same_look_log_odds` for many rows.

    Args:
        look: (N, D) unit vectors.
    """
    look = np.asarray(look, np.float32)
    n, width = look.shape
    return PairOdds(
        look,
        np.ones(n, np.float32),
        lambda cosine, _: same_look_log_odds(cosine),
        np.concatenate([np.ones((n, 1), np.float32), look], axis=1),
        np.array([LOOK_INTERCEPT, *[PER_LOOK_COSINE] * width], np.float32),
    )


def mean_odds_to_rest(odds: PairOdds) -> npt.NDArray[np.float64]:
    """Give each row's mean log-odds to all others, nearly, from the sum of all features; 0 if alone.

    >>> even = FaceScale(intercept=-8.0, per_cosine=10.0)
    >>> mean_odds_to_rest(face_odds(np.eye(3)[[0, 0, 1]], np.ones(3), even)).round(3).tolist()
    [-3.0, -3.0, -8.0]
    """
    total = odds.feature.sum(axis=0, dtype=np.float64)
    every = odds.feature @ (odds.weight * total).astype(np.float32)
    itself = np.einsum("ij,j,ij->i", odds.feature, odds.weight, odds.feature)
    return (every.astype(np.float64) - itself) / max(len(odds) - 1, 1)
