"""Compares decord and PyAV on reading whole videos: frames a second of decord over those of PyAV.

    python benchmarks/decoders.py VIDEO... [--rounds 3]

Each decoder reads each video in turn, round after round; the ratio is of the medians.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median

from headtrack.settings import DecodeSettings
from headtrack.video.decode import decode
from headtrack.video.probe import probe


def frames_per_second(path: Path, backend: str) -> float:
    """Read a video to its end."""
    settings = DecodeSettings(backend=backend)
    video = probe(path, settings)
    start = time.perf_counter()
    frames = sum(len(batch) for batch in decode(video, settings))
    return frames / (time.perf_counter() - start)


def main() -> None:
    """Read, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("videos", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    for path in args.videos:
        speed: dict[str, list[float]] = {"decord": [], "pyav": []}
        for _ in range(args.rounds):
            for backend, rounds in speed.items():
                rounds.append(frames_per_second(path, backend))
        print(f"{path.name:20} decord / PyAV: {median(speed['decord']) / median(speed['pyav']):.2f}")


if __name__ == "__main__":
    main()
