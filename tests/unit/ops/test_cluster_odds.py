import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.ops.cluster_odds import BLOCK_COLUMNS, BLOCK_ROWS, ClusterOdds
from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.pair_odds import face_odds
from headtrack.ops.vectors import unit

SCALE = FaceScale(intercept=-0.6, per_cosine=6.0, per_recognisability=-4.0, per_both=15.0)


def joined(group: np.ndarray, seed: int) -> tuple[ClusterOdds, np.ndarray, np.ndarray]:
    """Give rows joined by group (named by its first row), their log-odds and their weights."""
    rng = np.random.default_rng(seed)
    face, clear = unit(rng.normal(size=(len(group), 5))), rng.random(len(group))
    size = rng.integers(1, 4, len(group)).astype(np.float64)
    clusters = ClusterOdds(face_odds(face, clear, SCALE), size)
    first = {g: k for k, g in reversed(list(enumerate(group.tolist())))}
    for row, g in enumerate(group.tolist()):
        if row != first[g]:
            clusters.join(np.array([first[g]]), np.array([row]))
    return clusters, same_person_log_odds(face, clear, SCALE), size


def naive_mean(odds: np.ndarray, size: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    weight = size[a][:, None] * size[b]
    return float((odds[np.ix_(a, b)] * weight).sum() / weight.sum())


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), min_size=2, max_size=120), st.integers(0, 10_000))
def test_the_mean_of_two_clusters_is_that_of_all_pairs_of_their_members(group, seed):
    group = np.array(group)
    clusters, odds, size = joined(group, seed)
    names = [np.flatnonzero(group == g) for g in np.unique(group)]
    pairs = [(a, b) for a in names for b in names if a[0] != b[0]]
    one, two = (np.array([pair[side][0] for pair in pairs], np.int64) for side in (0, 1))
    expected = [naive_mean(odds, size, a, b) for a, b in pairs]
    np.testing.assert_allclose(clusters.mean(one, two), expected, atol=1e-4)


@pytest.mark.parametrize("turned", [False, True])
def test_one_cluster_near_very_many_is_compared_with_each(turned):
    hub, others = BLOCK_ROWS + 5, BLOCK_COLUMNS + 300
    group = np.concatenate([np.zeros(hub, int), 1 + np.arange(others) // 2])
    clusters, odds, size = joined(group, 0)
    names = [np.flatnonzero(group == g) for g in range(1, group.max() + 1)]
    one, two = np.zeros(len(names), np.int64), np.array([rows[0] for rows in names])
    found = clusters.mean(two, one) if turned else clusters.mean(one, two)
    expected = [naive_mean(odds, size, np.arange(hub), rows) for rows in names]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_no_pairs_have_no_means():
    clusters, *_ = joined(np.zeros(3, int), 0)
    none = np.zeros(0, np.int64)
    assert clusters.mean(none, none).shape == (0,)
