"""How two groupings of the same items overlap: what every clustering metric counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

UNASSIGNED = -1


@dataclass(frozen=True, slots=True)
class Contingency:
    """Items by true class and by predicted cluster.

    Attributes:
        items: (C, K) int64.
        scored: (C, C) bool, symmetric: items of these two classes are judged against each other.
    """

    items: npt.NDArray[np.int64]
    scored: npt.NDArray[np.bool_]


def contingency(
    truth: npt.NDArray[np.integer],
    predicted: npt.NDArray[np.integer],
    *,
    not_scored: npt.NDArray[np.integer] | None = None,
) -> Contingency:
    """Count items by class and cluster.

    Args:
        truth: (N,) class of each item.
        predicted: (N,) cluster of each item; -1 puts the item into a cluster of its own.
        not_scored: (P, 2) pairs of classes that may or may not be one; None for no such pair.

    Raises:
        ValueError: `truth` and `predicted` differ in length.

    >>> contingency(np.array([5, 5, 6]), np.array([0, -1, 0])).items.tolist()
    [[1, 1], [0, 1]]
    """
    if len(truth) != len(predicted):
        raise ValueError(f"{len(truth)} true classes for {len(predicted)} clusters; give one of each an item")
    classes, row = np.unique(truth, return_inverse=True)
    alone = predicted == UNASSIGNED
    own = np.where(alone, -1 - np.arange(len(predicted)), predicted)
    clusters, column = np.unique(own, return_inverse=True)
    items = np.zeros((len(classes), len(clusters)), np.int64)
    np.add.at(items, (row, column), 1)
    scored = np.ones((len(classes), len(classes)), bool)
    for a, b in np.zeros((0, 2), int) if not_scored is None else not_scored:
        if a != b:
            scored[np.ix_(classes == a, classes == b)] = False
            scored[np.ix_(classes == b, classes == a)] = False
    return Contingency(items, scored)
