"""Measures Ray actors against one process, and two actors against one.

    python benchmarks/cluster.py CLIP [CLIP ...] [--videos 20] [--piece-s 10] [--repeats 1]

Cuts the clips into an archive of many short videos and runs the main job over it, each time as a new process
with a new database: in one process with two threads; with `--ray` and two actors of one thread; with `--ray`
and one actor of one thread. Prints JSON: `ray_against_in_process` is the time of the two actors by that of
the process, the starts of Python, of Ray and of the actors and the clustering at the end included; `scaling`
the time of one actor by that of two from the first video begun to the last committed, and
`scaling_with_start` the same with the starts and the end, which do not grow with the archive.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from outcome import print_outcome
from pieces import cut_into_pieces
from whole_run import Timed, timed_run

WAYS = {
    "in_process": ("run.threads=2",),
    "two_actors": ("run.threads=1", "run.workers=2"),
    "one_actor": ("run.threads=1", "run.workers=1"),
}


def main() -> None:
    """Cut, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("clips", type=Path, nargs="+")
    parser.add_argument("--videos", type=int, default=20)
    parser.add_argument("--piece-s", type=float, default=10.0)
    parser.add_argument("--repeats", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        cut_into_pieces(args.clips, folder, count=args.videos, piece_s=args.piece_s)
        taken: dict[str, list[Timed]] = {way: [] for way in WAYS}
        for _ in range(args.repeats):
            for way in WAYS:
                taken[way].append(timed_run([folder], WAYS[way], *(["--ray"] if "actor" in way else [])))
    wall = {way: statistics.median(t.wall_s for t in times) for way, times in taken.items()}
    working = {way: statistics.median(t.working_s for t in times) for way, times in taken.items()}
    print_outcome(
        {
            "ray_against_in_process": round(wall["two_actors"] / wall["in_process"], 3),
            "scaling": round(working["one_actor"] / working["two_actors"], 3),
            "scaling_with_start": round(wall["one_actor"] / wall["two_actors"], 3),
            "seconds": {way: round(seconds, 1) for way, seconds in wall.items()},
            "working_seconds": {way: round(seconds, 1) for way, seconds in working.items()},
            "videos": args.videos,
            "footage_s": args.videos * args.piece_s,
        }
    )


if __name__ == "__main__":
    main()
