from __future__ import annotations

import math

import numpy as np
import pytest

from headtrack.evaluation.score_identity import IdentityScore, NamedHeads, score_identity
from headtrack.metrics.counts import MatchCounts


def named(*rows: tuple[str, str]) -> NamedHeads:
    """Make heads of (name in the labels, found person); without a person the head was missed."""
    truth, person = np.array(rows, str).reshape(-1, 2).T
    return NamedHeads(truth, person, person != "")


def test_right_people_score_one_whatever_their_ids():
    score = score_identity(named(("P1", "x"), ("P1", "x"), ("P2", "a")), ())
    assert (score.bcubed.f1, score.pairs) == (1, MatchCounts(tp=1))


def test_a_missed_head_is_alone_and_counts_only_among_all_labelled_heads():
    score = score_identity(named(("P1", "x"), ("P1", "x"), ("P1", "")), ())
    assert (score.bcubed.precision, score.bcubed.recall) == pytest.approx((1, (2 / 3 + 2 / 3 + 1 / 3) / 3))
    assert score.pairs == MatchCounts(tp=1, fn=2)
    assert (score.hit_bcubed.items, score.hit_bcubed.f1, score.hit_pairs) == (2, 1, MatchCounts(tp=1))


def test_two_missed_heads_are_not_one_person():
    assert score_identity(named(("P1", ""), ("P2", "")), ()).bcubed.precision == 1


def test_people_who_may_be_one_can_be_put_together_unpunished():
    heads = named(("P2", "x"), ("P4", "x"), ("P5", "x"))
    strict, lenient = score_identity(heads, ()), score_identity(heads, [("P2", "P4"), ("P9", "P2")])
    assert strict.pairs == MatchCounts(fp=3)
    assert lenient.pairs == MatchCounts(fp=2)
    assert lenient.bcubed.precision > strict.bcubed.precision


def test_without_heads_the_score_is_unknown():
    score = score_identity(named(), ())
    assert score == IdentityScore()
    assert math.isnan(score.bcubed.f1)


def test_clips_add_up_and_do_not_mix():
    one = score_identity(named(("P1", "x")), ())
    total = one + one
    assert (total.bcubed.items, total.bcubed.f1, total.pairs) == (2, 1, MatchCounts())
