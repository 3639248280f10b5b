"""Small video files of the kinds that archives hold, made on the spot; each frame tells its number."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

FRAMES = 50
BITS = 6  # of a frame's number, as black and white stripes


@dataclass(frozen=True)
class Recipe:
    """How to make a file.

    Attributes:
        name: of the file; the suffix names the container.
        codec: encoder.
        pix_fmt: of the encoder.
        options: of the encoder.
        width: in pixels.
        height: in pixels.
        from_key: number of the key frame at which the file starts; what refers to frames before is lost.
        fits_decord: the probe takes decord.
    """

    name: str
    codec: str = "libx264"
    pix_fmt: str = "yuv420p"
    options: dict[str, str] = field(default_factory=dict)
    width: int = 128  # decord 3.4 gives four channels at widths that this CPU's FFmpeg pads, 96 on some
    height: int = 64
    from_key: int = 0
    fits_decord: bool = False


OPEN_GOP = {"bf": "3", "g": "12", "x264-params": "open-gop=1:scenecut=0:b-pyramid=normal", "refs": "4"}
OPEN_GOP_HEVC = {"x265-params": "open-gop=1:keyint=12:bframes=4:log-level=none"}

RECIPES = (
    Recipe("b_frames.mp4", options={"bf": "3", "g": "12"}, fits_decord=True),
    Recipe("no_b_frames.mp4", options={"bf": "0"}, fits_decord=True),
    Recipe("open_gop.mp4", options=OPEN_GOP, fits_decord=True),
    Recipe("open_gop.mkv", options=OPEN_GOP),
    Recipe("open_gop_cut.mkv", options=OPEN_GOP, from_key=1),
    Recipe("open_gop_cut.ts", options=OPEN_GOP, from_key=2),
    Recipe("open_gop_hevc.mp4", "libx265", options=OPEN_GOP_HEVC, fits_decord=True),
    Recipe("open_gop_hevc_cut.mkv", "libx265", options=OPEN_GOP_HEVC, from_key=1),
    Recipe("hevc_10_bit.mp4", "libx265", "yuv420p10le", {"x265-params": "log-level=none"}),
    Recipe("open_gop_mpeg2.mpg", "mpeg2video", options={"bf": "2", "g": "12"}),
    Recipe("open_gop_mpeg2_cut.ts", "mpeg2video", options={"bf": "2", "g": "12"}, from_key=1),
    Recipe("b_frames.avi", "mpeg4", options={"bf": "2"}),
    Recipe("intra_refresh.mp4", options={"bf": "0", "x264-params": "intra-refresh=1:keyint=20"}),
    Recipe("odd_size.mkv", "ffv1", "yuv444p", width=51, height=35),
    Recipe("full_range.avi", "mjpeg", "yuvj420p"),
    Recipe("vp8.webm", "libvpx"),
    Recipe("colours.gif", "gif", "rgb8"),
    Recipe("grey.mp4", pix_fmt="gray"),
    Recipe("4_2_2.mov", "prores_ks", "yuv422p10le"),
)


def picture(number: int, width: int, height: int) -> npt.NDArray[np.uint8]:
    """Give a moving texture on stripes that tell the number in binary."""
    y, x = np.mgrid[:height, :width]
    bit = number >> (x * BITS // width) & 1
    grey = (40 + 150 * bit + 30 * np.sin(x / 5 + y / 7 + number / 9)).astype(np.uint8)
    return np.stack([grey, np.roll(grey, 9, axis=0), grey], axis=2)


def numbers(small: npt.NDArray[np.uint8]) -> list[int]:
    """Read the numbers off (N, 27, 48, 3) thumbnails."""
    stripes = np.stack(np.array_split(small, BITS, axis=2)).mean((2, 3, 4)) > 115  # (bits, N)
    return (stripes.T @ (1 << np.arange(BITS))).tolist()


def make(recipe: Recipe, folder: Path) -> Path:
    """Write the file."""
    whole = folder / f"whole_{recipe.name}"
    with av.open(str(whole), "w") as out:
        stream = out.add_stream(recipe.codec, rate=25, options=recipe.options)
        stream.width, stream.height, stream.pix_fmt = recipe.width, recipe.height, recipe.pix_fmt
        stream.codec_context.time_base = Fraction(1, 25)
        for number in range(FRAMES):
            rgb = picture(number, recipe.width, recipe.height)
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24").reformat(format=recipe.pix_fmt)
            frame.pts, frame.time_base = number, Fraction(1, 25)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    path = folder / recipe.name
    return _cut(whole, path, recipe.from_key) if recipe.from_key else whole.rename(path)


def _cut(whole: Path, path: Path, from_key: int) -> Path:
    """Copy the packets from a key frame on."""
    with av.open(str(whole)) as source, av.open(str(path), "w") as out:
        stream = source.streams.video[0]
        copied = out.add_stream_from_template(stream)
        keys = -1
        for packet in source.demux(stream):
            keys += packet.is_keyframe
            if packet.size and keys >= from_key:
                packet.stream = copied
                out.mux(packet)
    return path
