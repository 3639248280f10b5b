from __future__ import annotations

import math

import numpy as np

from headtrack.metrics.clear import clear
from headtrack.metrics.mot_events import mot_events
from headtrack.metrics.track_overlap import TrackedBoxes, TrackOverlap, overlap_tracks


def test_a_perfect_tracker_makes_no_mistake(two_tracks):
    score = mot_events(overlap_tracks(two_tracks, two_tracks))
    assert (score.mota, score.motp, score.recall, score.precision) == (1, 0, 1, 1)
    assert (score.switches, score.transfers, score.ascents, score.migrations) == (0, 0, 0, 0)


def test_nothing_in_leaves_the_rates_unknown(no_boxes):
    score = mot_events(overlap_tracks(no_boxes, no_boxes))
    assert (score.matches, score.misses, score.false_positives, score.fragments) == (0, 0, 0, 0)
    assert all(map(math.isnan, (score.mota, score.motp, score.recall, score.precision)))


def test_two_people_who_swap_ids_switch_and_transfer_without_ascent(two_tracks):
    other = 3 - two_tracks.track
    swapped = TrackedBoxes(
        two_tracks.frame, np.where(two_tracks.frame >= 2, other, two_tracks.track), two_tracks.xyxy
    )
    score = mot_events(overlap_tracks(two_tracks, swapped))
    assert (score.switches, score.transfers, score.ascents, score.migrations) == (2, 2, 0, 0)


def test_a_new_id_ascends_and_a_new_person_is_migrated_to():
    box = np.tile([0.0, 0, 10, 10], (2, 1))
    one_person = TrackedBoxes([0, 1], [1, 1], box)
    one_track = TrackedBoxes([0, 1], [8, 8], box)
    two = TrackedBoxes([0, 1], [3, 4], box)
    assert mot_events(overlap_tracks(one_person, two)).ascents == 1
    assert mot_events(overlap_tracks(two, one_track)).migrations == 1


def test_an_old_pair_is_kept_over_a_gap_though_another_box_lies_closer():
    truth = TrackedBoxes([0, 1, 2], [1, 1, 1], np.tile([0.0, 0, 10, 10], (3, 1)))
    predicted = TrackedBoxes([0, 2, 2], [5, 5, 6], [[0, 0, 10, 10], [2, 0, 12, 10], [0, 0, 10, 10]])
    score = mot_events(overlap_tracks(truth, predicted))
    assert (score.switches, score.fragments, score.misses) == (0, 1, 1)


def test_the_counts_without_memory_agree_with_clear(sequence: TrackOverlap):
    events, other = mot_events(sequence), clear(sequence)
    assert events.matches + events.misses == other.tp + other.fn
    assert events.matches + events.false_positives == other.tp + other.fp
    assert events.mostly_tracked + events.partly_tracked + events.mostly_lost == sequence.truth_tracks
    assert events.ascents <= events.switches
    assert events.migrations <= events.transfers
