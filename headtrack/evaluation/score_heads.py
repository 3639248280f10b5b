"""How many heads were found, and seen from the right side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from headtrack.evaluation.matching import HeadMatch
from headtrack.evaluation.protocol import FRONT, REAR
from headtrack.metrics.calibration import Reliability, reliability
from headtrack.metrics.counts import MatchCounts, ratio


@dataclass(frozen=True, slots=True)
class HeadScore:
    """Counts of one clip; they add up over clips (`+`).

    Attributes:
        every: heads of every view.
        rear: heads labelled as rear found and missed; heads called rear that no label matches.
        views: (labelled view, found view) of the heads that were found, how often.
        promise: scores of the found heads that count, and whether a label matches them.
    """

    every: MatchCounts = field(default_factory=MatchCounts)
    rear: MatchCounts = field(default_factory=MatchCounts)
    views: Counter[tuple[str, str]] = field(default_factory=Counter)
    promise: Reliability = field(default_factory=Reliability.none)

    def __add__(self, other: HeadScore) -> HeadScore:
        return HeadScore(
            self.every + other.every,
            self.rear + other.rear,
            self.views + other.views,
            self.promise + other.promise,
        )

    @property
    def view_accuracy(self) -> float:
        """Share of the found heads that are seen from the labelled side; NaN without any."""
        right = sum(n for (label, found), n in self.views.items() if label == found)
        return ratio(right, self.views.total())

    @property
    def rear_view_recall(self) -> float:
        """Share of the found rear heads that are called rear; NaN without any."""
        return self._called_rear(REAR)

    @property
    def front_not_called_rear(self) -> float:
        """Share of the found front heads that are not called rear; NaN without any."""
        return 1 - self._called_rear(FRONT)

    def _called_rear(self, label_view: str) -> float:
        called = {found: n for (label, found), n in self.views.items() if label == label_view}
        return ratio(called.get(REAR, 0), sum(called.values()))


def score_heads(match: HeadMatch) -> HeadScore:
    """Score one clip."""
    hit, false = match.is_hit, match.is_false
    rear = match.labels.view == REAR
    label_view = match.labels.view[hit]
    found_view = match.found.view[match.found_of_label[hit]]
    return HeadScore(
        _counts(hit, int(false.sum())),
        _counts(hit[rear], int(np.count_nonzero(false & (match.found.view == REAR)))),
        Counter((str(a), str(b)) for a, b in zip(label_view, found_view, strict=True) if a),
        reliability(match.found.score, ~false),
    )


def _counts(hit: np.ndarray, false: int) -> MatchCounts:
    return MatchCounts(int(hit.sum()), false, int(np.count_nonzero(~hit)))
