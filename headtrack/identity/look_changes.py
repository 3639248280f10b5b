"""Where the look of one track changes: a helmet put on, glasses taken off, hair let down."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.look_evidence import same_look_log_odds
from headtrack.types.views import FRONT, PROFILE, REAR, THREEQUARTER

# A look must be seen this often and for this long on both sides: a hand in the face is none.
MIN_CROPS = 3
MIN_STRETCH_S = 1.0
# What is compared with what: a head turned away looks unlike its front, in one and the same look.
SIDE_OF_VIEW = {FRONT: 0, THREEQUARTER: 0, PROFILE: 1, REAR: 2}


def look_changes(
    time_s: npt.NDArray[np.floating],
    view: npt.NDArray[np.integer],
    look: npt.NDArray[np.floating],
    weight: npt.NDArray[np.floating],
    *,
    max_log_odds: float,
) -> list[int]:
    """Find the crops of one track from which on it shows another look than before.

    The track is cut where its two parts, compared from the same side of the head, look least alike, if
    the log-odds of one look are `max_log_odds` at most; then each part likewise. Parts that show no side
    in common are not cut: nothing tells a change from a turn.

    Args:
        time_s: (C,) rising, of the crops.
        view: (C,) codes of `types.views`.
        look: (C, Da) unit appearance embeddings.
        weight: (C,) positive, how much each crop counts.
        max_log_odds: natural logarithm of the odds of one look from which on down it is another.

    Returns:
        Rising indices into the crops, without 0; empty where the look stays.
    """
    time_s, weight = np.asarray(time_s, np.float64), np.asarray(weight, np.float64)
    side = np.array([SIDE_OF_VIEW[int(v)] for v in view], np.int64)
    weighted = np.asarray(look, np.float64) * weight[:, None]
    cuts: list[int] = []
    parts = [(0, len(time_s))]
    while parts:
        start, stop = parts.pop()
        rows = slice(start, stop)
        cosine = _likeness(side[rows], weighted[rows])
        cosine[~_both_last(time_s[rows])] = np.inf
        if len(cosine) and same_look_log_odds(cosine.min()) <= max_log_odds:
            cut = start + int(cosine.argmin())
            cuts.append(cut)
            parts += [(start, cut), (cut, stop)]
    return sorted(cuts)


def _both_last(time_s: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Tell for each crop k whether the crops before it and those from it on each span long enough."""
    if not len(time_s):
        return np.zeros(0, np.bool_)
    before = np.concatenate([time_s[:1], time_s[:-1]])
    return (before - time_s[0] >= MIN_STRETCH_S) & (time_s[-1] - time_s >= MIN_STRETCH_S)


def _likeness(side: npt.NDArray[np.int64], weighted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give, for each crop k, the cosine of the mean looks before k and from k on; inf where unknown.

    Sides of the head are compared each with itself, and count by the crops of their smaller part.
    """
    count = len(side)
    total, seen = np.zeros(count), np.zeros(count)
    for value in np.unique(side):
        here = side == value
        sums, number = np.cumsum(np.where(here[:, None], weighted, 0), axis=0), np.cumsum(here)
        before, crops_before = sums - np.where(here[:, None], weighted, 0), number - here
        after, crops_after = sums[-1] - before, number[-1] - crops_before
        fewer = np.minimum(crops_before, crops_after)
        fewer[fewer < MIN_CROPS] = 0
        length = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        total += np.einsum("kd,kd->k", before, after) / np.where(length > 0, length, 1) * fewer
        seen += fewer
    return np.where(seen > 0, total / np.where(seen > 0, seen, 1), np.inf)
