"""TransNetV2's judgement of one window of frames, with a second look where frames are held."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.protocols import ShotScorer

WINDOW_FRAMES = 100  # TransNetV2 sees 100 frames and is trusted on the middle 50 (its own inference)
MARGIN_FRAMES = 25
TILE_FRAMES = WINDOW_FRAMES - 2 * MARGIN_FRAMES

# Two frames whose mean absolute difference is below this many grey levels are one picture held.
HELD_LEVELS = 0.5
# A held picture is shortened to this many frames; footage "on twos" or "on threes" (animation, pulldown)
# is not touched.
MAX_HELD_FRAMES = 4
# The boundary is put on the last frame of the old shot, give or take one.
PEAK_SLACK_FRAMES = 2


def judge_window(
    window: npt.NDArray[np.uint8], scorer: ShotScorer, *, min_p_cut: float
) -> npt.NDArray[np.float32]:
    """Give the probability of a transition after each frame of a window.

    TransNetV2 has learnt from continuous footage: where a picture stands still for many frames and
    then jumps (slides, time lapse, a feed that freezes), it takes the jump alone as a sign of a cut.
    So where it says "cut" and the window holds pictures longer than `MAX_HELD_FRAMES`, it is asked
    again with these shortened, and the mean of both answers counts.

    Args:
        window: (100, 27, 48, 3) uint8.
        scorer: TransNetV2.
        min_p_cut: probability from which a second look is worth it.

    Returns:
        (100,) float32 in 0..1.
    """
    p = scorer.score(window).astype(np.float32)
    kept = _without_long_holds(window)
    doubted = np.flatnonzero(p >= min_p_cut)
    if len(kept) == len(window) or not len(doubted):
        return p
    p_short = scorer.score(np.ascontiguousarray(window[kept]))
    near = np.abs(kept[None, :] - doubted[:, None]) <= PEAK_SLACK_FRAMES  # (doubted, kept)
    second = np.where(near, p_short[None, :], 0).max(1)
    p = p.copy()
    p[doubted] = (p[doubted] + second) / 2
    return p


def _without_long_holds(window: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Give the frames that stay when each held picture keeps its last `MAX_HELD_FRAMES`."""
    frames = window.astype(np.float32).reshape(len(window), -1)
    kept, start = [], 0
    for i in range(1, len(frames) + 1):
        if i == len(frames) or np.abs(frames[i] - frames[start]).mean() >= HELD_LEVELS:
            kept.extend(range(max(start, i - MAX_HELD_FRAMES), i))
            start = i
    return np.array(kept, np.intp)
