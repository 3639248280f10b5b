"""Normalised mutual information: how far cluster and class tell each other.

Source: Vinh, Epps and Bailey, "Information Theoretic Measures for Clusterings Comparison", JMLR 2010,
table 2, the sum form (the mean of both entropies), as scikit-learn has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from headtrack.metrics.counts import ratio
from headtrack.metrics.partition import Contingency


@dataclass(frozen=True, slots=True)
class MutualInformation:
    """One or several sets of items; they add up (`+`), each set weighted by its items.

    Attributes:
        items: number of items.
        weighted: sum over the sets of items times the set's score.
    """

    items: int = 0
    weighted: float = 0.0

    def __add__(self, other: MutualInformation) -> MutualInformation:
        return MutualInformation(self.items + other.items, self.weighted + other.weighted)

    @property
    def nmi(self) -> float:
        """Mean over the sets, 0..1; NaN without items."""
        return ratio(self.weighted, self.items)


def mutual_information(table: Contingency) -> MutualInformation:
    """Score a clustering of one set; one class in one cluster scores 1.

    Args:
        table: items by class and cluster; may be empty. Two classes that are not scored against each other
            count as one class where a cluster holds both.
    """
    items = _with_excused_joined(table)
    total = int(items.sum())
    if not total:
        return MutualInformation()
    share = items / total
    classes, clusters = _entropy(share.sum(axis=1)), _entropy(share.sum(axis=0))
    if classes + clusters == 0:
        return MutualInformation(total, float(total))
    mutual = classes + clusters - _entropy(share.ravel())
    return MutualInformation(total, total * max(2 * mutual / (classes + clusters), 0.0))


def _with_excused_joined(table: Contingency) -> npt.NDArray[np.int64]:
    items = table.items.copy()
    for a, b in np.argwhere(np.triu(~table.scored, 1)):
        if np.any((table.items[a] > 0) & (table.items[b] > 0)):
            items[a] += items[b]
            items[b] = 0
    return items


def _entropy(share: npt.NDArray[np.float64]) -> float:
    return float(entr(share).sum())
