"""Where a long video can be cut into spans that are decoded apart."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from headtrack.types import Entry, Span, Video
from headtrack.video.stream import Packets

# Close enough to cut anywhere, far enough apart that those of a day's footage stay few.
ENTRY_S = 5.0


def find_entries(packets: Packets, time_base: Fraction) -> tuple[Entry, ...]:
    """List key frames about `ENTRY_S` apart, the first frame among them.

    Nothing is listed where a frame's number cannot be told from its time: packets without one, hidden by
    an edit list or damaged, two at one time, or a file that breaks off or does not begin with a key frame.

    Args:
        packets: of the video stream.
        time_base: seconds a tick.
    """
    pts, keys = packets.pts, packets.key_pts
    uncertain = packets.without_pts or packets.discarded or packets.corrupt or packets.broken
    if uncertain or not len(keys) or keys[0] != pts[0] or (np.diff(pts) <= 0).any():
        return ()
    number = np.searchsorted(pts, keys)
    entries = [Entry(0, int(pts[0]), None)]
    for frame, tick in zip(number.tolist(), keys.tolist(), strict=True):
        if (tick - entries[-1].pts) * time_base >= ENTRY_S:
            entries.append(Entry(frame, tick, int(pts[frame - 1])))
    return tuple(entries)


def split(video: Video, span_s: float) -> tuple[Span, ...]:
    """Cut a video into spans of about the same length; they follow one another without a gap.

    Args:
        video: as probed.
        span_s: seconds that a span has at least, but for the last; 0 leaves the video whole.

    Returns:
        No spans where the video is too short to be cut, or cannot be cut with certainty.
    """
    if span_s <= 0 or len(video.entries) < 2:
        return ()
    least = span_s / video.time_base
    starts = [video.entries[0]]
    for entry in video.entries[1:]:
        if entry.pts - starts[-1].pts >= least:
            starts.append(entry)
    last_pts = video.entries[0].pts + round(video.duration_s / video.time_base)
    if len(starts) > 1 and last_pts - starts[-1].pts < least / 2:
        starts.pop()  # the rest goes with the span before
    if len(starts) < 2:
        return ()
    origin_pts = video.entries[0].pts
    spans = [Span(a, b.frame, origin_pts) for a, b in pairwise(starts)]
    return (*spans, Span(starts[-1], None, origin_pts))
