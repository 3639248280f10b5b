from __future__ import annotations

import numpy as np
import pytest

from headtrack.metrics.clear import Clear, clear
from headtrack.metrics.track_overlap import TrackedBoxes, TrackOverlap, overlap_tracks


def test_a_perfect_tracker_makes_no_mistake(two_tracks):
    score = clear(overlap_tracks(two_tracks, two_tracks))
    assert score == Clear(tp=8, mostly_tracked=2, iou_sum=8.0)
    assert (score.mota, score.motp) == (1.0, 1.0)


def test_nothing_found_loses_every_track(two_tracks, no_boxes):
    assert clear(overlap_tracks(two_tracks, no_boxes)) == Clear(fn=8, mostly_lost=2)


def test_without_truth_mota_is_zero_and_every_box_false(two_tracks, no_boxes):
    score = clear(overlap_tracks(no_boxes, two_tracks))
    assert (score, score.mota) == (Clear(fp=8), 0.0)


def test_nothing_in_gives_nothing(no_boxes):
    assert clear(overlap_tracks(no_boxes, no_boxes)) == Clear()


def test_an_id_that_changes_is_one_switch_a_track(two_tracks):
    changed = TrackedBoxes(two_tracks.frame, two_tracks.track + 10 * (two_tracks.frame >= 2), two_tracks.xyxy)
    score = clear(overlap_tracks(two_tracks, changed))
    assert (score.switches, score.fragments, score.mota) == (2, 0, 1 - 2 / 8)


def test_a_gap_is_a_fragment_and_no_switch(two_tracks):
    seen = ~((two_tracks.track == 1) & (two_tracks.frame == 1))
    gappy = TrackedBoxes(two_tracks.frame[seen], two_tracks.track[seen], two_tracks.xyxy[seen])
    score = clear(overlap_tracks(two_tracks, gappy))
    assert (score.fn, score.switches, score.fragments, score.partly_tracked) == (1, 0, 1, 1)


def test_the_pair_of_the_frame_before_is_kept_though_another_box_lies_closer():
    truth = TrackedBoxes([0, 1], [1, 1], [[0, 0, 10, 10], [0, 0, 10, 10]])
    predicted = TrackedBoxes([0, 1, 1], [5, 5, 6], [[0, 0, 10, 10], [2, 0, 12, 10], [0, 0, 10, 10]])
    score = clear(overlap_tracks(truth, predicted))
    assert (score.switches, score.tp, score.fp) == (0, 2, 1)


def test_exactly_eighty_per_cent_is_not_yet_mostly_tracked():
    box = np.tile([0.0, 0, 10, 10], (5, 1))
    truth = TrackedBoxes(np.arange(5), np.zeros(5), box)
    predicted = TrackedBoxes(np.arange(4), np.zeros(4), box[:4])
    assert clear(overlap_tracks(truth, predicted)).partly_tracked == 1


def test_counts_add_up_to_the_boxes(sequence: TrackOverlap):
    score = clear(sequence)
    assert score.tp + score.fn == sequence.truth_boxes
    assert score.tp + score.fp == sequence.predicted_boxes
    assert score.mostly_tracked + score.partly_tracked + score.mostly_lost == sequence.truth_tracks


def test_two_sequences_add_up(sequence: TrackOverlap):
    once = clear(sequence)
    twice = once + once
    assert (twice.switches, twice.mostly_lost) == (2 * once.switches, 2 * once.mostly_lost)
    assert (twice.mota, twice.motp) == pytest.approx((once.mota, once.motp))
