"""Average linkage of very many rows, without a matrix of all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.cluster_odds import ClusterOdds
from headtrack.ops.merges import Merges
from headtrack.ops.nearest import EXACT_ROWS, NearestIndex
from headtrack.ops.pair_odds import PairOdds

KEPT = 32  # clusters known to be near each cluster; with fewer, more is searched again
WIDER = 4  # times as many are looked at where all that were found may not be met
# By how much features may promise too little, in log-odds: an eighth of what recognisability adds for
# sface between faces of cosine 0.63. Without it, clusters of 5,000 tracks agreed to 0.978 with those of
# all pairs instead of 1.
SLACK = 0.6


def merges_of_many(
    odds: PairOdds,
    cannot_link: npt.NDArray[np.int32],
    *,
    size: npt.NDArray[np.floating],
    min_log_odds: float,
    exact_rows: int = EXACT_ROWS,
) -> Merges:
    """Join clusters by their mean log-odds as `constrained_average_linkage` does, in all places at once.

    Each cluster keeps a list of the clusters nearest to it and the highest log-odds that any other can
    reach; it searches again only when its list no longer tells which is nearest. In each round all pairs
    join that are nearest to each other.

    Args:
        odds: one row a cluster to begin with.
        cannot_link: (P, 2) int32 pairs of rows that never share a cluster.
        size: (N,) how many items each row stands for.
        min_log_odds: lowest mean log-odds of two clusters that joins them.
        exact_rows: with more, most of the nearest clusters are found, not all.

    Returns:
        All joins from these log-odds on.

    Source: reciprocal agglomerative clustering (Sumengen et al. 2021): where no union comes nearer to a
    third than its parts, as with means under constraints, joining reciprocal nearest neighbours gives
    the tree of joining the nearest pair of all. The same property keeps what others can reach valid.
    """
    near = _NearClusters(odds, cannot_link, size, min_log_odds, exact_rows)
    height = np.full(len(odds), np.inf)
    pairs, heights = [np.zeros((0, 2), np.int32)], [np.zeros(0)]
    near.search(np.arange(len(odds)))
    while len(pair := near.mutual()):
        a, b = pair.T
        height[a] = np.minimum(np.minimum(height[a], height[b]), near.odds[a, 0])
        pairs.append(pair)
        heights.append(height[a])
        near.join(a, b)
    return Merges(len(odds), np.concatenate(pairs), np.concatenate(heights), min_log_odds)


class _NearClusters:
    """What each cluster, named by its first row, knows of the clusters near it.

    Attributes:
        near: (N, K) clusters, the nearest first; -1 where none.
        odds: (N, K) mean log-odds to those; -inf where none.
        floor: (N,) what a cluster's log-odds to any cluster that it does not list cannot exceed.
        active: (N,) bool, the clusters that can still join another.
    """

    def __init__(
        self,
        odds: PairOdds,
        cannot_link: npt.NDArray[np.int32],
        size: npt.NDArray[np.floating],
        limit: float,
        exact_rows: int,
    ) -> None:
        n = len(odds)
        self.clusters, self.limit = ClusterOdds(odds, size), limit
        self.index = NearestIndex(self.clusters.feature, exact_rows=exact_rows)
        self.near, self.odds = np.full((n, KEPT), -1, np.int32), np.full((n, KEPT), -np.inf)
        self.floor, self.active = np.full(n, -np.inf), np.ones(n, np.bool_)
        self.enemies: dict[int, set[int]] = {}
        for a, b in cannot_link.tolist():
            self.enemies.setdefault(a, set()).add(b)
            self.enemies.setdefault(b, set()).add(a)

    def search(self, rows: npt.NDArray[np.int64], ask: int = 0) -> None:
        """Look for the clusters nearest to some."""
        if not len(rows):
            return
        ask = ask or KEPT + 1
        among = np.flatnonzero(self.active)
        found = self.index.search(self.clusters.query(rows), among, ask)
        self.floor[rows] = found.product[:, -1] + SLACK if ask < len(among) else -np.inf
        owner = np.repeat(rows, found.row.shape[1])
        means = self._means(owner, found.row.ravel(), rows).reshape(found.row.shape)
        self._list(rows, found.row, means)
        barred = np.isneginf(self.odds[rows, 0]) & (self.floor[rows] >= self.limit)
        # What was found is the nearest, even where features promised more than the pairs hold.
        searched = rows[~barred]
        self.floor[searched] = np.minimum(self.floor[searched], self.odds[searched, 0])
        self.search(rows[barred], ask * WIDER)

    def mutual(self) -> npt.NDArray[np.int32]:
        """Give the pairs (P, 2), lower first, that are nearest to each other and may join."""
        rows = np.flatnonzero(self.active)
        best = self.odds[rows, 0]
        self.search(rows[(best < self.floor[rows]) & (self.floor[rows] >= self.limit)])
        self.active[rows] = self.odds[rows, 0] >= self.limit
        self._tell(np.flatnonzero(self.active))
        rows = np.flatnonzero(self.active)
        partner = self.near[rows, 0]
        pairs = np.stack([rows, partner], axis=1).astype(np.int32)
        return pairs[(self.near[partner, 0] == rows) & (rows < partner)]

    def join(self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32]) -> None:
        """Put each cluster `b` into its `a`; no cluster is named twice."""
        n = len(self.clusters)
        size = self.clusters.size
        # Neither lists it: what the union can reach is the mean of what both can.
        floor = (size[a] * self.floor[a] + size[b] * self.floor[b]) / (size[a] + size[b])
        self.floor[a] = floor
        self.active[b] = False
        for keep, drop in zip(a.tolist(), b.tolist(), strict=True):
            self._inherit_enemies(keep, drop)
        other = np.full(n + 1, -1, np.int32)  # the cluster that joins; the last one is for -1
        other[a] = b
        now = np.arange(n + 1, dtype=np.int32)
        now[b], now[n] = a, -1
        changed = now[:n] != np.arange(n)
        changed[a] = True
        changed = np.append(changed, np.False_)
        rows = np.flatnonzero(self.active & ~changed[:n])
        rows = rows[changed[self.near[rows]].any(axis=1)]
        own = np.concatenate([now[self.near[a]], now[self.near[b]]], axis=1)
        theirs = now[self.near[rows]]
        stale = changed[self.near[rows]]
        wanted = [np.repeat(a, own.shape[1]), np.nonzero(stale)[0]]
        wanted[1] = rows[wanted[1]]
        means = self._joined_means(
            np.concatenate(wanted), np.concatenate([own.ravel(), theirs[stale]]), other, (a, b, rows)
        )
        odds = self.odds[rows]
        odds[stale] = means[own.size :]
        self.clusters.join(a, b)
        self.index.renew(np.concatenate([a, b]))
        self._list(a, own, means[: own.size].reshape(own.shape))
        self._list(rows, theirs, odds)

    def _joined_means(
        self,
        one: npt.NDArray[np.integer],
        two: npt.NDArray[np.int32],
        other: npt.NDArray[np.int32],
        rows: tuple[npt.NDArray[np.integer], ...],
    ) -> npt.NDArray[np.float64]:
        """Give the means of pairs of clusters before these join: from those of their parts.

        `other` names what joins each cluster; what `rows` list need not be reckoned again.
        """
        n = len(self.clusters)
        pair, place = np.unique(self._key(one, two), return_inverse=True)
        low, high = pair // n, pair % n
        sound = (pair >= 0) & (low != high)
        part_low = np.stack([low, low, other[low], other[low]])  # (4, P)
        part_high = np.stack([high, other[high], high, other[high]])
        exists = (part_low >= 0) & (part_high >= 0) & sound
        keys = self._key(part_low[exists], part_high[exists])
        odds = self._means_by_key(keys, np.concatenate(rows))
        weight = self.clusters.size[part_low[exists]] * self.clusters.size[part_high[exists]]
        column = np.nonzero(exists)[1]
        total = np.bincount(column, weight * odds, len(pair))
        return (total / np.maximum(np.bincount(column, weight, len(pair)), 1e-300))[place]

    def _means(
        self,
        one: npt.NDArray[np.integer],
        two: npt.NDArray[np.integer],
        listing: npt.NDArray[np.integer],
    ) -> npt.NDArray[np.float64]:
        n = len(self.clusters)
        pair, place = np.unique(self._key(one, two), return_inverse=True)
        odds = np.full(len(pair), -np.inf)
        sound = (pair >= 0) & (pair // n != pair % n)
        odds[sound] = self._means_by_key(pair[sound], listing)
        return odds[place]

    def _means_by_key(
        self, keys: npt.NDArray[np.int64], listing: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.float64]:
        """Give the means of pairs of clusters; what `listing` list is not reckoned again."""
        n = len(self.clusters)
        listed = self._key(np.repeat(listing, KEPT), self.near[listing].ravel())
        listed, first = np.unique(listed, return_index=True)
        listed_odds = self.odds[listing].ravel()[first]
        spot = np.minimum(np.searchsorted(listed, keys), max(len(listed) - 1, 0))
        known = listed[spot] == keys if len(listed) else np.zeros(len(keys), np.bool_)
        known &= np.isfinite(listed_odds[spot])
        odds = np.empty(len(keys))
        odds[known] = listed_odds[spot[known]]
        unknown, where = np.unique(keys[~known], return_inverse=True)
        odds[~known] = self.clusters.mean(unknown // n, unknown % n)[where]
        return odds

    def _key(self, one: npt.NDArray[np.integer], two: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Name each pair of clusters by one number, whichever comes first; -1 where one is missing."""
        low, high = np.minimum(one, two).astype(np.int64), np.maximum(one, two)
        return np.where(low < 0, -1, low * len(self.clusters) + high)

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
        asleep = told[~self.active[told]]  # their lists were not kept up to date
        self.near[asleep], self.odds[asleep] = -1, -np.inf
        self.active[told] = True
        self.floor[told] = np.maximum(self.floor[told], self.odds[told, -1])
        self.near[told, 1:], self.odds[told, 1:] = self.near[told, :-1], self.odds[told, :-1]
        self.near[told, 0], self.odds[told, 0] = rows[teller], odds[teller]

    def _list(
        self, rows: npt.NDArray[np.integer], near: npt.NDArray[np.integer], odds: npt.NDArray[np.float64]
    ) -> None:
        """List (R, W) clusters for each of some, the nearest first."""
        order = np.argsort(near, axis=1, kind="stable")
        near, odds = np.take_along_axis(near, order, 1), np.take_along_axis(odds, order, 1)
        barred = (near < 0) | (near == rows[:, None])
        barred[:, 1:] |= near[:, 1:] == near[:, :-1]
        for k, (row, others) in enumerate(zip(rows.tolist(), near.tolist(), strict=True)):
            enemies = self.enemies.get(row)
            if enemies and not enemies.isdisjoint(others):
                barred[k] |= [other in enemies for other in others]
        odds[barred] = -np.inf
        order = np.argsort(-odds, axis=1, kind="stable")  # of equals the first row comes first
        near, odds = np.take_along_axis(near, order, 1), np.take_along_axis(odds, order, 1)
        if odds.shape[1] > KEPT:
            self.floor[rows] = np.maximum(self.floor[rows], odds[:, KEPT])
        width = min(KEPT, odds.shape[1])
        self.near[rows], self.odds[rows] = -1, -np.inf
        self.odds[rows, :width] = odds[:, :width]
        self.near[rows, :width] = np.where(np.isneginf(odds), -1, near)[:, :width]
