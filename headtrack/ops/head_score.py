"""How likely a box is a head: logistic fits on what the networks said of it.

The numbers are in `headtrack.ops.head_fits`, made by `benchmarks/fit_head_box.py`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_geometry import LEFT_SHOULDER, RIGHT_SHOULDER, PoseGeometry

Floats = npt.NDArray[np.floating]
MIN_SCORE = 0.01  # keeps log odds finite


def pose_score_terms(
    evidence: HeadEvidence,
    geometry: PoseGeometry,
    *,
    face_score: Floats,
    inside: Floats,
) -> Floats:
    """Give (P, 7) terms of the log odds that a person's head box is right.

    Args:
        evidence: of the frame.
        geometry: of its P people.
        face_score: (P,) of the face found in each head, 0 where there is none.
        inside: (P,) share of each head box that lies in the frame.
    """
    shoulders = evidence.keypoints[:, [LEFT_SHOULDER, RIGHT_SHOULDER], 2].mean(axis=1)
    return np.stack(
        [
            np.ones(len(inside)),
            log_odds(evidence.body_score),
            geometry.eye,
            geometry.ear,
            shoulders,
            face_score,
            inside,
        ],
        axis=1,
    )


def face_score_terms(evidence: HeadEvidence) -> Floats:
    """Give (F, 2) terms of the log odds that the head box around a lone face is right."""
    return np.stack([np.ones(len(evidence.face_score)), log_odds(evidence.face_score)], axis=1)


def log_odds(probability: Floats) -> Floats:
    """Give log(p / (1 - p)), kept finite.

    >>> log_odds(np.array([0.5])).tolist()
    [0.0]
    """
    p = np.clip(probability, MIN_SCORE, 1 - MIN_SCORE)
    return np.log(p / (1 - p))


def probability(terms: Floats, weights: tuple[float, ...]) -> Floats:
    """Turn (N, K) terms into (N,) probabilities by a logistic function."""
    return 1 / (1 + np.exp(-(terms @ np.array(weights))))
