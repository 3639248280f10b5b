"""The order in which clustering joined rows, to be cut at any limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


@dataclass(frozen=True, slots=True)
class Merges:
    """Joins of two clusters, each named by its first row.

    Attributes:
        count: of rows, N.
        pair: (M, 2) int32 first rows of the two clusters.
        log_odds: (M,) float64 from which on they are one; never higher than those of what they consist of.
        lowest: no join below these log-odds was looked for.
    """

    count: int
    pair: npt.NDArray[np.int32]
    log_odds: npt.NDArray[np.float64]
    lowest: float

    def __len__(self) -> int:
        return len(self.pair)

    def labels(self, min_log_odds: float) -> npt.NDArray[np.int32]:
        """Give (N,) labels, numbered by first row, of the clusters that a limit leaves.

        Args:
            min_log_odds: not below `lowest`.

        Raises:
            ValueError: it is below `lowest`.

        >>> merges = Merges(3, np.array([[0, 1], [0, 2]]), np.array([3.0, 1.0]), 0.0)
        >>> merges.labels(2.0).tolist(), merges.labels(0.5).tolist()
        ([0, 0, 1], [0, 0, 0])
        """
        if min_log_odds < self.lowest:
            raise ValueError(f"joins were looked for from {self.lowest} on, not from {min_log_odds}")
        pair = self.pair[self.log_odds >= min_log_odds]
        graph = coo_array((np.ones(len(pair)), (pair[:, 0], pair[:, 1])), shape=(self.count, self.count))
        component = connected_components(graph, directed=False)[1]
        _, first, group = np.unique(component, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[group].astype(np.int32)
