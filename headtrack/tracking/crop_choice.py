"""Which heads of a tracklet are worth an embedding: one every so often, and the best few.

The choice is made while the tracklet grows, so that only a bounded number of crops is held.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from headtrack.settings import EmbedSettings


@dataclass(frozen=True, slots=True)
class Candidate:
    """One head that might be embedded.

    Attributes:
        row: of the head, in detection order.
        quality: 0..1.
        view: code into `VIEW_NAMES`.
    """

    row: int
    quality: float
    view: int


@dataclass(frozen=True, slots=True)
class CropChoice:
    """What one tracklet has chosen so far.

    Attributes:
        sampled_at: number of the stretch of `every_s` in which the last crop was taken for its time.
        sampled: crops taken for that reason, not yet embedded.
        best: crops that are embedded when the tracklet ends, at most `best_crops`.
    """

    sampled_at: float = -math.inf
    sampled: tuple[Candidate, ...] = ()
    best: tuple[Candidate, ...] = ()

    @property
    def rows(self) -> set[int]:
        """Rows whose pixels must be kept."""
        return {c.row for c in (*self.sampled, *self.best)}


def offer(choice: CropChoice, candidate: Candidate, *, time_s: float, settings: EmbedSettings) -> CropChoice:
    """Consider one more head of the tracklet.

    The video is cut into stretches of `every_s` from its start. The tracklet's first head of a stretch is
    taken for its time; the others compete for a place among the best. So what is taken late in a tracklet
    does not depend on when it began.

    >>> choice = offer(CropChoice(), Candidate(0, .5, 0), time_s=0.0, settings=EmbedSettings())
    >>> choice = offer(choice, Candidate(1, .9, 0), time_s=0.2, settings=EmbedSettings())
    >>> [c.row for c in choice.sampled], [c.row for c in choice.best]
    ([0], [1])
    """
    stretch = math.floor(time_s / settings.every_s + 1e-6) if settings.every_s else time_s
    if stretch > choice.sampled_at:
        return CropChoice(stretch, (*choice.sampled, candidate), choice.best)
    best = (*choice.best, candidate)
    if len(best) > settings.best_crops:
        best = _without_weakest(best)
    return CropChoice(choice.sampled_at, choice.sampled, best)


def _without_weakest(best: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Drop the poorest crop among those whose view another, better crop also shows."""
    top = {view: max((c for c in best if c.view == view), key=_rank) for view in {c.view for c in best}}
    spare = [c for c in best if c is not top[c.view]] or list(best)
    weakest = min(spare, key=_rank)
    return tuple(c for c in best if c is not weakest)


def _rank(candidate: Candidate) -> tuple[float, int]:
    return candidate.quality, -candidate.row  # of equal ones the earlier wins
