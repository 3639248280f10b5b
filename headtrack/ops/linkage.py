"""Average linkage that keeps cannot-link pairs apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def constrained_average_linkage(
    similarity: npt.NDArray[np.floating],
    *,
    min_similarity: float,
    cannot_link: npt.NDArray[np.int32],
    size: npt.NDArray[np.floating] | None = None,
) -> npt.NDArray[np.int32]:
    """Join the most similar clusters while their mean similarity lasts and no constraint forbids it.

    Args:
        similarity: (N, N) float, symmetric; the diagonal does not count.
        min_similarity: lowest mean similarity of two clusters that joins them; -inf joins all that
            may meet.
        cannot_link: (P, 2) int pairs that never share a cluster.
        size: (N,) how many items each row stands for, whose mean similarities are given; by default one.

    Returns:
        (N,) int32 labels, numbered by first member.

    Source: unweighted pair group method with arithmetic mean (Sokal and Michener 1958); the constraint
    removes a pair of clusters as long as any of their members may not meet.

    >>> s = np.array([[1, .9, .8], [.9, 1, .7], [.8, .7, 1]])
    >>> constrained_average_linkage(s, min_similarity=.5, cannot_link=np.array([[0, 2]])).tolist()
    [0, 0, 1]
    """
    n = len(similarity)
    size = np.ones(n) if size is None else np.asarray(size, np.float64)
    labels = np.arange(n, dtype=np.int32)
    # The mean similarity of two clusters is at most their best pair's: clusters never leave the
    # connected components of the pairs that are similar enough.
    near = np.argwhere(np.triu(similarity >= min_similarity, 1))
    graph = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), shape=(n, n))
    component = connected_components(graph, directed=False)[1]
    for number in np.flatnonzero(np.bincount(component, minlength=1) > 1):
        rows = np.flatnonzero(component == number)
        local = np.full(n, -1)
        local[rows] = np.arange(len(rows))
        pairs = local[cannot_link.reshape(-1, 2)]
        pairs = pairs[(pairs >= 0).all(axis=1)]
        labels[rows] = rows[_join(similarity[np.ix_(rows, rows)], min_similarity, pairs, size[rows])]
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def _join(
    similarity: npt.NDArray[np.floating],
    min_similarity: float,
    cannot_link: npt.NDArray[np.int64],
    size: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Give each row the first row of its cluster; dense, one component."""
    n = len(similarity)
    mean = similarity.astype(np.float64)
    np.fill_diagonal(mean, -np.inf)
    mean[cannot_link[:, 0], cannot_link[:, 1]] = -np.inf
    mean[cannot_link[:, 1], cannot_link[:, 0]] = -np.inf
    label = np.arange(n)
    nearest = mean.argmax(axis=1)
    best = mean[label, nearest]
    while True:
        a = int(best.argmax())
        if best[a] < min_similarity or best[a] == -np.inf:
            return label
        a, b = sorted((a, int(nearest[a])))
        # -inf stays -inf: a cluster inherits the constraints of all its members.
        mean[a] = (size[a] * mean[a] + size[b] * mean[b]) / (size[a] + size[b])
        mean[a, a] = -np.inf
        mean[:, a] = mean[a]
        size[a] += size[b]
        mean[b] = mean[:, b] = -np.inf
        label[label == b] = a
        # A union is no nearer to a third than its nearer part was: only who was nearest to a part looks anew.
        anew = np.flatnonzero((nearest == a) | (nearest == b) | (label == a))
        nearest[anew] = mean[anew].argmax(axis=1)
        best[anew] = mean[anew, nearest[anew]]
