from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.metrics.calibration import BINS, Reliability, reliability

cases = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40)


def naive(pairs: list[tuple[float, bool]]) -> float:
    """Expected calibration error as the paper writes it."""
    total = 0.0
    for b in range(BINS):
        here = [(s, r) for s, r in pairs if min(int(s * BINS), BINS - 1) == b]
        if here:
            promised = sum(s for s, _ in here) / len(here)
            kept = sum(r for _, r in here) / len(here)
            total += len(here) / len(pairs) * abs(promised - kept)
    return total


def arrays(pairs: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([s for s, _ in pairs], float), np.array([r for _, r in pairs], bool)


@given(cases.filter(len))
def test_the_error_is_the_papers(pairs):
    assert reliability(*arrays(pairs)).expected_error == pytest.approx(naive(pairs), abs=1e-12)


@given(cases, cases)
def test_two_sets_add_up_to_their_union(a, b):
    both, joined = reliability(*arrays(a)) + reliability(*arrays(b)), reliability(*arrays(a + b))
    np.testing.assert_array_equal(both.count, joined.count)
    np.testing.assert_array_equal(both.right, joined.right)
    np.testing.assert_allclose(both.score_sum, joined.score_sum)


def test_scores_that_keep_their_word_have_no_error():
    score = np.repeat([0.25, 0.75], 4)
    right = np.array([1, 0, 0, 0, 1, 1, 1, 0], bool)
    found = reliability(score, right)
    assert found.expected_error == 0
    np.testing.assert_array_equal(found.mean_score[[2, 7]], found.share_right[[2, 7]])


def test_no_predictions_have_no_error_to_tell():
    none = Reliability.none()
    assert np.isnan(none.expected_error)
    assert np.isnan(none.mean_score).all()
    assert none.count.tolist() == [0] * BINS
