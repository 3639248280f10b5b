"""Measures whether the memory of a run grows with the length of the videos or with their number.

    python benchmarks/memory.py CLIP [--minutes 2 20 120] [--videos 1 4 16] [--set detect.fps=1]

Encodes CLIP once at 1920 x 1080, strings copies of its packets together to videos of the given lengths,
runs the main job on each in a process of its own, and notes the peak resident memory of that process and
of the one in which it decodes (frames that both see count twice); then the same for runs over the given
numbers of videos of the shortest length. Prints JSON, with each sum as a ratio to the first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import av
import psutil
from outcome import print_outcome

WIDTH, HEIGHT = 1920, 1080
X264 = {"bf": "0", "preset": "veryfast", "tune": "fastdecode", "crf": "26"}
POLL_S = 2.0


def encode(clip: Path, out: Path) -> None:
    """Scale a clip to 1920 x 1080 and encode it as H.264 without B-frames."""
    with av.open(str(clip)) as source, av.open(str(out), "w") as sink:
        rate = source.streams.video[0].average_rate
        stream = sink.add_stream("libx264", rate=rate, options=X264)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.time_base = 1 / Fraction(rate)
        for number, frame in enumerate(source.decode(video=0)):
            scaled = frame.reformat(WIDTH, HEIGHT, "yuv420p")
            scaled.pts, scaled.time_base = number, stream.codec_context.time_base
            sink.mux(stream.encode(scaled))
        sink.mux(stream.encode(None))


def copies_of(piece: Path, minutes: float) -> int:
    """Give how many copies of a video last so long."""
    with av.open(str(piece)) as source:
        stream = source.streams.video[0]
        return max(1, round(minutes * 60 / float((stream.duration or 1) * stream.time_base)))


def string_together(piece: Path, out: Path, copies: int) -> int:
    """Write copies of a video one behind the other, without decoding; give the number of frames."""
    with av.open(str(piece)) as source:
        stream = source.streams.video[0]
        packets = [packet for packet in source.demux(stream) if packet.size]
        step = packets[1].dts - packets[0].dts
        length = packets[-1].dts + step - packets[0].dts
        with av.open(str(out), "w") as sink:
            copied = sink.add_stream_from_template(stream)
            for copy in range(copies):
                for packet in packets:
                    again = av.Packet(bytes(packet))
                    again.stream, again.time_base = copied, stream.time_base
                    again.dts = packet.dts + copy * length
                    again.pts = packet.pts + copy * length
                    again.is_keyframe = packet.is_keyframe
                    sink.mux(again)
    return copies * len(packets)


def peaks_mib(videos: Path, db: Path, overrides: list[str]) -> tuple[float, float]:
    """Run the main job on a folder; give the peak resident MiB of its process, and of those it started."""
    command = [sys.executable, "-m", "headtrack", "run", str(videos), "--db", str(db)]
    command += [word for text in overrides for word in ("--set", text)]
    process = psutil.Popen(command, stdout=subprocess.DEVNULL)
    started: dict[int, float] = {}
    while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        for child in psutil.Process(process.pid).children(recursive=True):
            started[child.pid] = max(started.get(child.pid, 0.0), high_water_mib(child.pid))
        time.sleep(POLL_S)
    _, status, usage = ended
    if status:
        raise SystemExit(f"headtrack run ended with status {status}")
    return usage.ru_maxrss / 1024, sum(started.values())


def high_water_mib(pid: int) -> float:
    """Read the peak resident memory of a process so far; 0 where it has just ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line), 0.0)


def runs(sizes: list[tuple[float, int]], piece: Path, overrides: list[str]) -> list[dict[str, float]]:
    """Run over videos of some sizes; give what each run took.

    Args:
        sizes: minutes of each video, and number of videos.
        piece: what the videos are made of.
        overrides: settings.
    """
    rows: list[dict[str, float]] = []
    for minutes, count in sizes:
        with tempfile.TemporaryDirectory(dir=piece.parent) as scratch:
            folder = Path(scratch) / "videos"
            folder.mkdir()
            # Of different lengths by a copy of the piece: the same content twice would be one video.
            frames = [
                string_together(piece, folder / f"{n}.mp4", copies_of(piece, minutes) + n)
                for n in range(count)
            ]
            start = time.monotonic()
            run, decoder = peaks_mib(folder, Path(scratch) / "db.duckdb", overrides)
            taken = time.monotonic() - start
        ratio = (run + decoder) / (rows[0]["run_mib"] + rows[0]["decoder_mib"]) if rows else 1.0
        rows.append(
            {
                "videos": count,
                "minutes_each": minutes,
                "frames": sum(frames),
                "run_s": round(taken),
                "run_mib": round(run),
                "decoder_mib": round(decoder),
                "ratio": round(ratio, 2),
            }
        )
    return rows


def main() -> None:
    """Make the videos, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("clip", type=Path)
    parser.add_argument("--minutes", type=float, nargs="+", default=[2, 20, 120])
    parser.add_argument("--videos", type=int, nargs="*", default=[1, 4, 16])
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        piece, shortest = Path(scratch) / "piece.mp4", min(args.minutes)
        encode(args.clip, piece)
        print_outcome(
            {
                "by_length": runs([(minutes, 1) for minutes in sorted(args.minutes)], piece, args.overrides),
                "by_number": runs(
                    [(shortest, count) for count in sorted(args.videos)], piece, args.overrides
                ),
                "settings": args.overrides,
            }
        )


if __name__ == "__main__":
    main()
