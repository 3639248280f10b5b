from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.settings import ShotSettings
from headtrack.shots.candidates import ChangeState, change_scores
from headtrack.shots.cascade import ShotState, finish, push
from headtrack.shots.slow import wipe_scores
from headtrack.types import Shots

SETTINGS = ShotSettings()


@dataclass
class JumpScorer:
    """A stand-in for TransNetV2 that calls each large jump a cut, and counts what it was asked."""

    windows: list[int] = field(default_factory=list)
    model_id: str = "jump@0"

    def score(self, thumbnails: np.ndarray) -> np.ndarray:
        self.windows.append(len(thumbnails))
        jump = np.abs(np.diff(thumbnails.astype(np.float32), axis=0)).mean((1, 2, 3))
        return np.append(np.clip(jump / 60, 0, 1), 0).astype(np.float32)


def footage(lengths: list[int], seed: int = 0, noise: float = 1.0) -> np.ndarray:
    """Shots of unlike random pictures, each drifting a little from frame to frame."""
    rng = np.random.default_rng(seed)
    shots = []
    for length in lengths:
        picture = rng.integers(0, 255, (27, 48, 3)).astype(np.float32)
        shots.append(picture + rng.normal(0, noise, (length, 27, 48, 3)).cumsum(0))
    return np.clip(np.concatenate(shots), 0, 255).astype(np.uint8)


def shots_of(frames: np.ndarray, cuts: list[int], scorer: JumpScorer | None = None) -> Shots:
    scorer, state = scorer or JumpScorer(), ShotState.start()
    for part in np.split(frames, cuts):
        state = push(state, part, scorer, SETTINGS)
    return finish(state, scorer, SETTINGS)


def test_a_shot_begins_at_the_first_frame_of_the_new_picture() -> None:
    shots = shots_of(footage([40, 70, 31]), [])
    assert shots.start.tolist() == [0, 40, 110]
    assert shots.stop.tolist() == [40, 110, 141]
    assert shots.p_cut[0] == 1


def test_no_frames_give_no_shots_and_one_frame_gives_one() -> None:
    assert len(shots_of(footage([3])[:0], [])) == 0
    assert shots_of(footage([1]), []).stop.tolist() == [1]


@settings(max_examples=15, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 120), min_size=1, max_size=5),
    cuts=st.lists(st.integers(0, 400), max_size=8),
    seed=st.integers(0, 99),
)
def test_shots_do_not_depend_on_how_frames_come_in_batches(
    lengths: list[int], cuts: list[int], seed: int
) -> None:
    frames = footage(lengths, seed)
    cuts = sorted(min(c, len(frames)) for c in cuts)
    whole, parts = shots_of(frames, []), shots_of(frames, cuts)
    assert whole.start.tolist() == parts.start.tolist()
    np.testing.assert_array_equal(whole.p_cut, parts.p_cut)
    assert whole.stop[-1] == len(frames)


@settings(max_examples=15, deadline=None)
@given(lengths=st.lists(st.integers(5, 130), min_size=1, max_size=5), batch=st.integers(1, 40))
def test_what_is_called_final_stays_and_lags_at_most_a_hundred_frames(lengths: list[int], batch: int) -> None:
    frames, scorer, state = footage(lengths), JumpScorer(), ShotState.start()
    told: list[tuple[int, list[int]]] = []
    for begin in range(0, len(frames), batch):
        state = push(state, frames[begin : begin + batch], scorer, SETTINGS)
        told.append((state.final_until, state.starts[state.starts < state.final_until].tolist()))
        assert min(begin + batch, len(frames)) - state.final_until <= 100
    starts = finish(state, scorer, SETTINGS).start[1:].tolist()
    for until, known in told:
        assert [s for s in starts if s < until] == known
    assert [until for until, _ in told] == sorted(until for until, _ in told)


def test_a_still_scene_never_asks_the_network() -> None:
    scorer = JumpScorer()
    assert len(shots_of(footage([400], noise=0.1), [], scorer)) == 1
    assert scorer.windows == []


def test_the_network_is_asked_only_about_the_windows_around_a_change() -> None:
    scorer = JumpScorer()
    assert len(shots_of(footage([500, 500], noise=0.1), [], scorer)) == 2
    whole = [n for n in scorer.windows if n == 100]  # a shorter one is the second look
    assert len(whole) == 1


def test_a_flash_of_another_picture_makes_no_shot_of_its_own() -> None:
    assert shots_of(footage([60, 3, 60]), []).start.tolist() == [0, 60]


def test_a_jump_inside_one_view_is_no_cut() -> None:
    frames = footage([100], noise=0.0)
    frames[50:] = (frames[50:] * 0.4).astype(np.uint8)  # the light goes out; the place stays
    scorer = JumpScorer()
    assert len(shots_of(frames, [], scorer)) == 1
    assert len(scorer.windows) >= 1


def test_the_kept_thumbnails_do_not_grow_with_the_video() -> None:
    frames, scorer, state = footage([700], noise=0.1), JumpScorer(), ShotState.start()
    sizes = []
    for begin in range(0, 700, 10):
        state = push(state, frames[begin : begin + 10], scorer, SETTINGS)
        sizes.append(len(state.kept))
    assert max(sizes) <= 260


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


def scene(width: int, seed: int = 1) -> np.ndarray:
    """Give a (27, width, 3) picture of soft patches, as scenes are at this size."""
    coarse = np.random.default_rng(seed).uniform(40, 210, (5, width // 12 + 1, 3))
    rows, columns = np.linspace(0, 4, 27), np.linspace(0, width // 12, width)
    r, c = rows.astype(int).clip(max=3), columns.astype(int).clip(max=width // 12 - 1)
    down, right = (rows - r)[:, None, None], (columns - c)[None, :, None]
    top = coarse[r][:, c] * (1 - right) + coarse[r][:, c + 1] * right
    bottom = coarse[r + 1][:, c] * (1 - right) + coarse[r + 1][:, c + 1] * right
    return top * (1 - down) + bottom * down


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


@pytest.mark.parametrize("cut", [49, 50, 51, 75, 99, 100, 149])
def test_a_cut_costs_one_window_wherever_it_lies(cut: int) -> None:
    scorer = JumpScorer()
    assert shots_of(footage([cut, 260 - cut], noise=0.1), [], scorer).start.tolist() == [0, cut]
    assert len([n for n in scorer.windows if n == 100]) == 1


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


def test_change_scores_take_no_frames() -> None:
    none = np.zeros((0, 27, 48, 3), np.uint8)
    assert change_scores(ChangeState.start(), none).score.shape == (0,)
