from __future__ import annotations

import numpy as np

from headtrack.evaluation.labels import CutLabels
from headtrack.evaluation.score_shots import ShotScore, score_shots
from headtrack.metrics.counts import MatchCounts


def test_a_false_cut_on_a_change_of_stills_is_counted_apart():
    labels = CutLabels(np.array([36]), np.array([12, 24]))
    score = score_shots(labels, np.array([12, 30, 36]))
    assert score == ShotScore(MatchCounts(tp=1, fp=2), on_still_change=1)
    assert score.still_changes_excused == MatchCounts(tp=1, fp=1)


def test_a_clip_without_cuts_is_right_when_none_is_found():
    labels = CutLabels(np.zeros(0), np.zeros(0))
    assert score_shots(labels, np.zeros(0, int)).counts.f1 == 1


def test_clips_add_up_cut_by_cut():
    one, two = ShotScore(MatchCounts(3, 1, 0), 1), ShotScore(MatchCounts(0, 0, 1), 0)
    assert sum([one, two], ShotScore()) == ShotScore(MatchCounts(3, 1, 1), 1)
