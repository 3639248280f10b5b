from __future__ import annotations

import numpy as np
import pytest

from headtrack.identity.look_changes import look_changes
from headtrack.ops.vectors import unit
from headtrack.types.views import FRONT, PROFILE, REAR, THREEQUARTER

TEN_TO_ONE = -np.log(9)


def changes(looks: list[int], views: list[int] | None = None, *, step_s: float = 0.5) -> list[int]:
    """Cut a track whose crops show looks on axes, a little noisy."""
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=0.05, size=(len(looks), 16))
    look = unit(np.eye(16)[looks].reshape(-1, 16) + noise)
    view = np.full(len(looks), FRONT) if views is None else np.array(views)
    time_s = np.arange(len(looks)) * step_s
    return look_changes(time_s, view, look, np.ones(len(looks)), max_log_odds=TEN_TO_ONE)


def test_a_track_is_cut_where_its_look_changes():
    assert changes([0] * 6 + [1] * 7) == [6]
    assert changes([0] * 6 + [1] * 5 + [2] * 6) == [6, 11]


def test_a_look_that_comes_back_gives_two_cuts():
    assert changes([0] * 5 + [1] * 5 + [0] * 5) == [5, 10]


@pytest.mark.parametrize("looks", [[], [0], [0] * 20])
def test_a_track_of_one_look_is_whole(looks: list[int]):
    assert changes(looks) == []


def test_a_hand_in_the_face_for_a_moment_is_no_look():
    assert changes([0] * 8 + [1] * 2 + [0] * 8) == []
    assert changes([0] * 8 + [1] * 4 + [0] * 8, step_s=0.1) == []


def test_a_head_that_turns_away_keeps_its_look():
    assert changes([0] * 6 + [1] * 6, [FRONT] * 6 + [REAR] * 6) == []
    assert changes([0] * 6 + [1] * 6, [THREEQUARTER] * 6 + [PROFILE] * 6) == []


def test_the_same_side_before_and_after_a_turn_tells_a_change():
    looks = [0] * 4 + [1] * 4 + [2] * 4  # front, rear, and another front
    assert changes(looks, [FRONT] * 4 + [REAR] * 4 + [FRONT] * 4) in ([4], [8])
