import numpy as np
import pytest

from headtrack.ops.face_evidence import FACE_SCALES, MAX_LOG_ODDS, same_person_log_odds


def pair(cosine: float) -> np.ndarray:
    return np.array([[1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]])


@pytest.mark.parametrize("scale", FACE_SCALES.values(), ids=FACE_SCALES)
def test_the_nearer_two_faces_the_likelier_one_person(scale):
    odds = [same_person_log_odds(pair(c), np.ones(2), scale)[0, 1] for c in np.linspace(0, 1, 21)]
    assert (np.diff(odds) >= 0).all()
    assert odds[0] < 0 < odds[-1]


@pytest.mark.parametrize("cosine", [0.05, 0.9])
def test_faces_that_are_hard_to_recognise_say_less_either_way(cosine):
    clear, poor = (
        abs(same_person_log_odds(pair(cosine), np.array([1.0, q]), FACE_SCALES["sface"])[0, 1])
        for q in (1.0, 0.1)
    )
    assert poor < clear


def test_an_unknown_face_gives_no_number_and_no_odds_pass_the_limit():
    face = np.array([[1.0, 0.0], [-1.0, 0.0], [np.nan, np.nan]])
    odds = same_person_log_odds(face, np.array([1.0, 1.0, 0.0]), FACE_SCALES["sface"])
    assert np.isnan(odds[2]).all()
    assert -MAX_LOG_ODDS - 0.01 < odds[0, 1] <= -MAX_LOG_ODDS
