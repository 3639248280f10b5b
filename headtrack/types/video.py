"""A video as probed, and its decoded frames."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array
from headtrack.types.span import Entry


@dataclass(frozen=True, slots=True)
class Video:
    """One probed video or still image.

    Attributes:
        video_id: first 16 hex digits of the SHA-256 of the file's bytes.
        path: as the user gave it, made absolute; or its URL.
        width: pixels of a decoded frame after rotation; sample aspect is NOT applied.
        height: the same.
        frame_count: frames that the container claims; 0 where it does not say.
        time_base: seconds a pts tick.
        duration_s: as the container claims; 0.0 where it does not say.
        fps: average frame rate as the container claims; 0.0 where it does not say.
        rotation_deg: clockwise rotation that the decoder must apply: 0, 90, 180 or 270.
        sample_aspect: width to height of one pixel.
        codec: name of the codec, as FFmpeg has it.
        decoder: name of the decoder chosen, `decord` or `pyav`.
        decoder_reason: why it was chosen, one line.
        entries: key frames from which decoding may begin, the first frame among them; none where frames
            cannot be counted without decoding all of them.
    """

    video_id: str
    path: str
    width: int
    height: int
    frame_count: int
    time_base: Fraction
    duration_s: float
    fps: float
    rotation_deg: int
    sample_aspect: Fraction
    codec: str
    decoder: str
    decoder_reason: str
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameBatch:
    """Consecutive decoded frames.

    Attributes:
        rgb: (N, H, W, 3) uint8, upright (rotation applied).
        frame: (N,) int32, 0-based in decode (presentation) order.
        time_s: (N,) float64, from pts, relative to the video's first frame.
    """

    rgb: npt.NDArray[np.uint8]
    frame: npt.NDArray[np.int32]
    time_s: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = len(self.frame)
        object.__setattr__(self, "rgb", as_array("rgb", self.rgb, np.uint8, (n, None, None, 3)))
        object.__setattr__(self, "frame", as_array("frame", self.frame, np.int32, (n,)))
        object.__setattr__(self, "time_s", as_array("time_s", self.time_s, np.float64, (n,)))

    def __len__(self) -> int:
        return len(self.frame)
