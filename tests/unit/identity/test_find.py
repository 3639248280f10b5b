from __future__ import annotations

import math

import numpy as np
import pytest

from headtrack.identity import find
from headtrack.identity.find import find_people
from headtrack.ops.face_evidence import FACE_SCALES, FaceScale, same_person_log_odds
from headtrack.types import TrackGallery

SCALE = FaceScale(intercept=-4.0, per_cosine=8.0)
NO_FACE = np.full(4, np.nan)


def gallery(faces, looks) -> TrackGallery:
    n = len(faces)
    has = np.array([face is not None for face in faces], bool)
    face = np.array([NO_FACE if f is None else f for f in faces], np.float32).reshape(n, 4)
    look = np.array(looks, np.float32).reshape(n, 3)
    return TrackGallery(["v"] * n, range(n), face, has * 1.0, has * 1.0, look, [])


def at(degrees: float) -> list[float]:
    """A unit vector in the plane of the first two axes."""
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0, 0]


LOOKS = np.eye(3).tolist()


def test_the_person_with_the_likeliest_faces_comes_first_with_the_mean_evidence_of_all_of_them():
    archive = gallery([at(0), at(60), at(50)], [LOOKS[0], LOOKS[0], LOOKS[1]])
    (found,) = find_people(
        gallery([at(0)], [LOOKS[1]]), archive, person=np.array([0, 0, 1]), appearance=np.array([0, 0, 1]),
        face_scale=SCALE,
    )  # fmt: skip
    assert found.by_face
    assert found.person.tolist() == [0, 1]
    assert found.best_track.tolist() == [0, 2]
    odds = (8 * 1 - 4 + 8 * 0.5 - 4) / 2
    assert found.probability[0] == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-6)
    assert found.appearance.tolist() == [0, 1]
    assert found.look_probability[1] > 0.5 > found.look_probability[0]


def test_a_head_without_a_face_is_ranked_by_the_likeliest_look_of_each_person_and_says_so():
    archive = gallery([at(0), at(0), None], [LOOKS[0], LOOKS[1], LOOKS[2]])
    (found,) = find_people(
        gallery([None], [LOOKS[1]]), archive, person=np.array([0, 0, 1]), appearance=np.array([0, 1, 2]),
        face_scale=SCALE,
    )  # fmt: skip
    assert not found.by_face
    assert found.person.tolist() == [0, 1]
    assert found.appearance.tolist() == [1, 2]
    assert found.best_track[0] == 1
    assert found.probability.tolist() == found.look_probability.tolist()


def test_people_of_whom_no_face_was_seen_are_not_compared_with_a_face():
    archive = gallery([None, at(10)], [LOOKS[0], LOOKS[0]])
    (found,) = find_people(
        gallery([at(0)], [LOOKS[0]]), archive, person=np.array([0, 1]), appearance=np.array([0, 1]),
        face_scale=SCALE,
    )  # fmt: skip
    assert found.person.tolist() == [1]


def test_tracks_that_were_not_clustered_are_nobody():
    archive = gallery([at(0)], [LOOKS[0]])
    (found,) = find_people(
        gallery([at(0)], [LOOKS[0]]), archive, person=np.array([-1]), appearance=np.array([-1]),
        face_scale=SCALE,
    )  # fmt: skip
    assert len(found) == 0


def test_an_empty_archive_gives_empty_rankings_and_an_empty_query_none():
    none, nobody = gallery([], []), np.zeros(0, np.int32)
    (found,) = find_people(
        gallery([at(0)], [LOOKS[0]]), none, person=nobody, appearance=nobody, face_scale=SCALE
    )
    assert len(found) == 0
    assert find_people(none, none, person=nobody, appearance=nobody, face_scale=SCALE) == []


def test_rankings_equal_a_naive_loop_whatever_the_block(monkeypatch):
    rng = np.random.default_rng(0)

    def unit(n, d):
        vectors = rng.normal(size=(n, d)) + 0.5
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    n, scale = 37, FACE_SCALES["sface"]
    person = rng.integers(0, 9, n)
    archive = TrackGallery(["v"] * n, range(n), unit(n, 16), np.ones(n), rng.random(n), unit(n, 12), [])
    query = TrackGallery(["q"] * 3, range(3), unit(3, 16), np.ones(3), rng.random(3), unit(3, 12), [])
    monkeypatch.setattr(find, "BLOCK_TRACKS", 5)
    got = find_people(query, archive, person=person, appearance=person, face_scale=scale)
    for q, ranking in enumerate(got):
        naive = {}
        for p in range(9):
            odds = [
                same_person_log_odds(
                    np.stack([query.face[q], archive.face[k]]),
                    np.array([query.face_recognisability[q], archive.face_recognisability[k]]),
                    scale,
                )[0, 1]
                for k in np.flatnonzero(person == p)
            ]
            if odds:
                naive[p] = 1 / (1 + math.exp(-np.mean(odds)))
        assert ranking.person.tolist() == sorted(naive, key=lambda p: -naive[p])
        for p, probability in zip(ranking.person.tolist(), ranking.probability.tolist(), strict=True):
            assert probability == pytest.approx(naive[p], abs=1e-6)
