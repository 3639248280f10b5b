"""Average linkage of very many rows: from the means of clusters, and without a matrix of all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.merges import Merges
from headtrack.ops.nearest import nearest_rows
from headtrack.ops.pair_features import PairFeatures, pair_log_odds

KEPT = 16  # clusters known to be near each cluster; with fewer, more is searched again
WIDER = 4  # times as many are looked at where all that were found may not be met


def merge_by_means(
    features: PairFeatures,
    cannot_link: npt.NDArray[np.int32],
    *,
    size: npt.NDArray[np.floating],
    min_log_odds: float,
) -> Merges:
    """Join clusters by their mean log-odds as `constrained_average_linkage` does, in all places at once.

    Each cluster keeps the clusters nearest to it and the highest log-odds that any other can reach; it
    searches again only when its list no longer tells which is nearest. In each round all pairs join
    that are nearest to each other.

    Args:
        features: one row a cluster to begin with; means, where a row stands for several.
        cannot_link: (P, 2) int32 pairs of rows that never share a cluster.
        size: (N,) how many each row stands for.
        min_log_odds: lowest mean log-odds of two clusters that joins them.

    Returns:
        All joins from these log-odds on.

    Source: reciprocal agglomerative clustering (Sumengen et al. 2021): where no union comes nearer to a
    third than its parts, as with means under constraints, joining reciprocal nearest neighbours gives
    the tree of joining the nearest pair of all. The same property keeps each cluster's bound valid.
    """
    clusters = _Clusters(features, cannot_link, size, min_log_odds)
    height = np.full(len(features), np.inf)
    pairs, heights = [np.zeros((0, 2), np.int32)], [np.zeros(0)]
    clusters.search(np.arange(len(features)))
    while len(pair := clusters.mutual()):
        a, b = pair.T
        height[a] = np.minimum(np.minimum(height[a], height[b]), clusters.odds[a, 0])
        pairs.append(pair)
        heights.append(height[a])
        clusters.join(a, b)
    return Merges(len(features), np.concatenate(pairs), np.concatenate(heights), min_log_odds)


class _Clusters:
    """Clusters, named by their first row, and what each knows of the clusters near it.

    Attributes:
        value: (N, F) mean features; rows of clusters that went into others mean nothing.
        near: (N, K) clusters, the nearest first; -1 where none.
        odds: (N, K) mean log-odds to those; -inf where none.
        floor: (N,) what a cluster's log-odds to any cluster that it does not list cannot exceed.
        active: (N,) bool, the clusters that can still join another.
    """

    def __init__(
        self,
        features: PairFeatures,
        cannot_link: npt.NDArray[np.int32],
        size: npt.NDArray[np.floating],
        limit: float,
    ) -> None:
        n = len(features)
        self.value, self.weight = features.value.copy(), features.weight
        self.size, self.limit = np.array(size, np.float64), limit
        self.near, self.odds = np.full((n, KEPT), -1, np.int32), np.full((n, KEPT), -np.inf)
        self.floor, self.active = np.full(n, -np.inf), np.ones(n, np.bool_)
        self.enemies: dict[int, set[int]] = {}
        for a, b in cannot_link.tolist():
            self.enemies.setdefault(a, set()).add(b)
            self.enemies.setdefault(b, set()).add(a)

    def search(self, rows: npt.NDArray[np.int64], ask: int = KEPT + 1) -> None:
        """Look for the clusters nearest to some."""
        if not len(rows):
            return
        among = np.flatnonzero(self.active)
        found = nearest_rows(self.value[rows] * self.weight, self.value[among], ask)
        self.floor[rows] = found.product[:, -1] if ask < len(among) else -np.inf
        near = np.where(found.row >= 0, among[found.row], -1)
        self._list(rows, near, np.full(near.shape, np.nan))
        barred = np.isneginf(self.odds[rows, 0]) & (self.floor[rows] >= self.limit)
        self.search(rows[barred], ask * WIDER)

    def mutual(self) -> npt.NDArray[np.int32]:
        """Give the pairs (P, 2), lower first, that are nearest to each other and may join."""
        rows = np.flatnonzero(self.active)
        best = self.odds[rows, 0]
        self.search(rows[(best < self.floor[rows]) & (self.floor[rows] >= self.limit)])
        self.active[rows] = self.odds[rows, 0] >= self.limit
        rows = np.flatnonzero(self.active)
        self._tell(rows)
        rows = np.flatnonzero(self.active)
        partner = self.near[rows, 0]
        pairs = np.stack([rows, partner], axis=1).astype(np.int32)
        return pairs[(self.near[partner, 0] == rows) & (rows < partner)]

    def join(self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32]) -> None:
        """Put each cluster `b` into its `a`; no cluster is named twice."""
        share = (self.size[a] / (self.size[a] + self.size[b]))[:, None]
        self.value[a] = (share * self.value[a] + (1 - share) * self.value[b]).astype(np.float32)
        # Neither lists it: what the union can reach is the mean of what both can.
        floor = share[:, 0] * self.floor[a] + (1 - share[:, 0]) * self.floor[b]
        self.size[a] += self.size[b]
        self.active[b] = False
        for keep, drop in zip(a.tolist(), b.tolist(), strict=True):
            self._inherit_enemies(keep, drop)
        now = np.arange(len(self.value), dtype=np.int32)
        now[b] = a
        changed = np.zeros(len(self.value) + 1, np.bool_)  # the last one is for -1
        changed[a] = changed[b] = True
        near = np.concatenate([self.near[a], self.near[b]], axis=1)
        self.floor[a] = floor
        self._list(a, np.where(near >= 0, now[near], -1), np.full(near.shape, np.nan))
        rows = np.flatnonzero(self.active & ~changed[:-1])
        rows = rows[changed[self.near[rows]].any(axis=1)]
        near = self.near[rows]
        known = np.where(changed[near], np.nan, self.odds[rows])
        self._list(rows, np.where(near >= 0, now[near], -1), known)

    def _inherit_enemies(self, keep: int, drop: int) -> None:
        for enemy in self.enemies.pop(drop, ()):
            self.enemies[enemy].discard(drop)
            self.enemies[enemy].add(keep)
            self.enemies.setdefault(keep, set()).add(enemy)

    def _tell(self, rows: npt.NDArray[np.int64]) -> None:
        """Let each cluster know the one to which it is nearest, which its own search may have missed."""
        partner, odds = self.near[rows, 0], self.odds[rows, 0]
        better = (odds > self.odds[partner, 0]) | (
            (odds == self.odds[partner, 0]) & (rows < self.near[partner, 0])
        )
        rows, partner, odds = rows[better], partner[better], odds[better]
        order = np.lexsort((rows, -odds, partner))
        told, first = np.unique(partner[order], return_index=True)
        teller = order[first]
        self.floor[told] = np.maximum(self.floor[told], self.odds[told, -1])
        self.near[told, 1:], self.odds[told, 1:] = self.near[told, :-1], self.odds[told, :-1]
        self.near[told, 0], self.odds[told, 0] = rows[teller], odds[teller]
        self.active[told] = True

    def _list(
        self, rows: npt.NDArray[np.integer], near: npt.NDArray[np.int32], odds: npt.NDArray[np.float64]
    ) -> None:
        """List (R, W) clusters for each of some, nearest first; NaN stands for log-odds yet to be found."""
        order = np.argsort(near, axis=1, kind="stable")
        near, odds = np.take_along_axis(near, order, 1), np.take_along_axis(odds, order, 1)
        barred = (near < 0) | (near == rows[:, None])
        barred[:, 1:] |= near[:, 1:] == near[:, :-1]
        for k, row in enumerate(rows.tolist()):
            if enemies := self.enemies.get(row):
                barred[k] |= [other in enemies for other in near[k].tolist()]
        k, column = np.nonzero(np.isnan(odds) & ~barred)
        features = PairFeatures(self.value, self.weight)
        odds[k, column] = pair_log_odds(features, rows[k], near[k, column])
        odds[barred] = -np.inf
        order = np.argsort(-odds, axis=1, kind="stable")  # of equals the first row comes first
        near, odds = np.take_along_axis(near, order, 1), np.take_along_axis(odds, order, 1)
        if odds.shape[1] > KEPT:
            self.floor[rows] = np.maximum(self.floor[rows], odds[:, KEPT])
        width = min(KEPT, odds.shape[1])
        self.near[rows], self.odds[rows] = -1, -np.inf
        self.odds[rows, :width] = odds[:, :width]
        self.near[rows, :width] = np.where(np.isneginf(odds), -1, near)[:, :width]
