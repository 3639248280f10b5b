"""Spans: the parts of a long video that several workers share out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array
from headtrack.types.heads import Heads
from headtrack.types.tracks import HeadEmbeddings


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


@dataclass(frozen=True, slots=True)
class SpanDone:
    """A span of a video has been watched; the video itself is not done yet.

    Attributes:
        video_id: of the video.
        path: of the video.
        seconds: of footage.
    """

    video_id: str
    path: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SpanObservation:
    """What the frames of one span gave, without their pixels: enough to go on as if they had been seen.

    Attributes:
        span: of the video.
        width: of a frame, in pixels.
        height: of a frame, in pixels.
        seams: (2,) uint64 hashes of the span's first frame and of the first frame after it, 0 where none is.
        time_s: (F,) float64 of the frames.
        thumbnails: (F, 27, 48, 3) uint8.
        looked_at: (L,) int32 frames in which heads were looked for.
        heads: (N,) detections.
        quality: (N,) float64 in 0..1 of the crop around each head.
        colour: (N, B) float32 histogram of each head and its clothes.
        descriptor: (N, D) float32 unit vector of what each head looks like.
        embeddings: of the crops that the span took for the best; `head_row` is a row of `heads`.
        window_key: (W,) uint64 hash of each window of frames that was asked for shot transitions.
        window_frames: (W,) int32 its length.
        window_p: (sum of window_frames,) float32 the answers, one after the other.
    """

    span: Span
    width: int
    height: int
    seams: npt.NDArray[np.uint64]
    time_s: npt.NDArray[np.float64]
    thumbnails: npt.NDArray[np.uint8]
    looked_at: npt.NDArray[np.int32]
    heads: Heads
    quality: npt.NDArray[np.float64]
    colour: npt.NDArray[np.float32]
    descriptor: npt.NDArray[np.float32]
    embeddings: HeadEmbeddings
    window_key: npt.NDArray[np.uint64]
    window_frames: npt.NDArray[np.int32]
    window_p: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        frames, heads, windows = len(self.time_s), len(self.heads), len(self.window_key)
        for name, dtype, shape in (
            ("seams", np.uint64, (2,)),
            ("time_s", np.float64, (frames,)),
            ("thumbnails", np.uint8, (frames, None, None, 3)),
            ("looked_at", np.int32, (None,)),
            ("quality", np.float64, (heads,)),
            ("colour", np.float32, (heads, None)),
            ("descriptor", np.float32, (heads, None)),
            ("window_key", np.uint64, (windows,)),
            ("window_frames", np.int32, (windows,)),
            ("window_p", np.float32, (int(self.window_frames.sum()),)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))
