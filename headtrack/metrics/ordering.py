"""Whether a person in one look is nearer than the person in another look, and that nearer than others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array

UNKNOWN_LOOK = -1


@dataclass(frozen=True, slots=True)
class Ordering:
    """Shares of ordered triplets of each item as the anchor; NaN where the anchor has no such triplet.

    Attributes:
        look: (N,) float64, same look nearer than another look of the person.
        identity: (N,) float64, another look of the person nearer than another person.
        person: (N,) float64, same look nearer than another person.
        chain: (N,) float64, all three in order: same look, another look, another person.
        triplets: of the first three kinds, all anchors together.
    """

    look: npt.NDArray[np.float64]
    identity: npt.NDArray[np.float64]
    person: npt.NDArray[np.float64]
    chain: npt.NDArray[np.float64]
    triplets: int

    def __post_init__(self) -> None:
        n = len(self.look)
        for name in ("look", "identity", "person", "chain"):
            object.__setattr__(self, name, as_array(name, getattr(self, name), np.float64, (n,)))

    @property
    def anchors(self) -> int:
        """Items that are the anchor of a triplet."""
        return int(np.isfinite(self._by_kind).any(axis=0).sum())

    @property
    def accuracy(self) -> float:
        """Mean over anchors of the mean over the anchor's kinds of triplet, 0..1; NaN without any."""
        return mean_known(np.array([mean_known(kinds) for kinds in self._by_kind.T]))

    @property
    def _by_kind(self) -> npt.NDArray[np.float64]:
        return np.stack([self.look, self.identity, self.person])  # (3, N)


def order_similarities(
    similarity: npt.NDArray[np.floating],
    *,
    identity: npt.NDArray[np.integer],
    look: npt.NDArray[np.integer],
) -> Ordering:
    """Take every item of a known look as the anchor and compare all others by their similarity to it.

    Equal similarities are in no order: such a triplet is wrong.

    Args:
        similarity: (N, N) float, higher for likelier the same; NaN: unknown, takes part in nothing.
        identity: (N,) int.
        look: (N,) int, the same number for one look of one identity; -1: unknown.

    >>> s = np.array([[1, .9, .5, .2], [.9, 1, .6, .1], [.5, .6, 1, .3], [.2, .1, .3, 1]])
    >>> order_similarities(s, identity=np.array([0, 0, 0, 1]), look=np.array([0, 0, 1, -1])).accuracy
    1.0
    """
    n = len(identity)
    shares = np.full((4, n), math.nan)
    triplets = 0
    for anchor in np.flatnonzero(np.asarray(look) != UNKNOWN_LOOK):
        to = np.asarray(similarity, np.float64)[anchor]
        usable = np.isfinite(to) & (np.arange(n) != anchor)
        own = usable & (identity == identity[anchor])
        same = to[own & (look == look[anchor])]
        other_look = to[own & (look != look[anchor]) & (look != UNKNOWN_LOOK)]
        other = to[usable & (identity != identity[anchor])]
        shares[:, anchor] = (
            _share_above(same, other_look),
            _share_above(other_look, other),
            _share_above(same, other),
            _share_in_chain(same, other_look, other),
        )
        triplets += len(same) * len(other_look) + (len(other_look) + len(same)) * len(other)
    return Ordering(shares[0], shares[1], shares[2], shares[3], triplets)


def mean_known(values: npt.NDArray[np.floating]) -> float:
    """Give the mean of what is no NaN; NaN without any.

    >>> mean_known(np.array([1.0, np.nan, 0.0])), mean_known(np.zeros(0))
    (0.5, nan)
    """
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan


def _share_above(high: npt.NDArray[np.float64], low: npt.NDArray[np.float64]) -> float:
    return mean_known((high[:, None] > low[None]).astype(np.float64).ravel())


def _share_in_chain(
    high: npt.NDArray[np.float64], middle: npt.NDArray[np.float64], low: npt.NDArray[np.float64]
) -> float:
    if not len(low):
        return math.nan
    below = (middle[:, None] > low[None]).mean(axis=1)  # (M,)
    return mean_known(((high[:, None] > middle[None]) * below[None]).ravel())
