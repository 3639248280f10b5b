"""Boxes at the frames between the looked-at ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.types import BoxTrack, Heads, Shots, Tracklets


def interpolate_boxes(
    heads: Heads,
    tracklets: Tracklets,
    *,
    shots: Shots,
    looked_at: npt.NDArray[np.int32],
    frame_time_s: npt.NDArray[np.float64],
) -> BoxTrack:
    """Give every tracklet a box at every frame from its first to its last.

    Between two detections the box moves linearly in time. Before the first and after the last one
    it stands still, as far as no looked-at frame says otherwise and the shot lasts.

    Args:
        heads: (N,) detections.
        tracklets: aligned with the heads.
        shots: of the video.
        looked_at: (L,) int32 sorted frames in which heads were looked for.
        frame_time_s: (F,) float64 time of every frame.

    Returns:
        Boxes sorted by frame, then tracklet.
    """
    order = np.lexsort((heads.frame, tracklets.tracklet_of_head))
    order = order[tracklets.tracklet_of_head[order] >= 0]
    of_head = tracklets.tracklet_of_head[order]
    starts = np.flatnonzero(np.diff(of_head, prepend=-1))
    parts = (
        [
            _one(heads[rows], int(of_head[start]), shots, looked_at, frame_time_s)
            for start, rows in zip(starts, np.split(order, starts[1:]), strict=True)
            if len(rows)
        ]
        if len(order)
        else []
    )
    joined = BoxTrack.join(parts)
    return joined[np.lexsort((joined.tracklet, joined.frame))]


def _one(
    heads: Heads,
    tracklet: int,
    shots: Shots,
    looked_at: npt.NDArray[np.int32],
    time_s: npt.NDArray[np.float64],
) -> BoxTrack:
    shot = int(shots.of_frame(heads.frame[0]))
    first, last = int(heads.frame[0]), int(heads.frame[-1])
    before = int(np.searchsorted(looked_at, first, side="left"))
    after = int(np.searchsorted(looked_at, last, side="right"))
    begin = max(int(shots.start[shot]), int(looked_at[before - 1]) + 1 if before > 0 else 0)
    end = min(int(shots.stop[shot]), int(looked_at[after]) if after < len(looked_at) else len(time_s))
    frame = np.arange(begin, end, dtype=np.int32)
    known_s = time_s[heads.frame]
    at_s = time_s[frame]
    xyxy = np.stack([np.interp(at_s, known_s, heads.xyxy[:, k]) for k in range(4)], axis=1)
    right = np.clip(np.searchsorted(heads.frame, frame, side="left"), 0, len(heads) - 1)
    left = np.clip(np.searchsorted(heads.frame, frame, side="right") - 1, 0, len(heads) - 1)
    nearer = np.where(np.abs(at_s - known_s[left]) <= np.abs(known_s[right] - at_s), left, right)
    return BoxTrack(
        frame=frame,
        xyxy=xyxy.astype(np.float32),
        score=np.minimum(heads.score[left], heads.score[right]),
        view=heads.view[nearer],
        interpolated=~np.isin(frame, heads.frame),
        tracklet=np.full(len(frame), tracklet),
    )
