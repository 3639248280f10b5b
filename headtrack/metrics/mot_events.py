"""CLEAR as motmetrics counts it: event by event, with transfers, ascents and migrations.

It differs from `clear` in what it keeps (the pair of a track's last match, however long ago, before
the rest is assigned) and at the edge of "mostly" (80 % itself counts as mostly tracked).

Source: the event rules documented by motmetrics for its accumulator.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from headtrack.metrics.clear import MOSTLY_LOST, MOSTLY_TRACKED
from headtrack.metrics.counts import ratio
from headtrack.metrics.track_overlap import FrameOverlap, TrackOverlap

# A pair that may not be matched costs more than any number of matches could save.
FORBIDDEN = 1e6
NOBODY = -1


@dataclass(frozen=True, slots=True)
class MotEvents:
    """Counts of one sequence.

    Attributes:
        matches: matched boxes, switches included.
        misses: true boxes without a match.
        false_positives: predicted boxes without a match.
        switches: a true track matched by another predicted track than before.
        transfers: a predicted track matched to another true track than before.
        ascents: switches to a predicted track never matched before.
        migrations: transfers to a true track never matched before.
        fragments: times a true track got lost and was taken up again.
        mostly_tracked: true tracks matched in at least 80 % of their boxes.
        partly_tracked: true tracks in between.
        mostly_lost: true tracks matched in less than 20 % of their boxes.
        distance_sum: 1 - IoU, over the matched boxes.
    """

    matches: int
    misses: int
    false_positives: int
    switches: int
    transfers: int
    ascents: int
    migrations: int
    fragments: int
    mostly_tracked: int
    partly_tracked: int
    mostly_lost: int
    distance_sum: float

    @property
    def mota(self) -> float:
        """MOTA, at most 1; NaN where there is no truth."""
        return 1 - ratio(self.misses + self.switches + self.false_positives, self.matches + self.misses)

    @property
    def motp(self) -> float:
        """MOTP as a mean distance (1 - IoU); NaN where nothing matches."""
        return ratio(self.distance_sum, self.matches)

    @property
    def recall(self) -> float:
        """Share of the true boxes that are matched; NaN where there are none."""
        return ratio(self.matches, self.matches + self.misses)

    @property
    def precision(self) -> float:
        """Share of the predicted boxes that are matched; NaN where there are none."""
        return ratio(self.matches, self.matches + self.false_positives)


@dataclass(slots=True)
class _History:
    """Who was matched to whom so far; grows frame by frame."""

    predicted_of: dict[int, int] = field(default_factory=dict)
    # Only newly assigned pairs are entered, as motmetrics does.
    truth_of: dict[int, int] = field(default_factory=dict)
    ever_predicted: set[int] = field(default_factory=set)
    switches: int = 0
    transfers: int = 0
    ascents: int = 0
    migrations: int = 0


def mot_events(sequence: TrackOverlap, *, min_iou: float = 0.5) -> MotEvents:
    """Score one sequence.

    Args:
        sequence: truth and prediction side by side; may be empty.
        min_iou: lowest IoU of a match, 0..1.
    """
    history = _History()
    seen: list[list[bool]] = [[] for _ in range(sequence.truth_tracks)]
    distance_sum = 0.0
    for frame in sequence.frames:
        pairs = _match_frame(frame, history, min_iou)
        matched = np.isin(np.arange(len(frame.truth)), pairs[:, 0])
        for track, found in zip(frame.truth, matched, strict=True):
            seen[track].append(bool(found))
        distance_sum += float(np.sum(1 - frame.iou[pairs[:, 0], pairs[:, 1]]))
    matches = sum(map(sum, seen))
    share = np.array([sum(found) / len(found) for found in seen])
    mostly_tracked = int(np.count_nonzero(share >= MOSTLY_TRACKED))
    mostly_lost = int(np.count_nonzero(share < MOSTLY_LOST))
    return MotEvents(
        matches=matches,
        misses=sequence.truth_boxes - matches,
        false_positives=sequence.predicted_boxes - matches,
        switches=history.switches,
        transfers=history.transfers,
        ascents=history.ascents,
        migrations=history.migrations,
        fragments=sum(_fragments(found) for found in seen),
        mostly_tracked=mostly_tracked,
        partly_tracked=len(share) - mostly_tracked - mostly_lost,
        mostly_lost=mostly_lost,
        distance_sum=distance_sum,
    )


def _match_frame(frame: FrameOverlap, history: _History, min_iou: float) -> npt.NDArray[np.intp]:
    """Give (M, 2) matched rows of `truth` and `predicted`, and enter them into the history."""
    allowed = frame.iou >= min_iou
    kept = []
    for row, truth in enumerate(frame.truth.tolist()):
        columns = np.flatnonzero(allowed[row] & (frame.predicted == history.predicted_of.get(truth, NOBODY)))
        if len(columns):
            kept.append((row, int(columns[0])))
            allowed[:, columns[0]] = False
            allowed[row] = False
    cost = np.where(allowed, 1 - frame.iou, FORBIDDEN)
    new = [(r, c) for r, c in zip(*linear_sum_assignment(cost), strict=True) if allowed[r, c]]
    for row, column in new:
        _enter(int(frame.truth[row]), int(frame.predicted[column]), history)
    return np.array(kept + new, dtype=np.intp).reshape(-1, 2)


def _enter(truth: int, predicted: int, history: _History) -> None:
    if history.predicted_of.get(truth, predicted) != predicted:
        history.switches += 1
        history.ascents += predicted not in history.ever_predicted
    if history.truth_of.get(predicted, truth) != truth:
        history.transfers += 1
        history.migrations += truth not in history.predicted_of
    history.predicted_of[truth] = predicted
    history.truth_of[predicted] = truth
    history.ever_predicted.add(predicted)


def _fragments(found: list[bool]) -> int:
    """Count the gaps between the first and the last match.

    >>> _fragments([False, True, False, False, True, False])
    1
    """
    return max(0, sum(b and not a for a, b in zip([False, *found], found, strict=False)) - 1)
