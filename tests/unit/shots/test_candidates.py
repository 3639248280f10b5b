from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.settings import ShotSettings
from headtrack.shots.candidates import ChangeState, change_scores
from tests.unit.shots.made_footage import footage, scene

SETTINGS = ShotSettings()


@given(cuts=st.lists(st.integers(0, 60), max_size=5))
@settings(max_examples=20, deadline=None)
def test_change_scores_do_not_depend_on_batches(cuts: list[int]) -> None:
    frames, state, parts = footage([30, 30]), ChangeState.start(), []
    for part in np.split(frames, sorted(cuts)):
        step = change_scores(state, part)
        state = step.state
        parts.append(step.score)
    expected = change_scores(ChangeState.start(), frames).score
    np.testing.assert_allclose(np.concatenate(parts), expected, atol=1e-6)


@pytest.mark.parametrize("length", [6, 12, 24, 40])
def test_a_dissolve_of_any_usual_length_is_proposed(length: int) -> None:
    frames = footage([60, 60], noise=0.2).astype(np.float32)
    weight = np.linspace(0, 1, length + 2)[1:-1, None, None, None]
    blend = frames[59] * (1 - weight) + frames[60] * weight
    clip = np.concatenate([frames[:60], blend, frames[60:]]).astype(np.uint8)
    score = change_scores(ChangeState.start(), clip).score
    assert score.max() > SETTINGS.min_candidate


@pytest.mark.parametrize("level", [0, 255])
def test_a_slow_fade_from_a_flat_picture_is_proposed(level: int) -> None:
    picture = footage([1])[0].astype(np.float32)
    weight = np.linspace(0, 1, 50)[:, None, None, None]
    clip = (level * (1 - weight) + picture * weight).astype(np.uint8)
    assert change_scores(ChangeState.start(), clip).score.max() > SETTINGS.min_candidate


def test_a_camera_that_pans_over_its_width_in_eight_seconds_is_not_proposed() -> None:
    wide = scene(120)
    at = np.arange(0, 60, 0.25)  # pixels; 48 are 192 frames
    part = (at % 1)[:, None, None, None]
    left = np.stack([wide[:, int(x) : int(x) + 48] for x in at])
    right = np.stack([wide[:, int(x) + 1 : int(x) + 49] for x in at])
    pan = (left * (1 - part) + right * part).astype(np.uint8)
    assert change_scores(ChangeState.start(), pan).score.max() < SETTINGS.min_candidate


def test_a_large_thing_that_moves_to_and_fro_is_not_proposed() -> None:
    frames = np.repeat(scene(48)[None], 100, 0)
    for k in range(100):
        x = 14 + round(10 * np.sin(k / 24))
        frames[k, 6:, x : x + 14] = (200, 160, 140)
    assert change_scores(ChangeState.start(), frames.astype(np.uint8)).score.max() < SETTINGS.min_candidate


@pytest.mark.parametrize("light", [1.0, 0.2])
def test_a_cut_is_proposed_in_the_dark_as_well(light: float) -> None:
    pictures = [np.repeat(scene(48, seed)[None] * light, 30, 0) for seed in (1, 2)]
    score = change_scores(ChangeState.start(), np.concatenate(pictures).astype(np.uint8)).score
    assert np.flatnonzero(score >= SETTINGS.min_candidate)[0] in (30, 31, 32)


def test_noise_in_a_black_picture_is_not_proposed() -> None:
    noise = np.random.default_rng(0).integers(0, 6, (60, 27, 48, 3), np.uint8)
    assert change_scores(ChangeState.start(), noise).score.max() < SETTINGS.min_candidate


def test_change_scores_take_no_frames() -> None:
    none = np.zeros((0, 27, 48, 3), np.uint8)
    assert change_scores(ChangeState.start(), none).score.shape == (0,)
