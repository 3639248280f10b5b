"""BCubed: for each item, how pure its cluster is and how much of its class it holds.

Source: Amigó et al., "A comparison of extrinsic clustering evaluation metrics based on formal
constraints", Information Retrieval 2009, section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from headtrack.metrics.counts import ratio
from headtrack.metrics.partition import Contingency


@dataclass(frozen=True, slots=True)
class BCubed:
    """Sums over items; they add up over sets of items (`+`).

    Attributes:
        items: number of items.
        precision_sum: of each item's share of its cluster that is of its class.
        recall_sum: of each item's share of its class that is in its cluster.
    """

    items: int = 0
    precision_sum: float = 0.0
    recall_sum: float = 0.0

    def __add__(self, other: BCubed) -> BCubed:
        return BCubed(
            self.items + other.items,
            self.precision_sum + other.precision_sum,
            self.recall_sum + other.recall_sum,
        )

    @property
    def precision(self) -> float:
        """Mean over items, 0..1; NaN without items."""
        return ratio(self.precision_sum, self.items)

    @property
    def recall(self) -> float:
        """Mean over items, 0..1; NaN without items."""
        return ratio(self.recall_sum, self.items)

    @property
    def f1(self) -> float:
        """Harmonic mean of both; NaN without items."""
        if not self.items:
            return math.nan
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def bcubed(table: Contingency) -> BCubed:
    """Score a clustering.

    Args:
        table: items by class and cluster; may be empty.

    Returns:
        The sums. Items of classes that are not scored against each other count neither for nor
        against one another.
    """
    items = table.items.astype(np.float64)  # (C, K)
    judged = table.scored.astype(np.float64) @ items  # (C, K) scored items of each item's cluster
    class_size = items.sum(1, keepdims=True)  # (C, 1)
    pure = np.divide(items * items, judged, out=np.zeros_like(items), where=items > 0)
    held = np.divide(items * items, class_size, out=np.zeros_like(items), where=items > 0)
    return BCubed(int(table.items.sum()), float(pure.sum()), float(held.sum()))
