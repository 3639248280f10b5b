"""How likely two face embeddings show one person."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

MAX_LOG_ODDS = 8.0  # no single pair may outweigh everything else
# What is left of what a pair says beyond: the likeliest pairs would otherwise be equal, and the order of
# rows would decide which of them join first.
TIE_BREAK = 1e-4


@dataclass(frozen=True, slots=True)
class FaceScale:
    """What a cosine of one network's embeddings is worth, in natural log-odds.

    Attributes:
        intercept: at cosine 0 between faces that are hardly recognisable.
        per_cosine: what a cosine higher by 1 adds between such faces.
        per_recognisability: what the poorer face's recognisability (0..1) adds at cosine 0.
        per_both: what the product of cosine and recognisability adds.
    """

    intercept: float
    per_cosine: float
    per_recognisability: float = 0.0
    per_both: float = 0.0

    def among(self, people: int) -> FaceScale:
        """Give the scale that holds where so many people are told apart: see `crowd_log_odds`."""
        return replace(self, intercept=self.intercept - crowd_log_odds(people))


# sface: logistic regression on pairs of labelled, degraded stills, shifted to where average linkage
# groups those of `USUAL_PEOPLE` best; both by `benchmarks/fit_evidence.py`.
# dlib: even odds at the distance that tells LFW's pairs apart best, 0.57 between vectors of mean
# length 1.48: cosine 1 - 0.57^2 / (2 * 1.48^2) = 0.926. The slope brings the first percentile of
# same faces and the last of different ones among labelled portraits (0.930, 0.908) near four to one.
FACE_SCALES = {
    "sface": FaceScale(intercept=-1.44, per_cosine=5.45, per_recognisability=-4.39, per_both=12.49),
    "dlib-face-resnet": FaceScale(intercept=-74.0, per_cosine=80.0),
}

# The more people, the more pairs of strangers, and the higher the log-odds from which groups are best
# joined: -0.37 + 0.48 ln(people), 0 here at `USUAL_PEOPLE`. It was learnt on 2 to `MOST_PEOPLE`; how it goes
# on is not known, and beyond them it stays. Source: `benchmarks/fit_evidence.py`.
USUAL_PEOPLE = 11
MOST_PEOPLE = 54
PER_LOG_PEOPLE = 0.48


def crowd_log_odds(people: int) -> float:
    """Give by how much more evidence joins two groups where so many people are told apart.

    >>> round(crowd_log_odds(11), 2), round(crowd_log_odds(54), 2), round(crowd_log_odds(10_000), 2)
    (0.0, 0.76, 0.76)
    """
    return PER_LOG_PEOPLE * math.log(min(max(people, 1), MOST_PEOPLE) / USUAL_PEOPLE)


def same_person_log_odds(
    face: npt.NDArray[np.floating], recognisability: npt.NDArray[np.floating], scale: FaceScale
) -> npt.NDArray[np.float64]:
    """Give the log-odds that each two (mean) face embeddings show one person.

    Args:
        face: (N, D) unit vectors; NaN where a face is unknown.
        recognisability: (N,) in 0..1: how far each face shows whose it is.
        scale: of the network that made the faces.

    Returns:
        (N, N) natural logarithm of the odds; NaN where a face is unknown.

    >>> even = FaceScale(intercept=-8.0, per_cosine=10.0)
    >>> same_person_log_odds(np.eye(2), np.ones(2), even).tolist()
    [[2.0, -8.0], [-8.0, 2.0]]
    """
    face, clear = np.asarray(face, np.float64), np.asarray(recognisability, np.float64)
    odds = face_log_odds(face @ face.T, np.minimum(clear[:, None], clear[None]), scale)
    return odds.astype(np.float64, copy=False)


def face_log_odds(
    cosine: npt.NDArray[np.floating], poorer: npt.NDArray[np.floating], scale: FaceScale
) -> npt.NDArray[np.floating]:
    """Give the log-odds that two face embeddings of a cosine show one person.

    Args:
        cosine: any shape; NaN gives NaN.
        poorer: the same shape, the lower recognisability of the two.
        scale: of the network that made the faces.
    """
    odds = (
        scale.intercept
        + scale.per_cosine * cosine
        + poorer * (scale.per_recognisability + scale.per_both * cosine)
    )
    limited = np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    return limited + TIE_BREAK * (odds - limited)
