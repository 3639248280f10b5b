"""Log-odds of pairs as inner products, so that those of groups come from sums, without all their pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.ops.face_evidence import FaceScale
from headtrack.ops.look_evidence import LOOK_INTERCEPT, PER_LOOK_COSINE

# Recognisability in which the smaller of two is exact where a knot lies between them or at one of them,
# and at most 1/8 too small elsewhere.
KNOTS = (0.0, 0.5, 1.0)
BLOCK_PAIRS = 8192


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """Rows of which each two have the log-odds `sum(weight * value[a] * value[b])`.

    The mean log-odds over all pairs of two groups is therefore that of their mean rows.

    Attributes:
        value: (N, F) float32.
        weight: (F,) float32, of either sign.
    """

    value: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.value)


def face_features(
    face: npt.NDArray[np.floating], recognisability: npt.NDArray[np.floating], scale: FaceScale
) -> PairFeatures:
    """Give the features of `same_person_log_odds`, but for its limit to what one pair may say.

    Args:
        face: (N, D) unit vectors, or means of unit vectors.
        recognisability: (N,) in 0..1, or means.
        scale: of the network that made the faces.

    Source: the smaller of two numbers is the covariance of a Wiener process at both; between two knots
    its path is taken for a straight line, so that it is a finite sum of products.

    >>> even = FaceScale(intercept=-8.0, per_cosine=10.0)
    >>> pair_log_odds(face_features(np.eye(2), np.ones(2), even), np.array([0, 0]), np.array([0, 1])).tolist()
    [2.0, -8.0]
    """
    face = np.asarray(face, np.float32)
    n, width = face.shape
    values = [np.ones((n, 1), np.float32), face]
    weights = [[scale.intercept], [scale.per_cosine] * width]
    if scale.per_recognisability or scale.per_both:
        for low, high in zip(KNOTS, KNOTS[1:], strict=False):
            share = np.clip((recognisability - low) / (high - low), 0, 1).astype(np.float32)[:, None]
            values += [share, share * face]
            weights += [
                [(high - low) * scale.per_recognisability],
                [(high - low) * scale.per_both] * width,
            ]
    return PairFeatures(np.concatenate(values, axis=1), np.concatenate(weights).astype(np.float32))


def look_features(look: npt.NDArray[np.floating]) -> PairFeatures:
    """Give the features of `same_look_log_odds`, but for its limits to what one pair may say.

    Args:
        look: (N, D) unit vectors.
    """
    n, width = look.shape
    values = np.concatenate([np.ones((n, 1), np.float32), np.asarray(look, np.float32)], axis=1)
    return PairFeatures(values, np.array([LOOK_INTERCEPT, *[PER_LOOK_COSINE] * width], np.float32))


def pair_log_odds(
    features: PairFeatures, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]
) -> npt.NDArray[np.float64]:
    """Give the log-odds of row `a[k]` and row `b[k]` for each k; either order gives the same number.

    Args:
        features: the rows.
        a: (P,) int.
        b: (P,) int.
    """
    low, high = np.minimum(a, b), np.maximum(a, b)
    odds = np.empty(len(low))
    for start in range(0, len(low), BLOCK_PAIRS):
        block = slice(start, start + BLOCK_PAIRS)
        weighted = features.value[low[block]] * features.weight
        odds[block] = np.einsum("ij,ij->i", weighted, features.value[high[block]])
    return odds


def mean_log_odds_to_rest(features: PairFeatures) -> npt.NDArray[np.float64]:
    """Give each row's mean log-odds to all others, from their sum; 0 for a row alone.

    >>> even = FaceScale(intercept=-8.0, per_cosine=10.0)
    >>> mean_log_odds_to_rest(face_features(np.eye(3)[[0, 0, 1]], np.ones(3), even)).round(3).tolist()
    [-3.0, -3.0, -8.0]
    """
    total = features.value.sum(axis=0, dtype=np.float64)
    every = features.value @ (features.weight * total).astype(np.float32)
    itself = np.einsum("ij,j,ij->i", features.value, features.weight, features.value)
    return (every.astype(np.float64) - itself) / max(len(features) - 1, 1)
