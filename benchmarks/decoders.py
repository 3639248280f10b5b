"""Compares ways of reading whole videos, as ratios of frames a second.

    python benchmarks/decoders.py VIDEO... [--rounds 3]

decord against PyAV, both in this process; and the process of its own in which a run decodes, with the
decoder that the probe chooses, against the same decoder in this process. Each reads each video in turn,
round after round; a ratio is of the medians.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from headtrack.settings import DecodeSettings
from headtrack.types import Video
from headtrack.video.decode import decode
from headtrack.video.decoders import DECODERS
from headtrack.video.probe import probe

SETTINGS = DecodeSettings()


def in_this_process(video: Video, decoder: str) -> int:
    """Read a video to its end without a process of its own; give the number of frames."""
    batches = DECODERS[decoder].batches(video, batch_frames=SETTINGS.batch_frames)
    return sum(len(batch) for batch in batches)


def in_a_process(video: Video) -> int:
    """Read a video as a run does."""
    return sum(len(batch) for batch in decode(video, SETTINGS))


def frames_per_second(read: Callable[[], int]) -> float:
    """Time one reading."""
    start = time.perf_counter()
    return read() / (time.perf_counter() - start)


def main() -> None:
    """Read, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("videos", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print("video                 frames/s   decord / PyAV   process / none")
    for path in args.videos:
        video = probe(path, SETTINGS)
        ways: dict[str, Callable[[], int]] = {
            "decord": lambda v=video: in_this_process(v, "decord"),
            "pyav": lambda v=video: in_this_process(v, "pyav"),
            "process": lambda v=video: in_a_process(v),
        }
        in_a_process(video)  # the process is started once a run
        speed: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(args.rounds):
            for name, read in ways.items():
                speed[name].append(frames_per_second(read))
        middle = {name: median(rounds) for name, rounds in speed.items()}
        decord, apart = middle["decord"] / middle["pyav"], middle["process"] / middle[video.decoder]
        print(f"{path.name:20}  {middle['process']:8.0f}   {decord:13.2f}   {apart:14.2f}", flush=True)


if __name__ == "__main__":
    main()
