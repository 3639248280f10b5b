from __future__ import annotations

import numpy as np
import pytest

from headtrack.metrics.track_overlap import TrackedBoxes, overlap_tracks


def test_ids_are_numbered_from_zero_whatever_they_were():
    boxes = np.array([[0.0, 0, 2, 2], [5, 5, 7, 7]])
    overlap = overlap_tracks(TrackedBoxes([3, 3], [70, -4], boxes), TrackedBoxes([3], [900], boxes[:1]))
    assert overlap.frames[0].truth.tolist() == [1, 0]
    assert overlap.frames[0].predicted.tolist() == [0]
    assert overlap.frames[0].iou.tolist() == [[1.0], [0.0]]


def test_a_frame_with_boxes_of_one_side_only_is_kept(no_boxes, two_tracks):
    overlap = overlap_tracks(no_boxes, two_tracks)
    assert (len(overlap.frames), overlap.truth_boxes, overlap.predicted_boxes) == (4, 0, 8)


def test_nothing_overlaps_with_nothing(no_boxes):
    overlap = overlap_tracks(no_boxes, no_boxes)
    assert (len(overlap.frames), overlap.truth_tracks, overlap.predicted_tracks) == (0, 0, 0)


def test_two_boxes_of_one_track_in_one_frame_are_refused():
    with pytest.raises(ValueError, match="track 7 has 2 boxes in frame 1"):
        TrackedBoxes([1, 1], [7, 7], np.zeros((2, 4)))
