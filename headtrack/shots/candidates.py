"""A cheap measure of how much the picture changes, which decides where TransNetV2 is asked at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

THUMBNAIL_SHAPE = (27, 48, 3)  # the input of TransNetV2 (arXiv 2008.04838, section 3)

# A slow transition is looked for between a frame and the one this many frames before:
# dissolves and fades in film last about half a second to a second, so this is inside them.
SLOW_LAG_FRAMES = 12
# Mean absolute difference, in grey levels of 255, that counts as a change of the whole picture
# (score 1). A quarter of the range: two unrelated pictures of middle exposure differ by about this.
FULL_CHANGE_LEVELS = 64.0
# Noise with this standard deviation, in grey levels, does not count as structure.
NOISE_LEVELS = 2.0
# A slow blend is linear in time: its middle frame is the mean of its ends. For a hard cut or for
# motion the residual is half of the difference of the ends; up to this share it may be a blend.
MAX_BLEND_RESIDUAL = 0.4


@dataclass(frozen=True, slots=True)
class ChangeState:
    """The last frames before the next batch, for the differences that reach back.

    Attributes:
        recent: (at most SLOW_LAG_FRAMES, 27, 48, 3) uint8.
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
    """Score how much each frame differs from those before it.

    The score is the larger of two: the change since the frame before (a cut), and the change since
    `SLOW_LAG_FRAMES` before, as far as the frames between blend linearly (a dissolve or a fade;
    motion does not blend). A change is the mean absolute difference or the loss of correlation,
    whichever is larger: the first sees fades of a flat picture, the second cuts between dark scenes.

    Args:
        state: of the batch before, `ChangeState.start()` at first.
        thumbnails: (N, 27, 48, 3) uint8, consecutive.

    Returns:
        Score per frame (0 for the first of all) and the next state; independent of how the frames
        are cut into batches.

    >>> black, white = np.zeros((1, 27, 48, 3), np.uint8), np.full((1, 27, 48, 3), 255, np.uint8)
    >>> change_scores(ChangeState.start(), np.concatenate([black, black, white])).score.tolist()
    [0.0, 0.0, 1.0]
    """
    n, held = len(thumbnails), len(state.recent)
    frames = np.concatenate([state.recent, thumbnails]).astype(np.float32)
    score = np.zeros(held + n, np.float32)
    if len(frames) > 1:
        score[1:] = _change(frames[:-1], frames[1:])
    if len(frames) > SLOW_LAG_FRAMES:
        before, after = frames[:-SLOW_LAG_FRAMES], frames[SLOW_LAG_FRAMES:]
        half = SLOW_LAG_FRAMES // 2
        slow = _change(before, after) * _blend(before, frames[half : half + len(before)], after)
        score[SLOW_LAG_FRAMES:] = np.maximum(score[SLOW_LAG_FRAMES:], slow)
    recent = np.concatenate([state.recent, thumbnails])[-SLOW_LAG_FRAMES:]
    return ChangeStep(ChangeState(recent), score[held:])


def _change(before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Give the change (N,) in 0..1 between aligned stacks of frames."""
    difference = np.abs(after - before).mean((1, 2, 3)) / FULL_CHANGE_LEVELS
    return np.clip(np.maximum(difference, (1 - _correlation(before, after)) / 2), 0, 1)


def _correlation(before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    a = before.mean(-1).reshape(len(before), -1)
    b = after.mean(-1).reshape(len(after), -1)
    a = a - a.mean(1, keepdims=True)
    b = b - b.mean(1, keepdims=True)
    noise = NOISE_LEVELS**2 * a.shape[1]
    return ((a * b).sum(1) + noise) / (np.sqrt((a * a).sum(1) * (b * b).sum(1)) + noise)


def _blend(
    before: npt.NDArray[np.float32], middle: npt.NDArray[np.float32], after: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Give (N,) in 0..1: 1 where `middle` is the mean of its ends, 0 where it is as for a cut."""
    whole = np.abs(after - before).mean((1, 2, 3))
    residual = np.abs(middle - (before + after) / 2).mean((1, 2, 3))
    return np.clip(1 - residual / (MAX_BLEND_RESIDUAL * np.maximum(whole, 1e-6)), 0, 1)
