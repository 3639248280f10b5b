"""Whether a person is still the same one after a cut, or after having been hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.labels import CutLabels
from headtrack.evaluation.matching import HeadMatch
from headtrack.metrics.counts import ratio


@dataclass(frozen=True, slots=True)
class Bridges:
    """Gaps between two labelled sightings of a person; counts add up (`+`).

    Attributes:
        gaps: all.
        found: those of which the heads on both sides were found.
        one_track: those of which both heads are of one track.
        one_person: those of which both heads are of one person.
    """

    gaps: int = 0
    found: int = 0
    one_track: int = 0
    one_person: int = 0

    def __add__(self, other: Bridges) -> Bridges:
        return Bridges(
            self.gaps + other.gaps,
            self.found + other.found,
            self.one_track + other.one_track,
            self.one_person + other.one_person,
        )

    @property
    def one_track_share(self) -> float:
        """Of all gaps; NaN without any."""
        return ratio(self.one_track, self.gaps)

    @property
    def one_person_share(self) -> float:
        """Of all gaps; NaN without any."""
        return ratio(self.one_person, self.gaps)


@dataclass(frozen=True, slots=True)
class GapScore:
    """One clip, or several (`+`).

    Attributes:
        over_cuts: the person was labelled before and after a labelled cut.
        over_occlusions: the person was labelled twice in one shot and not in a labelled frame between.
    """

    over_cuts: Bridges = field(default_factory=Bridges)
    over_occlusions: Bridges = field(default_factory=Bridges)

    def __add__(self, other: GapScore) -> GapScore:
        return GapScore(self.over_cuts + other.over_cuts, self.over_occlusions + other.over_occlusions)


def score_gaps(match: HeadMatch, cuts: CutLabels) -> GapScore:
    """Score one clip.

    Each labelled person's consecutive sightings are looked at: those with a cut between them, and those
    in one shot with a labelled frame between them that lacks the person.

    Args:
        match: of the clip.
        cuts: of the clip.
    """
    score = GapScore()
    for before, after in _consecutive(match):
        first, then = match.labels.frame[[before, after]]
        between = (match.labels.labelled_frame > first) & (match.labels.labelled_frame < then)
        if np.any((cuts.cut > first) & (cuts.cut <= then)):
            score += GapScore(over_cuts=_bridge(match, before, after))
        elif between.any():
            score += GapScore(over_occlusions=_bridge(match, before, after))
    return score


def _consecutive(match: HeadMatch) -> Iterator[tuple[np.intp, np.intp]]:
    for person in np.unique(match.labels.person):
        rows = np.flatnonzero(match.labels.person == person)
        yield from pairwise(rows[np.argsort(match.labels.frame[rows], kind="stable")])


def _bridge(match: HeadMatch, before: np.intp, after: np.intp) -> Bridges:
    if not match.is_hit[[before, after]].all():
        return Bridges(gaps=1)
    ends = match.found[match.found_of_label[[before, after]]]
    return Bridges(1, 1, int(_is_one(ends.track)), int(ends.person[0] != "" and _is_one(ends.person)))


def _is_one(pair: npt.NDArray[np.generic]) -> bool:
    return bool(pair[0] == pair[1])
