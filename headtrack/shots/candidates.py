"""A cheap measure of how much the picture changes, which decides where TransNetV2 is asked at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

THUMBNAIL_SHAPE = (27, 48, 3)  # the input of TransNetV2 (arXiv 2008.04838, section 3)

# A change is looked for between a frame and the one this many before. Of transitions of 5 to 30 frames
# (`benchmarks/transitions.py`, tuning takes), 8 frames tell the weakest best from motion: fewer hold
# too little of a slow dissolve, more hold too much motion. The weakest, a wipe, scores 0.36 there, and
# `shots.min_candidate` is four fifths of that.
LAG_FRAMES = 8
# A block of the picture that moved by at most this many thumbnail pixels did not change.
REACH_PX = 2
BLOCK_ROWS, BLOCK_COLUMNS = 3, 6  # of 9 x 8 pixels: enough to tell motion from another texture
# Added to the contrast by which a change is divided, in grey levels: noise in the dark is no change.
NOISE_LEVELS = 8.0
# How much of the way there a change from picture to picture makes directly: the middle frame of a cut, a
# dissolve, a wipe or a fade lies between its ends (1); three pictures of one motion are unrelated
# (0.5). Noise and motion inside both shots bring the first below 1.
UNRELATED_DIRECTNESS, DIRECTNESS = 0.5, 0.75


@dataclass(frozen=True, slots=True)
class ChangeState:
    """The last frames before the next batch, for the differences that reach back.

    Attributes:
        recent: (at most LAG_FRAMES, 27, 48, 3) uint8.
    """

    recent: npt.NDArray[np.uint8]

    @staticmethod
    def start() -> ChangeState:
        """Give the state before the first frame."""
        return ChangeState(np.zeros((0, *THUMBNAIL_SHAPE), np.uint8))


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """What one batch gave.

    Attributes:
        state: to be passed with the next batch.
        score: (N,) float32 in 0..1, see `change_scores`.
    """

    state: ChangeState
    score: npt.NDArray[np.float32]


def change_scores(state: ChangeState, thumbnails: npt.NDArray[np.uint8]) -> ChangeStep:
    """Score how much each frame is another picture than the one `LAG_FRAMES` before.

    Each block is compared where it fits best, so that small motion counts for little; the mean
    difference is divided by the contrast of both frames, so that dark scenes count like bright ones,
    and weighed down where the frame between does not lie between, so that large motion counts for
    little as well.

    Args:
        state: of the batch before, `ChangeState.start()` at first.
        thumbnails: (N, 27, 48, 3) uint8, consecutive.

    Returns:
        Score per frame (the first frames are compared with the very first) and the next state;
        independent of how the frames are cut into batches.

    >>> black, white = np.zeros((2, 27, 48, 3), np.uint8), np.full((1, 27, 48, 3), 255, np.uint8)
    >>> change_scores(ChangeState.start(), np.concatenate([black, white])).score.tolist()
    [0.0, 0.0, 1.0]
    """
    n = len(thumbnails)
    if not n:
        return ChangeStep(state, np.zeros(0, np.float32))
    recent = state.recent if len(state.recent) else thumbnails[:1].repeat(LAG_FRAMES, 0)
    both = np.concatenate([recent, thumbnails])
    frames = both.astype(np.float32)
    middle = LAG_FRAMES // 2
    before, between, after = frames[:n], frames[middle : middle + n], frames[LAG_FRAMES:]
    contrast = frames.mean(-1).std((1, 2))  # of each frame
    contrast = (contrast[:n] + contrast[LAG_FRAMES:]) / 2  # of both ends
    change = _difference_of_blocks(before, after) / (contrast + NOISE_LEVELS)
    way = _difference(before, between) + _difference(between, after)
    direct = _difference(before, after) / (way + 1)
    weight = np.clip((direct - UNRELATED_DIRECTNESS) / (DIRECTNESS - UNRELATED_DIRECTNESS), 0, 1)
    score = np.clip(change * weight, 0, 1).astype(np.float32)
    return ChangeStep(ChangeState(both[-LAG_FRAMES:]), score)


def _difference_of_blocks(
    before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Give (N,) the mean absolute difference, each block of `after` laid where it fits best."""
    n, height, width = after.shape[:3]
    padded = np.pad(before, ((0, 0), (REACH_PX, REACH_PX), (REACH_PX, REACH_PX), (0, 0)), mode="edge")
    blocks = (n, BLOCK_ROWS, height // BLOCK_ROWS, BLOCK_COLUMNS, width // BLOCK_COLUMNS * 3)
    best = np.full((n, BLOCK_ROWS, BLOCK_COLUMNS), np.inf, np.float32)
    for dy in range(2 * REACH_PX + 1):
        for dx in range(2 * REACH_PX + 1):
            moved = padded[:, dy : dy + height, dx : dx + width]
            np.minimum(best, np.abs(moved - after).reshape(blocks).mean((2, 4)), out=best)
    return best.mean((1, 2))


def _difference(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.abs(a - b).mean((1, 2, 3))
