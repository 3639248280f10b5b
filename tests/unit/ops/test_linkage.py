import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from headtrack.ops.linkage import constrained_average_linkage

NONE = np.zeros((0, 2), np.int32)


def random_similarity(seed: int, n: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points @ points.T


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a[:, None] == a[None], b[:, None] == b[None])


@given(st.integers(0, 10_000), st.integers(2, 25), st.floats(-0.5, 0.95))
def test_without_constraints_it_equals_scipy_average_linkage(seed, n, least):
    similarity = random_similarity(seed, n)
    tree = linkage(squareform(1 - similarity, checks=False), "average")
    expected = fcluster(tree, 1 - least, "distance")
    got = constrained_average_linkage(similarity, min_similarity=least, cannot_link=NONE)
    assert same_partition(got, expected)


@given(st.integers(0, 10_000), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_constrained_pairs_never_share_a_cluster(seed, pairs):
    cannot = np.array([p for p in pairs if p[0] != p[1]], np.int32).reshape(-1, 2)
    labels = constrained_average_linkage(random_similarity(seed, 10), min_similarity=-1, cannot_link=cannot)
    assert (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()


@given(st.permutations(range(12)))
def test_the_order_of_rows_does_not_change_the_partition(order):
    similarity = random_similarity(3, 12)
    base = constrained_average_linkage(similarity, min_similarity=0.4, cannot_link=np.array([[0, 1]]))
    order = np.array(order)
    where = np.argsort(order)
    moved = constrained_average_linkage(
        similarity[np.ix_(order, order)], min_similarity=0.4, cannot_link=where[[[0, 1]]]
    )
    assert same_partition(moved, base[order])


def test_nothing_and_one_item():
    assert constrained_average_linkage(np.zeros((0, 0)), min_similarity=0, cannot_link=NONE).tolist() == []
    assert constrained_average_linkage(np.ones((1, 1)), min_similarity=0, cannot_link=NONE).tolist() == [0]


def test_without_a_limit_all_that_may_meet_are_joined_and_it_ends():
    cannot = np.array([[0, 1]])
    labels = constrained_average_linkage(random_similarity(1, 6), min_similarity=-np.inf, cannot_link=cannot)
    assert len(set(labels.tolist())) == 2
    assert labels[0] != labels[1]
