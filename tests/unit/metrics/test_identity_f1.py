from __future__ import annotations

import itertools

import numpy as np

from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.identity_f1 import identity_f1
from headtrack.metrics.track_overlap import TrackedBoxes, TrackOverlap, overlap_tracks


def test_a_perfect_tracker_scores_one(two_tracks):
    assert identity_f1(overlap_tracks(two_tracks, two_tracks)) == MatchCounts(8, 0, 0)


def test_nothing_in_gives_nothing(no_boxes, two_tracks):
    assert identity_f1(overlap_tracks(no_boxes, no_boxes)) == MatchCounts()
    assert identity_f1(overlap_tracks(two_tracks, no_boxes)) == MatchCounts(0, 0, 8)


def test_after_a_change_of_id_only_the_longer_part_counts(two_tracks):
    changed = TrackedBoxes(two_tracks.frame, two_tracks.track + 10 * (two_tracks.frame >= 1), two_tracks.xyxy)
    assert identity_f1(overlap_tracks(two_tracks, changed)) == MatchCounts(6, 2, 2)


def test_no_other_choice_of_ids_makes_more_boxes_right(sequence: TrackOverlap):
    shared = np.zeros((sequence.truth_tracks, sequence.predicted_tracks), int)
    for frame in sequence.frames:
        for r, g in enumerate(frame.truth):
            for c, p in enumerate(frame.predicted):
                shared[g, p] += frame.iou[r, c] >= 0.5
    columns = range(sequence.predicted_tracks)
    best = max(
        sum(shared[g, p] for g, p in enumerate(choice))
        for choice in itertools.permutations(columns, sequence.truth_tracks)
    )
    assert identity_f1(sequence).tp == best
