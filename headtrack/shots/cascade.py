"""Where shots begin: a cheap score proposes, TransNetV2 judges only around what it proposes.

Judgement runs in tiles of 50 frames laid from frame 0, so that it does not depend on how frames come
in batches; it lags behind the frames by at most a tile and its margin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headtrack.protocols import ShotScorer
from headtrack.settings import ShotSettings
from headtrack.shots.candidates import SLOW_LAG_FRAMES, THUMBNAIL_SHAPE, ChangeState, change_scores
from headtrack.shots.judge import MARGIN_FRAMES, TILE_FRAMES, judge_window
from headtrack.shots.same_view import is_same_view
from headtrack.types import Shots

# Transitions longer than this are not followed to their ends; a run of high scores is cut there.
MAX_TRANSITION_FRAMES = TILE_FRAMES
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
    while len(state.kept) - len(state.p_cut) >= TILE_FRAMES + MARGIN_FRAMES:
        state = _judge_tile(state, TILE_FRAMES, scorer, settings)
        state = _forget(_decide(state, settings, at_end=False))
    return state


def finish(state: ShotState, scorer: ShotScorer, settings: ShotSettings) -> Shots:
    """Judge what is left and give the shots; together they cover every frame taken in."""
    while len(state.p_cut) < len(state.kept):
        left = len(state.kept) - len(state.p_cut)
        state = _judge_tile(state, min(TILE_FRAMES, left), scorer, settings)
    state = _decide(state, settings, at_end=True)
    count = state.first + len(state.kept)
    if not count:
        return Shots(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))
    start = np.concatenate([np.zeros(1, np.int32), state.starts])
    stop = np.append(state.starts, np.int32(count))
    return Shots(start, stop, np.concatenate([np.ones(1, np.float32), state.start_p]))


def _judge_tile(state: ShotState, frames: int, scorer: ShotScorer, settings: ShotSettings) -> ShotState:
    begin = len(state.p_cut)
    # A slow change is proposed SLOW_LAG_FRAMES after it began, and a cut one frame after its last.
    proposed = state.change_score[begin : begin + frames + SLOW_LAG_FRAMES]
    if not (proposed >= settings.min_candidate).any():
        return replace(state, p_cut=np.concatenate([state.p_cut, np.zeros(frames, np.float32)]))
    index = np.arange(begin - MARGIN_FRAMES, begin + TILE_FRAMES + MARGIN_FRAMES)
    window = state.kept[np.clip(index, 0, len(state.kept) - 1)]
    p = judge_window(window, scorer, min_p_cut=settings.min_p_cut)[MARGIN_FRAMES : MARGIN_FRAMES + frames]
    return replace(state, p_cut=np.concatenate([state.p_cut, p]), judged_frames=state.judged_frames + frames)


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
        opening = _opening(state, int(a), int(b))
        if opening is None:
            continue
        number = state.first + opening
        previous = starts[-1] if starts else 0
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


def _opening(state: ShotState, a: int, b: int) -> int | None:
    """Give the kept frame that opens the new shot of the run [a, b), or None if the view stays."""
    if b >= len(state.kept):
        return None  # nothing comes after
    if is_same_view(state.kept[a], state.kept[b]):
        return None
    # A hard cut's run is one or two frames, the last of the old shot; a slow one is halved.
    peak = a + int(np.argmax(state.p_cut[a:b])) if b - a <= 3 else (a + b - 1) // 2
    return peak + 1


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
