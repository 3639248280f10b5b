"""Cuts clips into videos of a few seconds, so that a benchmark has an archive of many."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, zip_longest
from pathlib import Path

import av

X264 = {"preset": "veryfast", "crf": "20"}


def cut_into_pieces(clips: list[Path], folder: Path, *, count: int, piece_s: float) -> list[Path]:
    """Encode pieces of the clips in turn, until there are enough.

    Args:
        clips: at least `count` times `piece_s` seconds together.
        folder: where the pieces go.
        count: number of pieces.
        piece_s: seconds of each; what is left at a clip's end is dropped.
    """
    in_turn = chain.from_iterable(zip_longest(*(_pieces_of(clip, folder, piece_s) for clip in clips)))
    pieces: list[Path] = []
    for piece in in_turn:
        if piece is not None:
            pieces.append(piece)
        if len(pieces) == count:
            return pieces
    raise SystemExit(f"the clips give {len(pieces)} pieces of {piece_s:g} s, not {count}")


def _pieces_of(clip: Path, folder: Path, piece_s: float) -> Iterator[Path]:
    with av.open(str(clip)) as source:
        rate = Fraction(source.streams.video[0].average_rate or 25)
        frames = round(piece_s * rate)
        held: list[av.VideoFrame] = []
        for number, frame in enumerate(source.decode(video=0)):
            held.append(frame)
            if len(held) == frames:
                yield _encode(held, rate, folder / f"{clip.stem}-{number // frames:03d}.mp4")
                held = []


def _encode(frames: list[av.VideoFrame], rate: Fraction, out: Path) -> Path:
    width, height = frames[0].width // 2 * 2, frames[0].height // 2 * 2
    with av.open(str(out), "w") as sink:
        stream = sink.add_stream("libx264", rate=rate, options=X264)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number, frame in enumerate(frames):
            scaled = frame.reformat(width, height, "yuv420p")
            scaled.pts, scaled.time_base = number, 1 / rate
            sink.mux(stream.encode(scaled))
        sink.mux(stream.encode(None))
    return out
