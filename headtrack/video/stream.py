"""What PyAV tells about a file's video stream without decoding it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.error import FFmpegError, InvalidDataError
from av.stream import Disposition
from av.video.stream import VideoStream

from headtrack.errors import VideoError

# Seconds (and a frame) by which a file may end before the duration it claims: containers round.
MAX_MISSING_S = 1.0


@dataclass(frozen=True, slots=True)
class Packets:
    """The packets of a video stream, as far as the file can be read.

    Attributes:
        pts: (P,) int64 presentation times in ticks, sorted; packets without one are left out.
        key_pts: (K,) int64 those of key frames.
        without_pts: how many these are.
        discarded: packets that an edit list hides.
        corrupt: packets that the container marks as damaged.
        broken: why reading stopped before the end; empty where it did not.
    """

    pts: npt.NDArray[np.int64]
    key_pts: npt.NDArray[np.int64]
    without_pts: int
    discarded: int
    corrupt: int
    broken: str

    def __len__(self) -> int:
        return len(self.pts) + self.without_pts - self.discarded

    def time_s(self, time_base: Fraction) -> npt.NDArray[np.float64]:
        """Give (P,) float64 seconds since the first packet shown."""
        return (self.pts - self.pts[:1]) * time_base.numerator / time_base.denominator


def open_container(path: str) -> InputContainer:
    """Open a media file.

    Raises:
        VideoError: FFmpeg does not know it or cannot read it.
    """
    try:
        return av.open(path)
    except InvalidDataError as error:
        raise VideoError(
            f"{path} is not a video that FFmpeg can read (truncated, damaged, or no media file); "
            "play it to check, copy it again or leave it out"
        ) from error
    except (FFmpegError, OSError) as error:
        raise VideoError(
            f"{path} cannot be opened: {error.strerror}; check the file and its permissions"
        ) from error


def video_stream(container: InputContainer, path: str) -> VideoStream:
    """Give the first video stream that is not a cover picture.

    Raises:
        VideoError: there is none.
    """
    for stream in container.streams.video:
        if not stream.disposition & Disposition.attached_pic:
            return stream
    kinds = sorted({stream.type for stream in container.streams}) or ["nothing"]
    raise VideoError(f"{path} has no video stream, only {', '.join(kinds)}; give a file with pictures")


def scan_packets(path: str) -> Packets:
    """Read every packet's header; nothing is decoded.

    Raises:
        VideoError: the file cannot be opened or has no video stream.
    """
    pts: list[int] = []
    key_pts: list[int] = []
    without_pts = discarded = corrupt = 0
    broken = ""
    with open_container(path) as container:
        packets = container.demux(video_stream(container, path))
        while True:
            try:
                packet = next(packets)
            except StopIteration:
                break
            except (FFmpegError, OSError) as error:
                broken = str(error.strerror)
                break
            if packet.size == 0:  # the flush at the end
                continue
            corrupt += packet.is_corrupt
            discarded += packet.is_discard
            if packet.pts is None:
                without_pts += 1
            else:
                pts.append(packet.pts)
                if packet.is_keyframe:
                    key_pts.append(packet.pts)
    shown, keys = (np.sort(np.array(ticks, np.int64)) for ticks in (pts, key_pts))
    return Packets(shown, keys, without_pts, discarded, corrupt, broken)


def claimed_duration_s(stream: VideoStream) -> float:
    """Give how long the stream says it is, from its first frame; 0.0 where it does not say."""
    time_base = stream.time_base or Fraction(1)
    start_s = float((stream.start_time or 0) * time_base)
    if stream.duration:
        return float(stream.duration * time_base)
    return max(_tagged_end_s(stream) - start_s, 0.0)


def ends_early(stream: VideoStream, *, last_s: float, fps: float) -> bool:
    """Tell whether the last frame, `last_s` after the first, is well before the end that is claimed."""
    return claimed_duration_s(stream) - last_s > MAX_MISSING_S + 1 / max(fps, 0.01)


def _tagged_end_s(stream: VideoStream) -> float:
    """Read Matroska's statistics tag DURATION, the end of the last frame as `HH:MM:SS.fraction`."""
    try:
        hours, minutes, seconds = stream.metadata.get("DURATION", "").split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    except ValueError:
        return 0.0
