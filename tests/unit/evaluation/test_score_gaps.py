from __future__ import annotations

import math

import numpy as np
import pytest

from headtrack.evaluation.labels import CutLabels, HeadLabels
from headtrack.evaluation.matching import match_heads
from headtrack.evaluation.score_gaps import Bridges, GapScore, score_gaps

CUT_AT_10 = CutLabels(np.array([10]), np.zeros(0, int))
NO_CUT = CutLabels(np.zeros(0, int), np.zeros(0, int))
BOX = (10, 10, 30, 30)
ELSEWHERE = (60, 10, 80, 30)


@pytest.fixture
def bridge(make_labels, make_found):
    """Score one person seen at two frames; a `person` of None was not found."""

    def score(before, after, cuts, *, others=()) -> GapScore:
        heads = [(0, *before), (20, *after)]
        labels: HeadLabels = make_labels(*[(frame, *BOX, "P1", "front") for frame, *_ in heads], *others)
        found = make_found(*[(frame, *BOX, "front", track, p) for frame, track, p in heads if p is not None])
        return score_gaps(match_heads(labels, found), cuts)

    return score


def test_a_cut_between_two_sightings_is_bridged_by_the_track_or_by_the_person(bridge):
    assert bridge((0, "x"), (0, "x"), CUT_AT_10).over_cuts == Bridges(1, 1, 1, 1)
    assert bridge((0, "x"), (1, "x"), CUT_AT_10).over_cuts == Bridges(1, 1, 0, 1)
    assert bridge((0, "x"), (1, "y"), CUT_AT_10).over_cuts == Bridges(1, 1, 0, 0)


def test_people_without_an_id_are_not_one(bridge):
    assert bridge((0, ""), (1, ""), CUT_AT_10).over_cuts == Bridges(1, 1, 0, 0)


def test_a_side_that_was_not_found_bridges_nothing(bridge):
    assert bridge((0, "x"), (0, None), CUT_AT_10).over_cuts == Bridges(1, 0, 0, 0)


def test_a_labelled_frame_without_the_person_in_one_shot_is_an_occlusion(bridge):
    other = (10, *ELSEWHERE, "P2", "front")
    score = bridge((0, "x"), (1, "x"), NO_CUT, others=[other])
    assert score == GapScore(over_occlusions=Bridges(1, 1, 0, 1))


def test_sightings_in_neighbouring_labelled_frames_are_no_gap(bridge):
    assert bridge((0, "x"), (1, "y"), NO_CUT) == GapScore()


def test_clips_add_up_and_nothing_is_unknown(bridge):
    one = bridge((0, "x"), (0, "x"), CUT_AT_10)
    assert (one + one).over_cuts == Bridges(2, 2, 2, 2)
    assert (one.over_cuts.one_track_share, one.over_cuts.one_person_share) == (1, 1)
    assert math.isnan(GapScore().over_cuts.one_track_share)
