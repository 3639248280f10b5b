"""How well tracks hold on to the labelled people, over the labelled frames as a sequence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.matching import HeadMatch
from headtrack.evaluation.protocol import HEAD_MIN_IOU
from headtrack.metrics.clear import Clear, clear
from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.hota import Hota, combine_hota, hota
from headtrack.metrics.identity_f1 import identity_f1
from headtrack.metrics.track_overlap import TrackedBoxes, overlap_tracks


@dataclass(frozen=True, slots=True)
class TrackScore:
    """Scores of one clip, or of several as one set.

    Attributes:
        hota: over all localisation thresholds.
        clear: at the IoU of a head match.
        identity: IDF1 at the same IoU.
    """

    hota: Hota
    clear: Clear
    identity: MatchCounts


def score_tracks(match: HeadMatch, not_scored: Iterable[tuple[str, str]] = ()) -> TrackScore:
    """Score one clip; the labelled frames count as consecutive.

    Args:
        match: of the clip; finds in ignore regions are already left out.
        not_scored: pairs of people that one track may or may not rightly share.
    """
    _, person = np.unique(match.labels.person, return_inverse=True)
    sequence = overlap_tracks(
        TrackedBoxes(match.labels.frame, person, match.labels.xyxy),
        TrackedBoxes(match.found.frame, _tracks(match, not_scored), match.found.xyxy),
    )
    return TrackScore(
        hota(sequence),
        clear(sequence, min_iou=HEAD_MIN_IOU),
        identity_f1(sequence, min_iou=HEAD_MIN_IOU),
    )


def combine_tracks(scores: list[TrackScore]) -> TrackScore:
    """Score several clips as one set, every box alike."""
    return TrackScore(
        combine_hota([s.hota for s in scores]),
        sum((s.clear for s in scores), Clear()),
        sum((s.identity for s in scores), MatchCounts()),
    )


def _tracks(match: HeadMatch, not_scored: Iterable[tuple[str, str]]) -> npt.NDArray[np.int64]:
    """Number the found tracks, cutting those that a pair that is not scored shares.

    A track that has two heads in one frame counts as a new track there.
    """
    track = np.array(match.found.track)
    free = int(track.max(initial=0)) + 1
    for first, second in not_scored:
        rows = {
            name: match.found_of_label[match.is_hit & (match.labels.person == name)]
            for name in (first, second)
        }
        for shared in np.intersect1d(track[rows[first]], track[rows[second]]):
            track[rows[second][track[rows[second]] == shared]] = free
            free += 1
    _, once = np.unique(np.stack([match.found.frame, track], 1), axis=0, return_index=True)
    again = np.setdiff1d(np.arange(len(track)), once)
    track[again] = free + np.arange(len(again))
    return track
