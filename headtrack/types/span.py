"""Spans: the parts of a long video that several workers share out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A key frame, from which decoding may begin.

    Attributes:
        frame: number of the frame.
        pts: of the frame, in ticks.
        before_pts: of the frame shown before it; None for the first.
    """

    frame: int
    pts: int
    before_pts: int | None


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive frames of a video, given to one worker.

    Attributes:
        start: its first frame, a key frame.
        stop: one past its last frame; None reaches to the video's end, wherever that is.
        origin_pts: of the video's first frame, in ticks.
    """

    start: Entry
    stop: int | None
    origin_pts: int

    @property
    def first(self) -> int:
        """Number of its first frame."""
        return self.start.frame
