"""Whether people who occur in several media were recognised as the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from headtrack.evaluation.labels import ONLY, Sighting
from headtrack.evaluation.matching import HeadMatch
from headtrack.evaluation.predictions import FoundHeads


@dataclass(frozen=True, slots=True)
class CrossMediaRow:
    """One person over all its media.

    Attributes:
        identity: name in the labels.
        person: found in each medium, by medium; empty where nobody was found.
    """

    identity: str
    person: dict[str, str]

    @property
    def is_found(self) -> bool:
        """One and the same person was found in every medium."""
        return "" not in self.person.values() and len(set(self.person.values())) == 1


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
    def confused(self) -> int:
        """Pairs of different people who share a found person anywhere."""
        found = [set(row.person.values()) - {""} for row in self.rows]
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
    persons: dict[str, dict[str, str]] = {}
    for sighting in sightings:
        person = _person_in(sighting, matches, stills)
        persons.setdefault(sighting.identity, {})[sighting.media] = person
    return CrossMediaScore(tuple(CrossMediaRow(name, persons[name]) for name in sorted(persons)))


def _person_in(sighting: Sighting, matches: Mapping[str, HeadMatch], stills: Mapping[str, FoundHeads]) -> str:
    """Give who was found: of a clip the person most often at the labels, of a still the largest head."""
    if sighting.person == ONLY:
        heads = stills.get(sighting.media, FoundHeads.empty())
        if not len(heads):
            return ""
        sides = heads.xyxy[:, 2:] - heads.xyxy[:, :2]
        return str(heads.person[np.argmax(sides[:, 0] * sides[:, 1])])
    match = matches.get(sighting.media)
    if match is None:
        return ""
    at_labels = match.person_of_label[match.labels.person == sighting.person]
    named = Counter(str(person) for person in sorted(at_labels) if person)
    return named.most_common(1)[0][0] if named else ""
