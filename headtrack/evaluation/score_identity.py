"""How well found persons agree with labelled persons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields

import numpy as np
import numpy.typing as npt

from headtrack.metrics.bcubed import BCubed, bcubed
from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.mutual_information import MutualInformation, mutual_information
from headtrack.metrics.pairwise import pairwise
from headtrack.metrics.partition import UNASSIGNED, contingency
from headtrack.metrics.purity import Purity, purity
from headtrack.types.arrays import as_array


@dataclass(frozen=True, slots=True)
class NamedHeads:
    """Labelled heads with the name in the labels and the person found.

    Attributes:
        truth: (N,) str.
        person: (N,) str, empty where the head was missed or nobody was found for it.
        is_hit: (N,) bool, the head was found.
    """

    truth: npt.NDArray[np.str_]
    person: npt.NDArray[np.str_]
    is_hit: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        n = len(self.truth)
        for name, dtype in (("truth", np.str_), ("person", np.str_), ("is_hit", np.bool_)):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, (n,)))


@dataclass(frozen=True, slots=True)
class IdentityScore:
    """Sums over labelled heads; they add up over clips (`+`).

    Attributes:
        bcubed: over all labelled heads; a missed head is a cluster of its own.
        pairs: the same, by pairs.
        hit_bcubed: over the labelled heads that were found.
        hit_pairs: the same, by pairs.
        purity: over all labelled heads; a missed head is a cluster of its own.
        mutual: the same, each clip on its own.
        people: different names in the labels.
        persons: different people found at the labelled heads.
    """

    bcubed: BCubed = field(default_factory=BCubed)
    pairs: MatchCounts = field(default_factory=MatchCounts)
    hit_bcubed: BCubed = field(default_factory=BCubed)
    hit_pairs: MatchCounts = field(default_factory=MatchCounts)
    purity: Purity = field(default_factory=Purity)
    mutual: MutualInformation = field(default_factory=MutualInformation)
    people: int = 0
    persons: int = 0

    def __add__(self, other: IdentityScore) -> IdentityScore:
        return IdentityScore(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def score_identity(heads: NamedHeads, not_scored: Iterable[tuple[str, str]]) -> IdentityScore:
    """Score the heads as one archive.

    Args:
        heads: labelled heads; may be none.
        not_scored: pairs of names that may or may not be one person.
    """
    names, truth = np.unique(heads.truth, return_inverse=True)
    persons, person = np.unique(heads.person, return_inverse=True)
    number = {str(name): i for i, name in enumerate(names)}
    known = [(number[a], number[b]) for a, b in not_scored if a in number and b in number]
    pairs = np.array(known, np.int64).reshape(-1, 2)
    cluster = np.where((persons == "")[person], UNASSIGNED, person)
    every = contingency(truth, cluster, not_scored=pairs)
    hits = contingency(truth[heads.is_hit], cluster[heads.is_hit], not_scored=pairs)
    return IdentityScore(
        bcubed=bcubed(every),
        pairs=pairwise(every),
        hit_bcubed=bcubed(hits),
        hit_pairs=pairwise(hits),
        purity=purity(every),
        mutual=mutual_information(every),
        people=len(names),
        persons=int(np.count_nonzero(persons != "")),
    )
