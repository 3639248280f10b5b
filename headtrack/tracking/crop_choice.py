"""Which heads of a tracklet are worth an embedding: one every so often, and the best few.

The choice is made while the tracklet grows, so that only a bounded number of crops is held.
"""

from __future__ import annotations

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
        sampled_s: time of the last crop taken because time had passed.
        sampled: crops taken for that reason, not yet embedded.
        best: crops that are embedded when the tracklet ends, at most `best_crops`.
    """

    sampled_s: float = float("-inf")
    sampled: tuple[Candidate, ...] = ()
    best: tuple[Candidate, ...] = ()

    @property
    def rows(self) -> set[int]:
        """Rows whose pixels must be kept."""
        return {c.row for c in (*self.sampled, *self.best)}


def offer(choice: CropChoice, candidate: Candidate, *, time_s: float, settings: EmbedSettings) -> CropChoice:
    """Consider one more head of the tracklet.

    A head is taken for its time where `every_s` has passed since the last such; otherwise it
    competes for a place among the best.

    >>> choice = offer(CropChoice(), Candidate(0, .5, 0), time_s=0.0, settings=EmbedSettings())
    >>> choice = offer(choice, Candidate(1, .9, 0), time_s=0.2, settings=EmbedSettings())
    >>> [c.row for c in choice.sampled], [c.row for c in choice.best]
    ([0], [1])
    """
    if time_s - choice.sampled_s >= settings.every_s - 1e-6:
        return CropChoice(time_s, (*choice.sampled, candidate), choice.best)
    best = (*choice.best, candidate)
    if len(best) > settings.best_crops:
        best = _without_weakest(best)
    return CropChoice(choice.sampled_s, choice.sampled, best)


def _without_weakest(best: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Drop the poorest crop among those whose view another, better crop also shows."""
    top = {view: max((c for c in best if c.view == view), key=_rank) for view in {c.view for c in best}}
    spare = [c for c in best if c is not top[c.view]] or list(best)
    weakest = min(spare, key=_rank)
    return tuple(c for c in best if c is not weakest)


def _rank(candidate: Candidate) -> tuple[float, int]:
    return candidate.quality, -candidate.row  # of equal ones the earlier wins
