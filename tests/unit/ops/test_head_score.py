from __future__ import annotations

import numpy as np
import pytest

from headtrack.ops.head_fits import HEAD_FITS
from headtrack.ops.head_score import face_score_terms, log_odds, probability
from tests.unit.ops.head_cases import evidence, face


def test_a_logistic_function_undoes_log_odds():
    p = np.array([0.02, 0.3, 0.5, 0.98])
    assert probability(log_odds(p)[:, None], (1.0,)) == pytest.approx(p)


def test_log_odds_of_certainty_are_finite():
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()


def test_a_surer_lone_face_is_a_surer_head():
    low, high = (
        probability(face_score_terms(evidence(faces=[face(9, 9)], face_score=s)), HEAD_FITS.face_score)[0]
        for s in (0.3, 0.8)
    )
    assert low < 0.5 < high
