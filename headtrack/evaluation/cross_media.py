"""Whether people who occur in several media were recognised as the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headtrack.evaluation.labels import ONLY, Sighting
from headtrack.evaluation.matching import HeadMatch
from headtrack.evaluation.predictions import FoundHeads


@dataclass(frozen=True, slots=True)
class CrossMediaRow:
    """One person over all its media.

    Attributes:
        identity: name in the labels.
        persons: found in each medium, by medium: of a clip those at its labelled heads, most often
            first; of a still that of the largest head; empty where nobody was found.
    """

    identity: str
    persons: dict[str, tuple[str, ...]]

    @property
    def is_found(self) -> bool:
        """One and the same person was found in every medium, at one labelled head of it at least."""
        return bool(set.intersection(*(set(found) for found in self.persons.values())))

    @property
    def is_found_at_most_heads(self) -> bool:
        """The person found most often is the same in every medium."""
        return len({found[:1] for found in self.persons.values()} - {()}) == 1 and all(self.persons.values())


@dataclass(frozen=True, slots=True)
class CrossMediaScore:
    """All people who occur in several media.

    Attributes:
        rows: one a person, by name.
    """

    rows: tuple[CrossMediaRow, ...]

    @property
    def found(self) -> int:
        """People recognised in every medium."""
        return sum(row.is_found for row in self.rows)

    @property
    def found_at_most_heads(self) -> int:
        """People recognised in every medium by most of their labelled heads."""
        return sum(row.is_found_at_most_heads for row in self.rows)

    @property
    def confused(self) -> int:
        """Pairs of different people who share a found person anywhere."""
        found = [set().union(*row.persons.values()) for row in self.rows]
        return sum(bool(a & b) for i, a in enumerate(found) for b in found[:i])


def score_cross_media(
    sightings: Iterable[Sighting],
    matches: Mapping[str, HeadMatch],
    stills: Mapping[str, FoundHeads],
) -> CrossMediaScore:
    """Score every person of `labels/cross_media.csv`.

    Args:
        sightings: of people.
        matches: of the clips, by path in the data folder.
        stills: heads found in the stills, by path in the data folder.
    """
    persons: dict[str, dict[str, tuple[str, ...]]] = {}
    for sighting in sightings:
        found = _persons_in(sighting, matches, stills)
        persons.setdefault(sighting.identity, {})[sighting.media] = found
    return CrossMediaScore(tuple(CrossMediaRow(name, persons[name]) for name in sorted(persons)))


def _persons_in(
    sighting: Sighting, matches: Mapping[str, HeadMatch], stills: Mapping[str, FoundHeads]
) -> tuple[str, ...]:
    if sighting.person == ONLY:
        return tuple(stills.get(sighting.media, FoundHeads.empty()).largest.person.tolist())
    match = matches.get(sighting.media)
    if match is None:
        return ()
    at_labels = match.person_of_label[match.labels.person == sighting.person]
    named = Counter(str(person) for person in sorted(at_labels) if person)
    return tuple(person for person, _ in named.most_common())
