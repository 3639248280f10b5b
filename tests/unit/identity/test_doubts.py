from __future__ import annotations

import math

import numpy as np
import pytest

from headtrack.identity.doubts import Doubts, Partition, find_doubts
from headtrack.ops.face_evidence import FaceScale
from headtrack.types import TrackGallery

SCALE = FaceScale(intercept=-4.0, per_cosine=8.0)
NONE = np.zeros((0, 2), np.int32)


def doubts(degrees, person, *, shown_s=None, must=NONE, cannot=NONE) -> Doubts:
    """Ask about tracks whose faces lie at these angles; None for no face."""
    n = len(degrees)
    has = np.array([d is not None for d in degrees], bool)
    radians = [math.radians(d or 0) for d in degrees]
    face = np.array([[math.cos(r), math.sin(r)] for r in radians], np.float32).reshape(n, 2)
    face[~has] = np.nan
    look = np.ones((n, 1), np.float32)
    gallery = TrackGallery(["v"] * n, range(n), face, has * 1.0, has * 1.0, look, [])
    seconds = np.ones(n) * 10 if shown_s is None else np.array(shown_s, float)
    return find_doubts(gallery, Partition(person, seconds, must, cannot), SCALE)


def asked(found: Doubts) -> list[tuple[int, int]]:
    return list(zip(found.person_a.tolist(), found.person_b.tolist(), strict=True))


def test_two_people_whose_faces_are_nearly_one_are_asked_about_first():
    found = doubts([0, 65, 140], [0, 1, 2])
    assert asked(found)[0] == (0, 1)
    assert not found.is_split.any()
    assert found.probability[0] == pytest.approx(1 / (1 + math.exp(4 - 8 * math.cos(math.radians(65)))))
    assert found.gain_s[0] == pytest.approx(10 * found.probability[0])
    assert (found.track_a[0], found.track_b[0]) == (0, 1)


def test_a_person_whose_tracks_hardly_fit_is_asked_about_with_the_smaller_side():
    found = doubts([0, 4, 8, 62], [0, 0, 0, 0], shown_s=[1, 1, 1, 2])
    assert found.is_split.tolist() == [True]
    assert asked(found) == [(0, 0)]
    assert found.side[0].tolist() == [3]
    assert 0.3 < found.probability[0] < 0.7
    assert found.gain_s[0] == pytest.approx((1 - found.probability[0]) * 2)


def test_the_time_of_the_smaller_side_weighs_and_a_still_counts_a_second():
    found = doubts([0, 65], [0, 1], shown_s=[30, 0])
    assert asked(found) == [(0, 1)]
    assert found.gain_s[0] == pytest.approx(found.probability[0])
    turned = doubts([0, 65], [0, 1], shown_s=[0, 30])
    assert asked(turned) == [(1, 0)]


def test_people_seen_in_one_frame_or_said_to_be_two_are_not_asked_about():
    pair = np.array([[1, 0]], np.int32)
    assert asked(doubts([0, 20, 140], [0, 1, 2], cannot=pair)) != []
    assert (0, 1) not in asked(doubts([0, 20, 140], [0, 1, 2], cannot=pair))


def test_a_person_of_whom_somebody_said_that_both_sides_are_one_is_not_asked_about_again():
    degrees, person = [0, 4, 62], [0, 0, 0]
    assert len(doubts(degrees, person)) == 1
    assert len(doubts(degrees, person, must=np.array([[1, 2]], np.int32))) == 0
    assert len(doubts(degrees, person, must=np.array([[0, 1]], np.int32))) == 1


def test_tracks_without_a_face_or_a_person_say_nothing():
    assert len(doubts([None, 0], [0, 1])) == 0
    assert len(doubts([0, 10], [0, -1])) == 0


def test_no_tracks_and_one_track_leave_nothing_to_ask():
    assert len(doubts([], np.zeros(0, np.int32))) == 0
    assert len(doubts([5], [0])) == 0


def test_the_order_of_rows_changes_no_question():
    rng = np.random.default_rng(3)
    degrees, person = rng.uniform(0, 180, 30), rng.integers(0, 8, 30)
    order = rng.permutation(30)
    first, second = doubts(degrees, person), doubts(degrees[order], person[order])
    assert asked(first) == asked(second)
    assert first.gain_s == pytest.approx(second.gain_s, rel=1e-5)
