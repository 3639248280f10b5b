from __future__ import annotations

import numpy as np

from headtrack.identity.similarity import head_similarity, same_person_probability
from headtrack.ops.face_evidence import FaceScale
from headtrack.types import TrackGallery

SCALE = FaceScale(intercept=-4.0, per_cosine=8.0)
NAN = [np.nan, np.nan]


def gallery(face: list[list[float]], look: list[list[float]]) -> TrackGallery:
    known = np.isfinite(np.array(face)).all(axis=1).astype(float)
    n = len(face)
    return TrackGallery(["v"] * n, np.arange(n), face, known, known, look, [])


def test_same_look_is_nearer_than_other_look_than_other_person():
    s = head_similarity(gallery([[1, 0], [1, 0], [1, 0], [0, 1]], [[1, 0], [1, 0], [0, 1], [1, 0]]), SCALE)
    assert s[0, 1] > s[0, 2] > s[0, 3]


def test_without_a_face_the_look_alone_speaks():
    s = head_similarity(gallery([[1, 0], NAN, NAN], [[1, 0], [1, 0], [0, 1]]), SCALE)
    assert s[0, 1] > 0.8
    assert s[0, 2] < 0.1


def test_without_face_and_look_nothing_is_known():
    s = head_similarity(gallery([[1, 0], NAN], [[1, 0], NAN]), SCALE)
    assert np.isnan(s[0, 1])


def test_probabilities_are_symmetric_and_unknown_without_a_face():
    p = same_person_probability(gallery([[1, 0], [0.6, 0.8], NAN], [[1, 0]] * 3), SCALE)
    assert np.isnan(p[2]).all()
    assert p[0, 1] == p[1, 0]
    assert 0.5 < p[0, 1] < p[0, 0]


def test_no_tracks_give_no_pairs():
    none = TrackGallery([], [], np.zeros((0, 2)), [], [], np.zeros((0, 3)), [])
    assert head_similarity(none, SCALE).shape == (0, 0)
