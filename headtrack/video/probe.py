"""What a file is, before any work: its identity, its pictures, and which decoder reads it right."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError, InvalidDataError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.types import Video
from headtrack.video.decord_decoder import frame_times, next_frame, open_reader
from headtrack.video.inputs import IMAGE_SUFFIXES
from headtrack.video.pyav_decoder import upright
from headtrack.video.spans import find_entries
from headtrack.video.still import read_still
from headtrack.video.stream import (
    Packets,
    claimed_duration_s,
    ends_early,
    open_container,
    scan_packets,
    video_stream,
)

STILL_DECODER = "still"
# decord2 3.4 stops on VP9 with "Error sending packet" (EAGAIN) when FFmpeg decodes in threads.
DECORD_CODECS = frozenset(("h264", "hevc", "mpeg4"))
DECORD_PIXELS = frozenset(("yuv420p", "yuvj420p"))
# decord decodes ahead of a slower reader without any bound: in the end the whole video lies in memory.
# Source: github.com/dmlc/decord, issues 157 and 208; `benchmarks/memory.py` shows it.
MAX_DECORD_MIB = 512
MAX_TIME_ERROR_S = 0.001  # decord keeps times as float32
MAX_PIXEL_ERROR = 1.0  # mean grey levels between the decoders' first frames; equal where both are right


def probe(path: Path, settings: DecodeSettings) -> Video:
    """Look at a video or image: hash it, count it, decode its first frame, choose its decoder.

    Args:
        path: a file.
        settings: `backend` forces a decoder; `auto` takes decord where it agrees with PyAV.

    Raises:
        VideoError: no such file, a folder, empty, unreadable, no media file, no video stream, or
            not one frame can be decoded.
    """
    path = Path(os.path.abspath(path))
    return look_into(path, content_hash(path), settings)


def look_into(path: Path, video_id: str, settings: DecodeSettings) -> Video:
    """Do the part of `probe` that native code does.

    Args:
        path: absolute.
        video_id: as `content_hash` gives it.
        settings: as for `probe`.

    Raises:
        VideoError: as `probe`.
    """
    if path.suffix.lower() in IMAGE_SUFFIXES:
        return _probe_still(path, video_id)
    packets = scan_packets(str(path))
    with open_container(str(path)) as container:
        stream = video_stream(container, str(path))
        first = _first_frame(container, stream, path)
        video = _describe(path, video_id, container, stream=stream, first=first, packets=packets)
        choice = _choose(video, stream, first, packets=packets, backend=settings.backend)
    # Only PyAV starts in the middle; what decord takes is short.
    entries = find_entries(packets, video.time_base) if choice.decoder == "pyav" else ()
    return replace(video, decoder=choice.decoder, decoder_reason=choice.reason, entries=entries)


@dataclass(frozen=True, slots=True)
class _Choice:
    decoder: str
    reason: str


def content_hash(path: Path) -> str:
    """Give the id of a file's content: the first 16 hex digits of its SHA-256.

    Raises:
        VideoError: no such file, a folder, no plain file, empty, or not readable.
    """
    if path.is_dir():
        raise VideoError(f"{path} is a folder; give the files in it")
    if path.exists() and not path.is_file():  # reading a pipe or a device may never end
        raise VideoError(f"{path} is a pipe, a device or a socket; save it as a file first")
    try:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise VideoError(f"{path} is empty (0 bytes); copy it again or leave it out")
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except FileNotFoundError as error:
        raise VideoError(f"{path} does not exist; check the path") from error
    except OSError as error:
        raise VideoError(f"{path} cannot be read ({error.strerror}); check its permissions") from error


def _probe_still(path: Path, video_id: str) -> Video:
    height, width = read_still(path).shape[:2]
    return Video(
        video_id=video_id,
        path=str(path),
        width=width,
        height=height,
        frame_count=1,
        time_base=Fraction(1),
        duration_s=0.0,
        fps=0.0,
        rotation_deg=0,
        sample_aspect=Fraction(1),
        codec=path.suffix.lower()[1:],
        decoder=STILL_DECODER,
        decoder_reason="a still image",
    )


def _first_frame(container: InputContainer, stream: VideoStream, path: Path) -> VideoFrame:
    failure: Exception | None = None
    packets = container.demux(stream)
    while True:
        try:
            for frame in next(packets).decode():
                return frame
        except StopIteration:
            break
        except InvalidDataError as error:  # a damaged packet; the next may be whole
            failure = error
        except (FFmpegError, OSError) as error:
            failure = error
            break
    codec = stream.codec_context.name
    raise VideoError(
        f"{path} has a video stream ({codec}) of which not one frame can be decoded"
    ) from failure


def _describe(
    path: Path,
    video_id: str,
    container: InputContainer,
    *,
    stream: VideoStream,
    first: VideoFrame,
    packets: Packets,
) -> Video:
    # PyAV gives the display matrix's angle counter-clockwise; the decoder turns clockwise.
    rotation_deg = round(-first.rotation / 90) * 90 % 360
    aspect = stream.sample_aspect_ratio or stream.codec_context.sample_aspect_ratio or Fraction(1)
    turned = rotation_deg in (90, 270)
    rate = stream.average_rate or stream.guessed_rate or Fraction(0)
    whole_s = container.duration / av.time_base if container.duration else 0.0
    return Video(
        video_id=video_id,
        path=str(path),
        width=first.height if turned else first.width,
        height=first.width if turned else first.height,
        frame_count=stream.frames or len(packets),
        time_base=stream.time_base or Fraction(1, 1000),
        duration_s=claimed_duration_s(stream) or whole_s,
        fps=float(rate),
        rotation_deg=rotation_deg,
        sample_aspect=1 / aspect if turned else aspect,
        codec=stream.codec_context.codec.canonical_name,
        decoder="pyav",
        decoder_reason="",
    )


def _choose(
    video: Video, stream: VideoStream, first: VideoFrame, *, packets: Packets, backend: str
) -> _Choice:
    if backend != "auto":
        return _Choice(backend, "decode.backend says so")
    doubt = _doubt(video, stream, first, packets) or _disagreement(video, first, packets)
    if doubt:
        return _Choice("pyav", doubt)
    return _Choice("decord", f"agrees with PyAV on {len(packets)} times and the first picture")


def _doubt(video: Video, stream: VideoStream, first: VideoFrame, packets: Packets) -> str:
    """Say what makes the file odd, without opening decord; empty where nothing does."""
    steps = np.diff(packets.pts)
    last_s = float(packets.time_s(video.time_base)[-1]) if len(packets.pts) else 0.0
    whole_mib = len(packets) * video.width * video.height * 3 >> 20
    uneven = len(steps) > 0 and steps.max() - steps.min() > 1  # one tick: containers round
    odd: dict[str, bool] = {
        f"codec {video.codec}": video.codec not in DECORD_CODECS,
        f"pixel format {first.format.name}": first.format.name not in DECORD_PIXELS,
        "interlaced": first.interlaced_frame,
        f"rotated by {video.rotation_deg} degrees": video.rotation_deg != 0,
        "odd width or height": bool(video.width % 2 or video.height % 2),
        "an edit list hides frames": packets.discarded > 0,
        "an edit list or a delayed start": len(packets.pts) > 0 and packets.pts[0] != 0,
        "frames without a time": packets.without_pts > 0 or len(packets.pts) == 0,
        "two frames at one time": len(steps) > 0 and steps.min() <= 0,
        "variable frame rate": bool(uneven),
        "damaged packets": packets.corrupt > 0,
        f"reading breaks off: {packets.broken}": packets.broken != "",
        f"{len(packets)} of {stream.frames} frames": stream.frames not in (0, len(packets)),
        f"{whole_mib} MiB of pixels, of which decord would decode ahead": whole_mib > MAX_DECORD_MIB,
        "it ends early": ends_early(stream, last_s=last_s, fps=video.fps),
    }
    return next((reason for reason, holds in odd.items() if holds), "")


def _disagreement(video: Video, first: VideoFrame, packets: Packets) -> str:
    """Open decord and say where it differs from PyAV; empty where it does not."""
    try:
        reader = open_reader(video.path)
        if len(reader) != len(packets):
            return f"decord counts {len(reader)} frames, the file has {len(packets)}"
        times_s = frame_times(reader)
        picture = next_frame(reader, video.path)
    except VideoError as error:
        return f"decord cannot open it: {error}"
    if np.abs(times_s - packets.time_s(video.time_base)).max() > MAX_TIME_ERROR_S:
        return "decord gives other times"
    expected = upright(first, video)
    if picture.shape != expected.shape:
        # On some CPUs a padded width is read as a fourth channel (decord2 3.4).
        return f"decord gives {picture.shape[1]}x{picture.shape[0]} pixels of {picture.shape[2]} channels"
    if np.abs(picture.astype(np.int16) - expected).mean() > MAX_PIXEL_ERROR:
        return "decord gives another first picture"
    return ""
