"""Final numbers of tracklets: dropped ones leave no hole, order does not depend on the work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.settings import TrackSettings
from headtrack.types import Heads, Shots, Tracklets

# A tracklet of fewer detections than asked for is kept where its best head is this sure: between
# two looks a fifth of a second apart a real head may be seen once, a false one seldom so surely.
SURE_SCORE = 0.6


@dataclass(frozen=True, slots=True)
class NumberedTracklets:
    """Tracklets under their final numbers.

    Attributes:
        tracklets: aligned with the heads.
        final: (R,) int32 final number of each raw number, -1 where dropped.
    """

    tracklets: Tracklets
    final: npt.NDArray[np.int32]


def number_tracklets(
    heads: Heads,
    raw: npt.NDArray[np.int32],
    *,
    shots: Shots,
    looked_at: npt.NDArray[np.int32],
    settings: TrackSettings,
) -> NumberedTracklets:
    """Drop doubtful tracklets and number the others by first frame, then left edge.

    Args:
        heads: (N,) detections.
        raw: (N,) int32 tracklet of each head in any numbering, each inside one shot.
        shots: of the video.
        looked_at: (L,) int32 sorted frames in which heads were looked for.
        settings: the `track` section.

    Returns:
        The tracklets, and what became of each raw number.
    """
    count = int(raw.max()) + 1 if len(raw) else 0
    hits = np.bincount(raw, minlength=count)
    best = np.zeros(count, np.float32)
    np.maximum.at(best, raw, heads.score)
    first_row = np.full(count, len(heads), np.int64)
    np.minimum.at(first_row, raw, np.arange(len(heads)))
    present = np.flatnonzero(hits)
    shot = shots.of_frame(heads.frame[first_row[present]]) if len(present) else np.zeros(0, np.int32)
    looks = np.bincount(shots.of_frame(looked_at), minlength=len(shots))[shot] if len(present) else shot
    keep = (hits[present] >= np.minimum(settings.min_detections, looks)) | (best[present] >= SURE_SCORE)
    present, shot = present[keep], shot[keep]
    order = np.lexsort((heads.xyxy[first_row[present], 0], heads.frame[first_row[present]]))
    final = np.full(count, -1, np.int32)
    final[present[order]] = np.arange(len(present))
    return NumberedTracklets(Tracklets(final[raw] if len(raw) else raw, shot[order]), final)
