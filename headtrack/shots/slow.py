"""Slow transitions, wipes foremost, by how directly one picture becomes another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# A change is measured from this many frames before to as many after, so that it holds most of a slow
# wipe and little motion, in steps.
REACH_FRAMES = 10
STEP_FRAMES = 2
# The share of the way from picture to picture that leads there directly, from which it is a transition:
# in the tuning takes of `benchmarks/transitions.py` 7 of 8 wipes reach 0.57, whip pans 0.54, other
# footage 0.39.
MIN_DIRECTNESS = 0.55
# The same where the network says that there is one: dissolves that it sees reach 0.53, whip pans and
# shaking that it is wrong about 0.27 to 0.36, one 0.54.
MIN_DIRECTNESS_IF_SEEN = 0.45
# A fade passes through a picture with less than this share of the contrast (0.11 in the tuning takes;
# whip pans, blurred as they are, keep 0.74).
FLAT_SHARE = 0.3
# A step that makes more than this share of the change is a jump, on which the network is asked.
MAX_STEP_SHARE = 0.6
# One transition has one middle: the most direct frame of as many before and after it.
PEAK_FRAMES = 15
# Both pictures have this contrast, the standard deviation in grey levels (a fade is no wipe), and
# differ by this multiple of it.
MIN_CONTRAST_LEVELS = 8.0
MIN_CHANGE = 0.5


def wipe_scores(window: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Give how surely each frame is the middle of a slow change from one picture to another.

    TransNetV2 has not learnt wipes. In a wipe or dissolve each pixel goes once from the old picture
    to the new one: the way, summed over steps, is little longer than the distance. A whip pan passes
    through other pictures, and motion inside a shot goes to and fro.

    Args:
        window: (N, h, w, 3) uint8 thumbnails, consecutive.

    Returns:
        (N,) float32 in 0..1, 0.5 for the least direct change that counts; 0 within 10 frames of the
        window's ends.
    """
    frames = window.astype(np.float32)
    score = np.zeros(len(frames), np.float32)
    middles = len(frames) - 2 * REACH_FRAMES
    if middles < 1:
        return score
    contrast = frames.mean(-1).std((1, 2))
    before, after = slice(0, middles), slice(2 * REACH_FRAMES, None)
    distance, steps = _distance(frames), _steps(frames)
    least, mean = np.minimum(contrast[before], contrast[after]), (contrast[before] + contrast[after]) / 2
    slow = steps.max(0) <= MAX_STEP_SHARE * distance
    unlike = (least >= MIN_CONTRAST_LEVELS) & (distance >= MIN_CHANGE * (mean + MIN_CONTRAST_LEVELS))
    directness = distance / (steps.sum(0) + 1)
    score[REACH_FRAMES:-REACH_FRAMES] = np.where(slow & unlike, directness / MIN_DIRECTNESS / 2, 0)
    padded = np.pad(score, PEAK_FRAMES)
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * PEAK_FRAMES + 1).max(1)
    middle = np.zeros(len(frames), np.float32)
    usual = np.median(np.abs(frames[STEP_FRAMES:] - frames[:-STEP_FRAMES]).mean((1, 2, 3)))
    for peak in np.flatnonzero((score == highest) & (score >= 0.5)):
        way = np.cumsum(np.maximum(steps[:, peak - REACH_FRAMES] - usual, 0))
        half = int(np.searchsorted(way, way[-1] / 2))
        middle[peak - REACH_FRAMES + STEP_FRAMES * half] = min(score[peak], 1)
    return middle


def is_transition(frames: npt.NDArray[np.uint8]) -> bool:
    """Tell a dissolve, wipe or fade from a moving camera.

    Args:
        frames: (N, h, w, 3) uint8 thumbnails from before to after a slow change.

    Returns:
        Whether there is a flat picture in between, as in a fade, or the picture changes directly; True
        where fewer than 21 frames leave it open.
    """
    values = frames.astype(np.float32)
    if len(frames) <= 2 * REACH_FRAMES:
        return True
    contrast = values.mean(-1).std((1, 2))
    if contrast.min() <= FLAT_SHARE * min(contrast[0], contrast[-1]):
        return True
    return bool((_distance(values) / (_steps(values).sum(0) + 1)).max() >= MIN_DIRECTNESS_IF_SEEN)


def _distance(frames: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Give how far frames `2 * REACH_FRAMES` apart differ, for each frame in the middle."""
    return np.abs(frames[2 * REACH_FRAMES :] - frames[: -2 * REACH_FRAMES]).mean((1, 2, 3))


def _steps(frames: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Give the steps (S, M) of the way between these."""
    step = np.abs(frames[STEP_FRAMES:] - frames[:-STEP_FRAMES]).mean((1, 2, 3))
    middles = len(frames) - 2 * REACH_FRAMES
    return np.stack([step[k : k + middles] for k in range(0, 2 * REACH_FRAMES, STEP_FRAMES)])
