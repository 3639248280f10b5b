"""Heads of consecutive looked-at frames become tracklets; the state is passed and returned.

Appearance is weighed together with geometry before anything is rejected: a head that jumped but
looks the same can still match, one that took another's place and looks different does not. A head
that the frame's edge cuts is taken as large as the tracklet knows it, see `whole_boxes`. Of two heads
one of which hides the other, the one that was less surely seen before is taken to be the hidden one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.special import logit

from headtrack.ops.vectors import unit
from headtrack.settings import TrackSettings
from headtrack.tracking.cut_heads import whole_boxes
from headtrack.types import Heads

# Spread of a head's place around its prediction, in head sizes: at once, and more per second
# unseen. Walking moves a head by two to four of its sizes a second; the prediction knows most of it.
PLACE_SPREAD = 0.35
PLACE_SPREAD_PER_S = 1.5
SIZE_SPREAD = 0.25  # of the logarithm of the size
SIZE_SPREAD_PER_S = 0.4
# Cost of one minus the cosine of two descriptors, and the most that looks alone may cost: a head that
# turns fast or a light that flashes must not break a tracklet. `benchmarks/fit_looks.py`: the same head
# at the next look (0.02 in the median, 0.10 at 90 %) against heads of one frame (0.14 at 1 %).
LOOK_COST = 42.0
MAX_LOOK_COST = 6.0
# Total cost, in half squared standard deviations, above which a match is no better than a new
# tracklet: the 99.9 % quantile of chi-squared with four degrees of freedom, halved.
MAX_COST = 9.2
VELOCITY_GAIN = 0.5  # share of a new velocity measurement in the estimate
LOOK_GAIN = 0.3  # the same for the descriptor
# Detection probability: the next look finds a head again as likely as its score says, within these limits. A
# second look found 0.71, 0.90 and 0.97 of the right boxes that scored 0.6 to 0.8, to 0.95 and above
# (`benchmarks/second_look.py`); below a half a match would be worth less than none.
MIN_FOUND_AGAIN = 0.5
MAX_FOUND_AGAIN = 0.97


@dataclass(frozen=True, slots=True)
class LiveTracklets:
    """Tracklets that may still gain heads.

    Attributes:
        tracklet: (A,) int32.
        centre: (A, 2) float64 px at `seen_s`.
        log_sides: (A, 2) float64, logarithms of width and height in px.
        velocity: (A, 2) float64 px/s.
        seen_s: (A,) float64, time of the last head.
        hits: (A,) int32 heads so far.
        descriptor: (A, B) float32 unit vector of what the head looks like.
        score: (A,) float64 in 0..1 of the last head.
    """

    tracklet: npt.NDArray[np.int32]
    centre: npt.NDArray[np.float64]
    log_sides: npt.NDArray[np.float64]
    velocity: npt.NDArray[np.float64]
    seen_s: npt.NDArray[np.float64]
    hits: npt.NDArray[np.int32]
    descriptor: npt.NDArray[np.float32]
    score: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.tracklet)

    def __getitem__(self, index: Any) -> LiveTracklets:
        return LiveTracklets(*(getattr(self, name)[index] for name in self.__slots__))

    @staticmethod
    def none(bins: int) -> LiveTracklets:
        """Give no tracklets, for the start of a shot."""
        zero = np.zeros(0)
        return LiveTracklets(
            zero.astype(np.int32), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2)), zero,
            zero.astype(np.int32), np.zeros((0, bins), np.float32), zero,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Association:
    """What one frame changed.

    Attributes:
        live: tracklets that may go on.
        tracklet: (n,) int32, the tracklet of each head of the frame.
        next_tracklet: number that the next new tracklet gets.
    """

    live: LiveTracklets
    tracklet: npt.NDArray[np.int32]
    next_tracklet: int


def associate(
    live: LiveTracklets,
    heads: Heads,
    *,
    time_s: float,
    frame_px: tuple[int, int],
    descriptor: npt.NDArray[np.float32],
    next_tracklet: int,
    settings: TrackSettings,
) -> Association:
    """Match the heads of one frame to the live tracklets; heads left over start new ones.

    Source: likelihood ratios of associations with a detection probability of each target, as in Reid, "An
    algorithm for tracking multiple targets", IEEE Transactions on Automatic Control 24(6), 1979.

    Args:
        live: from the frame before, in the same shot.
        heads: (n,) of this frame.
        time_s: of this frame.
        frame_px: its width and height.
        descriptor: (n, B) float unit vector of what each head looks like.
        next_tracklet: number for the first new tracklet.
        settings: the `track` section.

    Returns:
        The new state and each head's tracklet.
    """
    live = live[time_s - live.seen_s <= settings.max_gap_s + 1e-6]
    xyxy = heads.xyxy.astype(np.float64)
    whole = whole_boxes(xyxy, np.exp(live.log_sides), frame_px=frame_px)
    cost = match_cost(live, xyxy=whole, descriptor=descriptor, time_s=time_s)
    fits = cost < MAX_COST
    # What a match is worth more than none: by how much it fits better than a new tracklet would, and, since
    # without it the tracklet's head was missed, by the odds that it is found rather than missed.
    found_again = logit(np.clip(live.score, MIN_FOUND_AGAIN, MAX_FOUND_AGAIN))[:, None]
    rows, columns = linear_sum_assignment(np.where(fits, cost - MAX_COST - found_again, 0))
    good = fits[rows, columns]
    rows, columns = rows[good], columns[good]

    tracklet = np.full(len(heads), -1, np.int32)
    tracklet[columns] = live.tracklet[rows]
    new = np.flatnonzero(tracklet < 0)
    tracklet[new] = next_tracklet + np.arange(len(new))
    score = heads.score.astype(np.float64)
    updated = _update(live, rows, whole[rows, columns], descriptor[columns], score[columns], time_s)
    born = LiveTracklets(
        tracklet[new], *_centre_and_sides(xyxy[new]), np.zeros((len(new), 2)), np.full(len(new), time_s),
        np.ones(len(new), np.int32), descriptor[new], score[new],
    )  # fmt: skip
    joined = LiveTracklets(
        *(np.concatenate([getattr(updated, f), getattr(born, f)]) for f in LiveTracklets.__slots__)
    )
    return Association(joined, tracklet, next_tracklet + len(new))


def match_cost(
    live: LiveTracklets,
    *,
    xyxy: npt.NDArray[np.float64],
    descriptor: npt.NDArray[np.float32],
    time_s: float,
) -> npt.NDArray[np.float64]:
    """Give the negative logarithm of how likely each head continues each tracklet.

    Half the squared deviations of place, size and look, and how vague the prediction is.

    Args:
        live: (A,) tracklets.
        xyxy: (A, n, 4) px boxes of the heads, made whole for each tracklet.
        descriptor: (n, B) unit vectors.
        time_s: of the heads.

    Returns:
        (A, n) float64, 0 for a perfect match.
    """
    gap_s = (time_s - live.seen_s)[:, None]
    # A velocity from one or two heads is noise; trust it as the tracklet grows.
    trust = np.minimum(live.hits - 1, 3)[:, None] / 3
    predicted = live.centre + live.velocity * gap_s * trust
    centre, log_sides = _centre_and_sides(xyxy)  # (A, n, 2)
    log_size, known_log_size = log_sides.mean(axis=2), live.log_sides.mean(axis=1)[:, None]
    offset = np.linalg.norm(predicted[:, None] - centre, axis=2) / np.exp((known_log_size + log_size) / 2)
    place_spread = PLACE_SPREAD + PLACE_SPREAD_PER_S * gap_s * (1.5 - trust)
    size_spread = SIZE_SPREAD + SIZE_SPREAD_PER_S * gap_s
    place = offset / place_spread
    growth = np.abs(known_log_size - log_size) / size_spread
    likeness = live.descriptor @ descriptor.T  # (A, n) cosine
    # The wider the spread, the less a match says against the chance of somebody else's coming by:
    # the logarithm of the Gaussians' normalisation, 0 for a head just seen.
    vagueness = 2 * np.log(place_spread / PLACE_SPREAD) + np.log(size_spread / SIZE_SPREAD)
    look = np.minimum(LOOK_COST * (1 - np.clip(likeness, 0, 1)), MAX_LOOK_COST)
    return (place**2 + growth**2) / 2 + look + vagueness


def _update(
    live: LiveTracklets,
    rows: npt.NDArray[np.intp],
    xyxy: npt.NDArray[np.float64],
    descriptor: npt.NDArray[np.float32],
    score: npt.NDArray[np.float64],
    time_s: float,
) -> LiveTracklets:
    centre, log_sides = _centre_and_sides(xyxy)
    gap_s = np.maximum(time_s - live.seen_s[rows], 1e-3)[:, None]
    measured = (centre - live.centre[rows]) / gap_s
    first = (live.hits[rows] == 1)[:, None]
    gain = np.where(first, 1.0, VELOCITY_GAIN)
    out = replace(live, **{name: getattr(live, name).copy() for name in LiveTracklets.__slots__})
    out.velocity[rows] = (1 - gain) * live.velocity[rows] + gain * measured
    out.centre[rows] = centre
    out.log_sides[rows] = log_sides
    out.seen_s[rows] = time_s
    out.hits[rows] += 1
    out.score[rows] = score
    out.descriptor[rows] = unit((1 - LOOK_GAIN) * live.descriptor[rows] + LOOK_GAIN * descriptor)
    return out


def _centre_and_sides(
    xyxy: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Give the middles and the logarithms of the sides of (..., 4) boxes."""
    low, high = xyxy[..., :2], xyxy[..., 2:]
    return (low + high) / 2, np.log(np.maximum(high - low, 1.0))
