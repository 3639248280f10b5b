from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.settings import ShotSettings
from headtrack.shots.cascade import ShotState, finish, push
from headtrack.types import Shots
from tests.unit.shots.made_footage import footage

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


@pytest.mark.parametrize("cut", [49, 50, 51, 75, 99, 100, 149])
def test_a_cut_costs_one_window_wherever_it_lies(cut: int) -> None:
    scorer = JumpScorer()
    assert shots_of(footage([cut, 260 - cut], noise=0.1), [], scorer).start.tolist() == [0, cut]
    assert len([n for n in scorer.windows if n == 100]) == 1
