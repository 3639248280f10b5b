"""Weighted cluster purity: how many items are of the class that most of their cluster is of.

Source: Tapaswi et al., "Video Face Clustering with Unknown Number of Clusters", ICCV 2019, section 5 (WCP).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headtrack.metrics.counts import ratio
from headtrack.metrics.partition import Contingency


@dataclass(frozen=True, slots=True)
class Purity:
    """Counts of items; they add up over sets of items (`+`).

    Attributes:
        items: number of items.
        pure: those of the class that most of their cluster is of.
    """

    items: int = 0
    pure: int = 0

    def __add__(self, other: Purity) -> Purity:
        return Purity(self.items + other.items, self.pure + other.pure)

    @property
    def wcp(self) -> float:
        """Mean purity of the clusters, weighted by their size, 0..1; NaN without items."""
        return ratio(self.pure, self.items)


def purity(table: Contingency) -> Purity:
    """Score a clustering; many small clusters are pure, so read it beside the number of people.

    Args:
        table: items by class and cluster; may be empty. Items of classes that are not scored against the
            main class of their cluster count as pure.
    """
    if not table.items.size:
        return Purity()
    excused = ~table.scored | np.eye(len(table.items), dtype=bool)
    return Purity(int(table.items.sum()), int((excused.astype(np.int64) @ table.items).max(axis=0).sum()))
