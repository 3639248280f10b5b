"""Where shots begin: a cheap score proposes, TransNetV2 judges only around what it proposes.

A tile of 50 frames is judged around the first frame proposed after the tile before, so that judgement does
not depend on how frames come in batches; it lags behind the frames by at most a tile and its margin. In a
tile where the network sees nothing, wipes are looked for without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headtrack.protocols import ShotScorer
from headtrack.settings import ShotSettings
from headtrack.shots.candidates import LAG_FRAMES, THUMBNAIL_SHAPE, ChangeState, change_scores
from headtrack.shots.judge import MARGIN_FRAMES, TILE_FRAMES, judge_window
from headtrack.shots.same_view import is_same_view
from headtrack.shots.slow import is_transition, wipe_scores
from headtrack.types import Shots

# Transitions longer than this are not followed to their ends; a run of high scores is cut there.
MAX_TRANSITION_FRAMES = TILE_FRAMES
# From the middle of a transition of 30 frames (1.2 s) to its ends. Fewer than BEFORE_PROPOSED_FRAMES and
# MARGIN_FRAMES, so that the frames up to there are kept when a run is decided, however they came.
HALF_SLOW_FRAMES = 15
# A tile begins this far before what proposes it: a change shows up to LAG_FRAMES after a cut, and in the
# slowest transitions about as many after they began.
BEFORE_PROPOSED_FRAMES = 2 * LAG_FRAMES
KEPT_FRAMES = MARGIN_FRAMES + MAX_TRANSITION_FRAMES + TILE_FRAMES


@dataclass(frozen=True, slots=True)
class ShotState:
    """What is known of a video's shots after its first frames.

    Attributes:
        change: of the cheap score.
        first: number of the first frame kept.
        kept: (K, 27, 48, 3) uint8 thumbnails from frame `first` on.
        change_score: (K,) float32 of the kept frames.
        p_cut: (J,) float32 of the kept frames judged so far: a transition lies after the frame.
        starts: (S,) int32 frames that open a shot, frame 0 left out.
        start_p: (S,) float32 probability of each.
        judged_frames: frames that TransNetV2 was asked about.
        final_until: frames before this one have their shot decided.
    """

    change: ChangeState
    first: int
    kept: npt.NDArray[np.uint8]
    change_score: npt.NDArray[np.float32]
    p_cut: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int32]
    start_p: npt.NDArray[np.float32]
    judged_frames: int = 0
    final_until: int = 0

    @staticmethod
    def start() -> ShotState:
        """Give the state before the first frame."""
        none = np.zeros(0, np.float32)
        return ShotState(
            ChangeState.start(), 0, np.zeros((0, *THUMBNAIL_SHAPE), np.uint8), none, none,
            np.zeros(0, np.int32), none,
        )  # fmt: skip


def push(
    state: ShotState, thumbnails: npt.NDArray[np.uint8], scorer: ShotScorer, settings: ShotSettings
) -> ShotState:
    """Take in the next frames; `starts` before `final_until` of the new state are decided.

    Args:
        state: of the frames before.
        thumbnails: (N, 27, 48, 3) uint8 of the next frames.
        scorer: TransNetV2.
        settings: the `shots` section.
    """
    step = change_scores(state.change, thumbnails)
    state = replace(
        state,
        change=step.state,
        kept=np.concatenate([state.kept, thumbnails]),
        change_score=np.concatenate([state.change_score, step.score]),
    )
    before = -1
    while before < (before := state.first + len(state.p_cut)):
        state = _judge_next(state, scorer, settings, at_end=False)
        state = _forget(_decide(state, settings, at_end=False))
    return state


def finish(state: ShotState, scorer: ShotScorer, settings: ShotSettings) -> Shots:
    """Judge what is left and give the shots; together they cover every frame taken in."""
    while len(state.p_cut) < len(state.kept):
        state = _judge_next(state, scorer, settings, at_end=True)
    state = _decide(state, settings, at_end=True)
    count = state.first + len(state.kept)
    if not count:
        return Shots(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))
    start = np.concatenate([np.zeros(1, np.int32), state.starts])
    stop = np.append(state.starts, np.int32(count))
    return Shots(start, stop, np.concatenate([np.ones(1, np.float32), state.start_p]))


def _judge_next(state: ShotState, scorer: ShotScorer, settings: ShotSettings, *, at_end: bool) -> ShotState:
    """Pass over the frames before the next tile, and judge it if the frames that it needs are there."""
    begin, count = len(state.p_cut), len(state.kept)
    proposed = begin + np.flatnonzero(state.change_score[begin:] >= settings.min_candidate)
    if not len(proposed):
        return _passed_over(state, count if at_end else count - BEFORE_PROPOSED_FRAMES)
    begin = max(begin, int(proposed[0]) - BEFORE_PROPOSED_FRAMES)
    state = _passed_over(state, begin)
    if count < begin + TILE_FRAMES + MARGIN_FRAMES and not at_end:
        return state
    index = np.arange(begin - MARGIN_FRAMES, begin + TILE_FRAMES + MARGIN_FRAMES)
    window = state.kept[np.clip(index, 0, count - 1)]
    frames = min(TILE_FRAMES, count - begin)
    p = judge_window(window, scorer, min_p_cut=settings.min_p_cut)
    p = _with_wipes(p, window, settings.min_p_cut)[MARGIN_FRAMES : MARGIN_FRAMES + frames]
    return replace(state, p_cut=np.concatenate([state.p_cut, p]), judged_frames=state.judged_frames + frames)


def _with_wipes(
    p_cut: npt.NDArray[np.float32], window: npt.NDArray[np.uint8], min_p_cut: float
) -> npt.NDArray[np.float32]:
    """Add the slow changes of which the network sees nothing in all their length."""
    seen = np.flatnonzero(p_cut >= min_p_cut)
    away = np.abs(np.arange(len(p_cut))[:, None] - seen[None, :]) > 2 * HALF_SLOW_FRAMES
    return np.where(away.all(1), np.maximum(p_cut, wipe_scores(window)), p_cut)


def _passed_over(state: ShotState, until: int) -> ShotState:
    """Call the frames up to a kept one free of transitions, unasked."""
    unasked = np.zeros(max(until - len(state.p_cut), 0), np.float32)
    return replace(state, p_cut=np.concatenate([state.p_cut, unasked]))


def _decide(state: ShotState, settings: ShotSettings, *, at_end: bool) -> ShotState:
    """Turn runs of high probability among the frames not yet decided into shot starts."""
    begin = state.final_until - state.first
    high = state.p_cut[begin:] >= settings.min_p_cut
    edges = np.flatnonzero(np.diff(np.concatenate([[False], high, [False]]).astype(np.int8)))
    starts, start_p = state.starts.tolist(), state.start_p.tolist()
    final = state.first + len(state.p_cut)
    for a, b in edges.reshape(-1, 2) + begin:
        if b == len(state.p_cut) and not at_end and b - a < MAX_TRANSITION_FRAMES:
            final = state.first + int(a)  # the run may go on
            break
        previous = starts[-1] if starts else 0
        opening = _opening(state, int(a), int(b), previous - state.first)
        if opening is None:
            continue
        number = state.first + opening
        last = state.first + len(state.kept) if at_end else number + settings.min_shot_frames
        if number - previous >= settings.min_shot_frames <= last - number:
            starts.append(number)
            start_p.append(float(state.p_cut[a:b].max()))
    return replace(
        state,
        starts=np.array(starts, np.int32),
        start_p=np.array(start_p, np.float32),
        final_until=final,
    )


def _opening(state: ShotState, a: int, b: int, previous: int) -> int | None:
    """Give the kept frame that opens the new shot of the run [a, b), or None if the view stays.

    In a slow transition the frames on both sides of a run are mixtures of the same two pictures, so
    those well before and after are compared. Its run may come in two parts, as that of a fade, and
    what the network is half sure of may be a whip pan.
    """
    kept = state.kept
    if b >= len(kept):
        return None  # nothing comes after
    # A hard cut's run is one or two frames, the last of the old shot; a slow one is halved.
    peak = a + int(np.argmax(state.p_cut[a:b])) if b - a <= 3 else (a + b - 1) // 2
    if not _is_slow(kept, a, b):
        return None if is_same_view(kept[a], kept[b]) else peak + 1
    first, last = max(a - HALF_SLOW_FRAMES, 0), min(b + HALF_SLOW_FRAMES, len(kept) - 1)
    if is_same_view(kept[first], kept[last]) or peak + 1 - previous <= HALF_SLOW_FRAMES:
        return None
    if not is_transition(kept[first : last + 1]):
        return None
    return peak + 1


def _is_slow(kept: npt.NDArray[np.uint8], a: int, b: int) -> bool:
    """Tell whether the picture changes before kept frame a or after b about as much as between them."""
    beside = min(b - a, HALF_SLOW_FRAMES)
    places = np.clip([a - beside, a, b, b + beside], 0, len(kept) - 1)
    before, between, after = np.abs(np.diff(kept[places].astype(np.float32), axis=0)).mean((1, 2, 3))
    return bool(max(before, after) > between / 2)


def _forget(state: ShotState) -> ShotState:
    """Drop frames that no window to come can reach."""
    drop = max(min(state.final_until - state.first, len(state.p_cut)) - KEPT_FRAMES, 0)
    return replace(
        state,
        first=state.first + drop,
        kept=state.kept[drop:],
        change_score=state.change_score[drop:],
        p_cut=state.p_cut[drop:],
    )
