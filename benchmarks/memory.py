"""Measures whether the memory of a run grows with the length of the video.

    python benchmarks/memory.py CLIP [--minutes 2 20 120] [--set detect.fps=1]

Encodes CLIP once at 1920 x 1080, strings copies of its packets together to videos of the given lengths,
runs the main job on each in a process of its own, and prints the peak resident memory of that process and
of the one in which it decodes (frames that both see count twice), and their sum as a ratio to that of the
shortest video.
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


def string_together(piece: Path, out: Path, minutes: float) -> int:
    """Write copies of a video one behind the other, without decoding; give the number of frames."""
    with av.open(str(piece)) as source:
        stream = source.streams.video[0]
        packets = [packet for packet in source.demux(stream) if packet.size]
        step = packets[1].dts - packets[0].dts
        length = packets[-1].dts + step - packets[0].dts
        copies = max(1, round(minutes * 60 / float(length * stream.time_base)))
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


def peaks_mib(video: Path, db: Path, overrides: list[str]) -> tuple[float, float]:
    """Run the main job on a video; give the peak resident MiB of its process, and of those it started."""
    command = [sys.executable, "-m", "headtrack", "run", str(video), "--db", str(db)]
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


def main() -> None:
    """Make the videos, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("clip", type=Path)
    parser.add_argument("--minutes", type=float, nargs="+", default=[2, 20, 120])
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        piece, first = Path(scratch) / "piece.mp4", 0.0
        encode(args.clip, piece)
        print("minutes   frames   run s   run MiB   decoder MiB   ratio")
        for minutes in sorted(args.minutes):
            video = Path(scratch) / f"{minutes:g}.mp4"
            frames = string_together(piece, video, minutes)
            start = time.monotonic()
            run, decoder = peaks_mib(video, Path(scratch) / f"{minutes:g}.duckdb", args.overrides)
            took_s = time.monotonic() - start
            first = first or run + decoder
            ratio = (run + decoder) / first
            row = f"{minutes:7g}   {frames:6d}   {took_s:5.0f}   {run:7.0f}   {decoder:11.0f}   {ratio:5.2f}"
            print(row, flush=True)
            video.unlink()


if __name__ == "__main__":
    main()
