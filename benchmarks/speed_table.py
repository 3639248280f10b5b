"""Measures what input size and looks a second cost and gain: recall and precision against frames a second.

    python benchmarks/speed_table.py DATA [--px 320 640 960] [--fps 1 2 5 10 0] [--clips stage.mp4 ...]

Runs the main job on clips with labelled heads: once for each `detect.image_px` at the default of
`detect.fps`, and once for each `detect.fps` (0: every frame) at the default size, each in a process with one
thread. Frames a second are the clips' frames by the CPU time of that process and its children, less that of
a run on one small picture: other work on the machine hardly matters to it. Only ratios tell anything. The
default is marked.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np

from headtrack.evaluation.evaluate import match_clips, media_paths
from headtrack.evaluation.labels import Labels, clip_media, read_labels
from headtrack.evaluation.read_found import read_found
from headtrack.evaluation.score_heads import HeadScore, score_heads
from headtrack.settings import DecodeSettings, DetectSettings
from headtrack.video.probe import probe


def cpu_s(inputs: list[Path], db: Path, sets: list[str]) -> float:
    """Run the main job; give the CPU seconds of its process and of the processes that it waited for."""
    command = [sys.executable, "-m", "headtrack", "run", *map(str, inputs), "--db", str(db)]
    for item in ["run.threads=1", *sets]:
        command += ["--set", item]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def score(labels: Labels, db: Path, paths: dict[str, Path]) -> HeadScore:
    """Score the heads that a run found."""
    matches = match_clips(labels, read_found(db, paths))
    return sum((score_heads(match) for match in matches.values()), HeadScore())


def main() -> None:
    """Run, score, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--px", type=int, nargs="*", default=[320, 640, 960])
    parser.add_argument("--fps", type=float, nargs="*", default=[1, 2, 5, 10, 0])
    parser.add_argument("--clips", nargs="*", help="names of clips with labelled heads; all where not given")
    args = parser.parse_args()
    default = DetectSettings()
    labels = read_labels(args.data)
    clips = args.clips or sorted(labels.heads)
    labels = Labels({clip: labels.heads[clip] for clip in clips}, {}, ())
    every = media_paths(args.data, labels.media)
    paths = {clip_media(clip): every[clip_media(clip)] for clip in clips}
    frames = sum(probe(path, DecodeSettings()).frame_count for path in paths.values())
    rows = [(px, default.fps) for px in args.px] + [(default.image_px, fps) for fps in args.fps]
    with tempfile.TemporaryDirectory() as scratch:
        picture = Path(scratch) / "grey.png"
        cv2.imwrite(str(picture), np.full((64, 64, 3), 128, np.uint8))
        start_s = cpu_s([picture], Path(scratch) / "start.duckdb", [])
        print(f"{len(clips)} clips, {frames} frames; a run's start takes {start_s:.1f} s of CPU")
        print("image_px  fps  recall  precision  rear recall  frames/s  ratio")
        speed_of_default = 0.0
        for px, fps in sorted(dict.fromkeys(rows), key=lambda row: row != (default.image_px, default.fps)):
            db = Path(scratch) / f"{px}-{fps}.duckdb"
            sets = [f"detect.image_px={px}", f"detect.fps={fps:g}"]
            speed = frames / max(cpu_s(list(paths.values()), db, sets) - start_s, 1e-3)
            speed_of_default = speed_of_default or speed
            found = score(labels, db, paths)
            mark = "  default" if (px, fps) == (default.image_px, default.fps) else ""
            print(
                f"{px:8d} {fps:4g} {found.every.recall:7.3f} {found.every.precision:10.3f}"
                f" {found.rear.recall:12.3f} {speed:9.1f} {speed / speed_of_default:6.2f}{mark}",
                flush=True,
            )


if __name__ == "__main__":
    main()
