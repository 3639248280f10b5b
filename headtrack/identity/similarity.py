"""How like two heads are: the same person first, then the same look."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.look_evidence import same_look_log_odds
from headtrack.types import TrackGallery


def same_person_probability(gallery: TrackGallery, face_scale: FaceScale) -> npt.NDArray[np.float64]:
    """Give the probability that each two tracks show one person, by their faces alone.

    Args:
        gallery: (M) tracks.
        face_scale: of the network that made the faces.

    Returns:
        (M, M) float64 in 0..1; NaN where a face is unknown.
    """
    return expit(same_person_log_odds(gallery.face, gallery.face_recognisability, face_scale))


def head_similarity(gallery: TrackGallery, face_scale: FaceScale) -> npt.NDArray[np.float64]:
    """Give how like each two tracks (of a still: heads) are.

    P(same person) * (1 + P(same look)) / 2: the same person in another look reaches half of what the same
    look reaches. Where a face is unknown, P(same look) stands for both.

    Args:
        gallery: (M) tracks.
        face_scale: of the network that made the faces.

    Returns:
        (M, M) float64 in 0..1; NaN where neither faces nor looks are known.

    >>> one = TrackGallery(["v"] * 2, [0, 1], np.eye(2), [1, 1], [1, 1], np.ones((2, 1)), [])
    >>> float(head_similarity(one, FaceScale(intercept=0.0, per_cosine=1.0))[0, 1].round(3))
    0.473
    """
    look = expit(same_look_log_odds(np.asarray(gallery.look, np.float64) @ gallery.look.T))
    person = same_person_probability(gallery, face_scale)
    return np.where(np.isnan(person), look, person * (1 + look) / 2)
