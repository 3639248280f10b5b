"""Mean log-odds of clusters of rows, that grow by joining."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.pair_odds import PairOdds

FLAT_PAIRS = 64  # with more pairs of members, two clusters are a matrix product of their own
BLOCK_FLAT_PAIRS = 2**20
BLOCK_ROWS = 1024
BLOCK_COLUMNS = 1024
# With more, the product of mean features stands for the mean: over so many pairs it takes as long as a
# search, and what the features leave out changes little from join to join.
MOST_PAIRS = 2**20


class ClusterOdds:
    """Clusters, named by their first row, and the mean log-odds over all pairs of members of two.

    Args:
        odds: of the rows.
        size: (N,) how many items each row stands for.

    Attributes:
        feature: (N, F) float32 mean features of each cluster; those of what was joined mean nothing.
        size: (N,) float64, items of each cluster.
    """

    def __init__(self, odds: PairOdds, size: npt.NDArray[np.floating]) -> None:
        self._odds = odds
        self.feature = odds.feature.copy()
        self._row_size = np.asarray(size, np.float64)
        self.size = self._row_size.copy()
        self._rows = np.ones(len(odds), np.int64)  # of each cluster
        self._members = [np.array([row], np.int32) for row in range(len(odds))]

    def __len__(self) -> int:
        return len(self.size)

    def query(self, clusters: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
        """Give (C, F) features whose product with those of another is nearly the mean log-odds."""
        return self.feature[clusters] * self._odds.weight

    def join(self, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> None:
        """Put each cluster `b` into its `a`; no cluster is named twice."""
        share = (self.size[a] / (self.size[a] + self.size[b]))[:, None].astype(np.float32)
        self.feature[a] = share * self.feature[a] + (1 - share) * self.feature[b]
        self.size[a] += self.size[b]
        self._rows[a] += self._rows[b]
        for keep, drop in zip(a.tolist(), b.tolist(), strict=True):
            self._members[keep] = np.concatenate([self._members[keep], self._members[drop]])
            self._members[drop] = self._members[drop][:0]

    def mean(self, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """Give (P,) mean log-odds of cluster `a[k]` and cluster `b[k]`."""
        pairs = self._rows[a] * self._rows[b]
        means = np.empty(len(a))
        flat = np.flatnonzero(pairs <= FLAT_PAIRS)
        block = np.cumsum(pairs[flat]) // BLOCK_FLAT_PAIRS
        for part in np.split(flat, np.flatnonzero(np.diff(block)) + 1):
            means[part] = self._flat_means(a[part], b[part])
        blocks = np.flatnonzero((pairs > FLAT_PAIRS) & (pairs <= MOST_PAIRS))
        means[blocks] = self._block_means(a[blocks], b[blocks])
        large = np.flatnonzero(pairs > MOST_PAIRS)
        means[large] = np.einsum("ij,ij->i", self.query(a[large]), self.feature[b[large]])
        return means

    def _flat_means(self, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        if not len(a):
            return np.zeros(0)
        members = np.concatenate([self._members[k] for k in (*a.tolist(), *b.tolist())])
        count = self._rows[np.concatenate([a, b])]
        start = np.cumsum(count) - count
        wide = count[len(a) :]
        pairs = count[: len(a)] * wide
        pair = np.repeat(np.arange(len(a)), pairs)
        place = np.arange(len(pair)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        left = members[start[: len(a)][pair] + place // wide[pair]]
        right = members[start[len(a) :][pair] + place % wide[pair]]
        weight = self._row_size[left] * self._row_size[right]
        total = np.bincount(pair, weight * self._odds.of_pairs(left, right), len(a))
        return total / np.bincount(pair, weight, len(a))

    def _block_means(self, a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """Compare each larger cluster with all that it is paired with at once.

        Where one cluster is near everybody, its members are then taken together once, not once a pair.
        """
        swap = self._rows[a] < self._rows[b]
        large, small = np.where(swap, b, a), np.where(swap, a, b)
        means = np.empty(len(a))
        order = np.argsort(large, kind="stable")
        for same in np.split(order, np.flatnonzero(np.diff(large[order])) + 1) if len(a) else ():
            part = np.cumsum(self._rows[small[same]]) // BLOCK_COLUMNS
            for pairs in np.split(same, np.flatnonzero(np.diff(part)) + 1):
                means[pairs] = self._means_to(int(large[pairs[0]]), small[pairs])
        return means

    def _means_to(self, one: int, others: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """Give (P,) mean log-odds of a cluster and each of some others."""
        members = self._members[one]
        columns = np.concatenate([self._members[k] for k in others.tolist()])
        count = self._rows[others]
        total = np.zeros(len(columns))
        for start in range(0, len(members), BLOCK_ROWS):
            rows = members[start : start + BLOCK_ROWS]
            total += self._row_size[rows] @ self._odds.of_block(rows, columns).astype(np.float64)
        sums = np.add.reduceat(self._row_size[columns] * total, np.cumsum(count) - count)
        return sums / (self._row_size[members].sum() * self.size[others])
