"""Everything that a data folder's labels say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from headtrack.evaluation.labels import Labels, read_labels
from headtrack.evaluation.portraits import Portraits, read_portraits
from headtrack.evaluation.spy_stills import CastStill, read_spy_stills
from headtrack.evaluation.visits import Visit, read_visits

# What is gathered together; each ends the name of its database.
CLIPS, PORTRAITS, SPY = "", "-portraits", "-spy"


@dataclass(frozen=True, slots=True)
class Truth:
    """The labels, kind by kind.

    Attributes:
        labels: heads, cuts and people in several media.
        visits: of people who pass by.
        portraits: stills of one person each.
        spy: stills of which the people are known, but not where they are.
    """

    labels: Labels
    visits: tuple[Visit, ...] = ()
    portraits: Portraits = field(default_factory=Portraits.empty)
    spy: tuple[CastStill, ...] = ()

    @property
    def media(self) -> list[str]:
        """Every file the labels speak of, as a path in the data folder, sorted."""
        spy = (still.media for still in self.spy)
        return sorted({*self.labels.media, *self.portraits.media.tolist(), *spy})

    def archives(self) -> dict[str, Truth]:
        """Give what is labelled of each archive, by what its database's name ends in; none without a file.

        Stills of people who occur in clips are with the clips and among the portraits.
        """
        also = np.isin(self.portraits.media, self.labels.media)
        nothing = Labels({}, {}, ())
        parts = {
            CLIPS: Truth(self.labels, self.visits, self.portraits[also]),
            PORTRAITS: Truth(nothing, portraits=self.portraits),
            SPY: Truth(nothing, spy=self.spy),
        }
        return {name: part for name, part in parts.items() if part.media or name == CLIPS}


def read_truth(data_dir: Path) -> Truth:
    """Read `labels/` of a data folder; see the parts for what may be lacking.

    Raises:
        DatasetError: a file or a medium is missing, or a row is malformed.
    """
    labels = read_labels(data_dir)
    return Truth(
        labels,
        read_visits(data_dir),
        read_portraits(data_dir, labels.sightings),
        read_spy_stills(data_dir),
    )
