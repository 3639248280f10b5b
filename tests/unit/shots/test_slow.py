from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.settings import ShotSettings
from headtrack.shots.cascade import ShotState, finish, push
from headtrack.shots.slow import wipe_scores
from tests.unit.shots.made_footage import scene

SETTINGS = ShotSettings()


def dissolve(length: int, seeds: tuple[int, int] = (1, 2)) -> np.ndarray:
    """Give two scenes of 60 still frames with a linear blend of some frames between them."""
    old, new = (scene(48, seed) for seed in seeds)
    weight = np.linspace(0, 1, length + 2)[1:-1, None, None, None]
    parts = [np.repeat(old[None], 60, 0), old * (1 - weight) + new * weight, np.repeat(new[None], 60, 0)]
    return np.concatenate(parts).astype(np.uint8)


class MiddleScorer:
    """A stand-in for TransNetV2 that is sure of one frame only: the one whose picture is given."""

    model_id = "middle@0"

    def __init__(self, *pictures: np.ndarray) -> None:
        self.pictures = pictures

    def score(self, thumbnails: np.ndarray) -> np.ndarray:
        score = np.zeros(len(thumbnails), np.float32)
        for picture in self.pictures:
            score[(thumbnails == picture).all((1, 2, 3))] = 1
        return score


def shots_said(frames: np.ndarray, *certain: int) -> list[int]:
    scorer = MiddleScorer(*(frames[k] for k in certain))
    state = push(ShotState.start(), frames, scorer, SETTINGS)
    return finish(state, scorer, SETTINGS).start.tolist()


def test_a_dissolve_of_which_the_network_sees_the_middle_is_a_transition() -> None:
    assert shots_said(dissolve(20), 69) == [0, 70]


def test_a_transition_that_the_network_sees_in_two_parts_begins_one_shot() -> None:
    assert shots_said(dissolve(20), 64, 74) == [0, 65]


@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(0, 280), max_size=8), length=st.integers(5, 30))
def test_slow_transitions_do_not_depend_on_how_frames_come_in_batches(cuts: list[int], length: int) -> None:
    frames = np.concatenate([dissolve(length), dissolve(length, seeds=(3, 4))])
    scorer = MiddleScorer(frames[60 + length // 2])
    found = []
    for parts in ([frames], np.split(frames, sorted(cuts))):
        state = ShotState.start()
        for part in parts:
            state = push(state, part, scorer, SETTINGS)
        found.append(finish(state, scorer, SETTINGS))
    assert found[0].start.tolist() == found[1].start.tolist()
    np.testing.assert_array_equal(found[0].p_cut, found[1].p_cut)


def test_what_looks_the_same_before_and_after_a_slow_change_is_one_shot() -> None:
    frames = dissolve(20)[:80]
    assert shots_said(np.concatenate([frames, frames[::-1]]), 75) == [0]


@pytest.mark.parametrize("length", [6, 12, 24])
def test_a_wipe_of_which_the_network_sees_nothing_begins_one_shot_inside_it(length: int) -> None:
    old, new = (np.repeat(scene(48, seed)[None], 60 + length, 0) for seed in (1, 2))
    column = np.arange(48)[None, None, :, None]
    edge = (np.arange(1, length + 1) * 48 / (length + 1))[:, None, None, None]
    wiped = np.where(column < edge, new[:length], old[:length])
    frames = np.concatenate([old[:60], wiped, new[:60]]).astype(np.uint8)
    starts = shots_said(frames)
    assert len(starts) == 2
    assert 60 <= starts[1] < 60 + length


def test_a_hard_cut_that_the_network_denies_is_not_taken_for_a_wipe() -> None:
    frames = np.repeat(np.stack([scene(48, 1), scene(48, 2)]), 60, 0).astype(np.uint8)
    assert shots_said(frames) == [0]


def test_a_whip_pan_of_which_the_network_is_half_sure_is_no_transition() -> None:
    wide = scene(240)
    left = np.concatenate([np.zeros(60), np.linspace(0, 190, 14), np.full(60, 190)]).round().astype(int)
    frames = np.stack([wide[:, x : x + 48] for x in left]).astype(np.uint8)
    assert shots_said(frames, 66) == [0]


@pytest.mark.parametrize("level", [0, 255])
def test_a_fade_through_a_flat_picture_is_a_transition(level: int) -> None:
    old, new = scene(48, 1), scene(48, 2)
    share = np.linspace(1, 0, 8)[:, None, None, None]
    out, back = old * share + level * (1 - share), new * share[::-1] + level * (1 - share[::-1])
    still = [np.repeat(picture[None], 60, 0) for picture in (old, new)]
    frames = np.concatenate([still[0], out, back, still[1]]).astype(np.uint8)
    assert shots_said(frames, 64) == [0, 65]


@pytest.mark.parametrize("frames", [0, 1, 20, 21])
def test_windows_too_short_for_a_wipe_have_none(frames: int) -> None:
    assert wipe_scores(np.zeros((frames, 27, 48, 3), np.uint8)).tolist() == [0] * frames
