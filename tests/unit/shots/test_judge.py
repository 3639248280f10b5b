from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headtrack.shots.judge import MAX_HELD_FRAMES, judge_window
from headtrack.shots.same_view import is_same_view


class Scorer:
    """Answers with a function of the frames and keeps what it was shown."""

    model_id = "test@0"

    def __init__(self, answer: Callable[[np.ndarray], np.ndarray]) -> None:
        self.answer = answer
        self.seen: list[np.ndarray] = []

    def score(self, thumbnails: np.ndarray) -> np.ndarray:
        self.seen.append(thumbnails)
        return self.answer(thumbnails).astype(np.float32)


def jumps(value_whole: float, value_short: float) -> Callable[[np.ndarray], np.ndarray]:
    def answer(frames: np.ndarray) -> np.ndarray:
        jump = np.append(np.abs(np.diff(frames.astype(float), axis=0)).mean((1, 2, 3)) > 2, False)
        return jump * (value_whole if len(frames) == 100 else value_short)

    return answer


def slides(hold: int) -> np.ndarray:
    pictures = np.random.default_rng(0).integers(0, 255, (100 // hold + 1, 27, 48, 3), np.uint8)
    return pictures.repeat(hold, 0)[:100]


def test_held_pictures_are_shown_again_shortened_and_the_mean_counts() -> None:
    scorer = Scorer(jumps(0.8, 0.1))
    p = judge_window(slides(20), scorer, min_p_cut=0.5)
    assert np.flatnonzero(p).tolist() == [19, 39, 59, 79]
    np.testing.assert_allclose(p[[19, 39, 59, 79]], 0.45)
    assert [len(s) for s in scorer.seen] == [100, 5 * MAX_HELD_FRAMES]


def test_footage_on_threes_is_judged_once() -> None:
    scorer = Scorer(jumps(0.8, 0.1))
    p = judge_window(slides(3), scorer, min_p_cut=0.5)
    assert len(scorer.seen) == 1
    assert p.max() == np.float32(0.8)


def test_where_nothing_looks_like_a_cut_no_second_look_is_taken() -> None:
    scorer = Scorer(jumps(0.3, 0.9))
    assert judge_window(slides(20), scorer, min_p_cut=0.5).max() == np.float32(0.3)
    assert len(scorer.seen) == 1


def views() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    blocks = rng.integers(20, 235, (2, 9, 16, 3), np.uint8)
    room, street = (b.repeat(3, 0).repeat(3, 1) for b in blocks)
    return room, street


def test_a_person_moving_in_a_room_leaves_the_view_the_same() -> None:
    room, _ = views()
    moved = room.copy()
    moved[6:, 20:32] = 90
    assert is_same_view(room, moved)


def test_a_change_of_light_leaves_the_view_the_same() -> None:
    room, _ = views()
    assert is_same_view(room, (room * 0.3 + 5).astype(np.uint8))


def test_black_bars_and_a_caption_do_not_make_two_views_alike() -> None:
    room, street = views()
    for picture in (room, street):
        picture[:4] = picture[-4:] = 0
        picture[-8:-4, ::2] = 240
    assert not is_same_view(room, street)
    assert is_same_view(room, room)


def test_flat_and_black_pictures_have_no_view() -> None:
    flat = np.full((27, 48, 3), 120, np.uint8)
    assert not is_same_view(flat, flat)
    assert not is_same_view(flat * 0, flat * 0)
