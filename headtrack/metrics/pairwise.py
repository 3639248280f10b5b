"""Pairwise scores of a clustering: of the pairs put together, how many belong together.

Source: Amigó et al., "A comparison of extrinsic clustering evaluation metrics based on formal
constraints", Information Retrieval 2009, section 3.2 (counting pairs).
"""

from __future__ import annotations

import numpy as np

from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.partition import Contingency


def pairwise(table: Contingency) -> MatchCounts:
    """Score a clustering by its pairs of items.

    Args:
        table: items by class and cluster; may be empty.

    Returns:
        Counts of pairs of different items: together in both groupings, only in the prediction, only
        in the truth. Pairs of classes that are not scored against each other are left out.
    """
    items = table.items
    within = items * (items - 1) // 2  # (C, K)
    tp = int(within.sum())
    across = np.where(np.triu(table.scored, 1), items @ items.T, 0)  # (C, C)
    class_size = items.sum(1)
    together = int(np.sum(class_size * (class_size - 1) // 2))
    return MatchCounts(tp, int(across.sum()), together - tp)
