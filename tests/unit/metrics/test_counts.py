from __future__ import annotations

import math

import pytest

from headtrack.metrics.counts import MatchCounts


def test_rates_follow_from_the_counts():
    counts = MatchCounts(tp=6, fp=2, fn=4)
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx((0.75, 0.6, 2 / 3))


def test_nothing_to_find_and_nothing_found_is_right_but_has_no_rates():
    assert MatchCounts().f1 == 1
    assert math.isnan(MatchCounts().precision)
    assert math.isnan(MatchCounts().recall)


def test_only_false_finds_score_zero():
    assert MatchCounts(fp=1).f1 == 0
