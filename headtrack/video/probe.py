"""What a file holds, read without decoding it all, and which decoder is right for it."""

from __future__ import annotations

import errno
import hashlib
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.types import Video
from headtrack.video.decord_decoder import decord_agrees
from headtrack.video.still import read_still
from headtrack.video.inputs import IMAGE_SUFFIXES

DECORD_CODECS = frozenset({"h264", "hevc", "vp9", "vp8", "mpeg4"})
PROGRESSIVE = (0, 1)  # FFmpeg's AV_FIELD_UNKNOWN and AV_FIELD_PROGRESSIVE
READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class _Packets:
    """What the packets of the video stream say, without decoding.

    Attributes:
        count: packets that hold a frame.
        discarded: of these, frames that an edit list hides.
        start: lowest pts.
        steady: pts rise by one constant step.
        last_s: end of the last frame in seconds from the first.
    """

    count: int
    discarded: int
    start: int
    steady: bool
    last_s: float


def probe(path: Path, settings: DecodeSettings) -> Video:
    """Read a file's identity, size and timing, and choose its decoder.

    decord is taken only where everything that it is known to get wrong is absent (edit lists,
    delayed starts, varying frame rates, interlacing, rotation, AV1) and where it counts as
    many frames as there are packets; PyAV reads the rest.

    Args:
        path: a video or an image.
        settings: the `decode` section.

    Raises:
        VideoError: the file is missing, empty, unreadable, no media file, or has no video stream.
    """
    path = path.absolute()
    video_id = _content_hash(path)
    if path.suffix.lower() in IMAGE_SUFFIXES:
        return _probe_image(path, video_id)
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                kinds = ", ".join(sorted({s.type for s in container.streams})) or "nothing known"
                raise VideoError(f"{path} has no video stream (it holds {kinds}); leave it out")
            stream = container.streams.video[0]
            frame = _first_frame(container, stream, path)
            rotation = _clockwise(frame.rotation)
            container.seek(0) if container.format.name not in ("image2",) else None
            field_order = int(stream.codec_context.field_order) if hasattr(stream.codec_context, "field_order") else 0
            base = stream.time_base or Fraction(1, 1000)
            video = Video(
                video_id=video_id,
                path=str(path),
                width=frame.height if rotation in (90, 270) else frame.width,
                height=frame.width if rotation in (90, 270) else frame.height,
                frame_count=stream.frames,
                time_base=Fraction(base),
                duration_s=_duration_s(container, stream),
                fps=float(stream.average_rate or stream.guessed_rate or 0),
                rotation_deg=rotation,
                sample_aspect=Fraction(stream.sample_aspect_ratio or 1),
                codec=stream.codec_context.codec.canonical_name,
                decoder="pyav",
                decoder_reason="",
            )
            pixel_format = frame.format.name
    except av.FFmpegError as error:
        raise VideoError(f"{path} cannot be opened as media: {_plain(error)}; check that it plays") from error
    packets = _scan_packets(path)
    if packets.last_s and not video.duration_s:
        video = replace(video, duration_s=packets.last_s)
    reason = "" if settings.backend != "pyav" else "pyav asked for"
    reason = reason or _against_decord(video, packets, field_order, pixel_format)
    if settings.backend == "decord":
        return replace(video, decoder="decord", decoder_reason="decord asked for")
    if reason:
        return replace(video, decoder="pyav", decoder_reason=reason)
    return replace(video, decoder="decord", decoder_reason="steady, progressive, and its counts agree")


def _against_decord(video: Video, packets: _Packets, field_order: int, pixel_format: str) -> str:
    """Say why decord is not to be trusted with this file; empty where it is."""
    if video.codec not in DECORD_CODECS:
        return f"codec {video.codec}"
    if video.rotation_deg:
        return "rotated"
    if field_order not in PROGRESSIVE:
        return "interlaced"
    if pixel_format not in ("yuv420p", "yuvj420p"):
        return f"pixel format {pixel_format}"
    if packets.discarded or packets.start:
        return "edit list or delayed start"
    if not packets.steady:
        return "varying frame rate"
    if packets.count != video.frame_count:
        return f"container claims {video.frame_count} frames and holds {packets.count}"
    if packets.count < 2:
        return "a single frame"
    return decord_agrees(video.path, packets.count)


def _content_hash(path: Path) -> str:
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(READ_BYTES):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        remedy = {
            errno.ENOENT: "check the path",
            errno.EISDIR: "it is a folder: name it without a media suffix or name the files in it",
            errno.EACCES: "give this user the right to read it",
        }.get(error.errno or 0, "check the disk")
        raise VideoError(f"{path} cannot be read ({error.strerror}); {remedy}") from error
    if not size:
        raise VideoError(f"{path} is empty (0 bytes); fetch or copy it again")
    return digest.hexdigest()[:16]


def _probe_image(path: Path, video_id: str) -> Video:
    rgb = read_still(path)
    return Video(
        video_id=video_id,
        path=str(path),
        width=rgb.shape[1],
        height=rgb.shape[0],
        frame_count=1,
        time_base=Fraction(1, 1000),
        duration_s=0.0,
        fps=0.0,
        rotation_deg=0,
        sample_aspect=Fraction(1),
        codec=path.suffix.lower().lstrip("."),
        decoder="still",
        decoder_reason="still image",
    )


def _first_frame(
    container: av.container.InputContainer, stream: av.VideoStream, path: Path
) -> av.VideoFrame:
    """Decode until a frame comes; damaged packets before it do not matter."""
    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except av.FFmpegError:  # the decoder itself reports what is lost
            continue
        for frame in frames:
            if isinstance(frame, av.VideoFrame):
                return frame
    raise VideoError(f"{path} has a video stream, but not one frame of it can be decoded; fetch it again")


def _scan_packets(path: Path) -> _Packets:
    pts: list[int] = []
    discarded, end, base = 0, 0, Fraction(0)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        base = Fraction(stream.time_base or 0)
        try:
            for packet in container.demux(stream):
                if packet.size and packet.pts is not None:
                    pts.append(packet.pts)
                    discarded += bool(packet.is_discard)
                    end = max(end, packet.pts + (packet.duration or 0))
        except av.FFmpegError:  # a truncated file: what was read until here counts
            discarded += 0
    steps = np.unique(np.diff(np.sort(np.array(pts, np.int64))))
    start = min(pts, default=0)
    return _Packets(len(pts), discarded, start, len(steps) <= 1, float((end - start) * base) if pts else 0.0)


def _duration_s(container: av.container.InputContainer, stream: av.VideoStream) -> float:
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration else 0.0


def _clockwise(rotation_deg: float) -> int:
    """Turn FFmpeg's display rotation (counter-clockwise) into the clockwise turn to apply."""
    return round(-rotation_deg / 90) % 4 * 90


def _plain(error: av.FFmpegError) -> str:
    return error.strerror or type(error).__name__
