import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.linkage import constrained_average_linkage
from headtrack.ops.linkage_of_many import merges_of_many
from headtrack.ops.pair_odds import face_odds
from headtrack.ops.vectors import unit

SCALE = FaceScale(intercept=-0.6, per_cosine=6.0, per_recognisability=-4.0, per_both=15.0)
NONE = np.zeros((0, 2), np.int32)


def drawn(seed: int, n: int, pairs: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw faces, recognisabilities and pairs that must stay apart."""
    rng = np.random.default_rng(seed)
    apart = rng.integers(0, max(n, 1), (pairs if n > 1 else 0, 2))
    face, clear = unit(rng.normal(size=(n, 5))), rng.choice([0, 0.3, 0.5, 1], n)
    return face, clear, apart[apart[:, 0] != apart[:, 1]].astype(np.int32)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 90), st.integers(0, 20), st.floats(-1, 7))
def test_it_joins_what_the_linkage_of_all_pairs_joins(seed, n, pairs, limit):
    face, clear, apart = drawn(seed, n, pairs)
    odds = same_person_log_odds(face, clear, SCALE)
    expected = constrained_average_linkage(odds, min_similarity=limit, cannot_link=apart)
    merges = merges_of_many(face_odds(face, clear, SCALE), apart, size=np.ones(n), min_log_odds=-1)
    np.testing.assert_array_equal(merges.labels(limit), expected)


@pytest.mark.parametrize("seed", range(3))
def test_an_inverted_file_finds_nearly_the_same_clusters(seed):
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(60), 10)
    face = unit(rng.normal(size=(60, 32))[person] + rng.normal(0, 0.6, (600, 32)))
    odds = face_odds(face, np.ones(600), SCALE)
    found = [
        merges_of_many(odds, NONE, size=np.ones(600), min_log_odds=0, exact_rows=rows).labels(0)
        for rows in (600, 50)
    ]
    together = [labels[:, None] == labels for labels in found]
    assert (together[0] & together[1]).sum() / (together[0] | together[1]).sum() > 0.98


@settings(deadline=None, max_examples=30)
@given(st.permutations(range(60)))
def test_the_order_of_rows_does_not_change_the_partition(order):
    face, clear, apart = drawn(7, 60, 10)
    order = np.array(order)
    base, moved = (
        merges_of_many(
            face_odds(face[rows], clear[rows], SCALE), pairs, size=np.ones(60), min_log_odds=0
        ).labels(0)
        for rows, pairs in ((np.arange(60), apart), (order, np.argsort(order)[apart].astype(np.int32)))
    )
    np.testing.assert_array_equal(moved[:, None] == moved, base[order][:, None] == base[order])


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 80), st.integers(1, 60))
def test_pairs_that_must_stay_apart_do(seed, n, pairs):
    face, clear, apart = drawn(seed, n, pairs)
    labels = merges_of_many(face_odds(face, clear, SCALE), apart, size=np.ones(n), min_log_odds=-99)
    labels = labels.labels(-99)
    assert (labels[apart[:, 0]] != labels[apart[:, 1]]).all()


def test_equal_faces_in_any_number_are_joined():
    face = np.tile(np.eye(3, dtype=np.float32)[0], (200, 1))
    merges = merges_of_many(face_odds(face, np.ones(200), SCALE), NONE, size=np.ones(200), min_log_odds=0)
    assert set(merges.labels(0).tolist()) == {0}


def test_where_all_that_are_found_must_stay_apart_more_are_looked_at():
    face = unit(np.random.default_rng(0).normal([9, 0, 0], 0.1, (150, 3)))
    face[-1] = unit(np.array([[1, 0.4, 0]]))[0]  # the least like the first, and all that may join it
    apart = np.array([(0, k) for k in range(1, 149)], np.int32)
    merges = merges_of_many(face_odds(face, np.ones(150), SCALE), apart, size=np.ones(150), min_log_odds=0)
    labels = merges.labels(0)
    assert len(set(labels.tolist())) == 2


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_and_one_row_have_no_joins(n):
    face, clear, apart = drawn(0, n)
    merges = merges_of_many(face_odds(face, clear, SCALE), apart, size=np.ones(n), min_log_odds=-99)
    assert (len(merges), merges.labels(0).tolist()) == (0, list(range(n)))


def test_a_row_that_stands_for_several_weighs_as_many():
    odds = np.array([[0, 3, -2], [3, 0, 1], [-2, 1, 0]], np.float64)
    labels = [
        constrained_average_linkage(odds, min_similarity=0, cannot_link=NONE, size=size).tolist()
        for size in (np.array([1, 1, 1]), np.array([1, 4, 1]))
    ]
    assert labels == [[0, 0, 1], [0, 0, 0]]
    face = np.array([[1, 0], [0.8, 0.6], [0, 1]], np.float32)
    even = FaceScale(intercept=-5.0, per_cosine=10.0)
    merged = [
        merges_of_many(face_odds(face, np.ones(3), even), NONE, size=size, min_log_odds=0).labels(0).tolist()
        for size in (np.array([4, 1, 1]), np.array([1, 9, 1]))
    ]
    assert merged == [[0, 0, 1], [0, 0, 0]]
