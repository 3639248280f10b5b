"""How many shot boundaries were found."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.labels import CutLabels
from headtrack.evaluation.protocol import CUT_TOLERANCE_FRAMES
from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.shot_boundaries import match_boundaries


@dataclass(frozen=True, slots=True)
class ShotScore:
    """Counts of one clip; they add up over clips (`+`).

    Attributes:
        counts: right, false and missed boundaries.
        on_still_change: false boundaries that lie where one still gives way to another of its scene.
    """

    counts: MatchCounts = field(default_factory=MatchCounts)
    on_still_change: int = 0

    def __add__(self, other: ShotScore) -> ShotScore:
        return ShotScore(self.counts + other.counts, self.on_still_change + other.on_still_change)

    @property
    def still_changes_excused(self) -> MatchCounts:
        """The counts without the false boundaries on a change of stills."""
        return MatchCounts(self.counts.tp, self.counts.fp - self.on_still_change, self.counts.fn)


def score_shots(
    labels: CutLabels, cut: npt.NDArray[np.integer], *, tolerance_frames: int = CUT_TOLERANCE_FRAMES
) -> ShotScore:
    """Score one clip.

    Args:
        labels: of the clip.
        cut: (C,) first frame of each shot found but the first.
        tolerance_frames: how far apart a cut and its label may lie.
    """
    match = match_boundaries(labels.cut, cut, tolerance_frames=tolerance_frames)
    excused = match_boundaries(labels.still_change, match.false, tolerance_frames=tolerance_frames)
    return ShotScore(match.counts, excused.counts.tp)
