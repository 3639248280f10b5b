"""Measures which share of a run's time the networks themselves need.

    python benchmarks/efficiency.py VIDEO [VIDEO ...] [--threads 2] [--set detect.fps=1]

Analyses the videos in this process once to note each pass through a network, then alternates, `--repeats`
times: the same passes bare, with the same threads, as many at once as the run has; and the whole
`headtrack run` as a process of its own, its start, its decoding and its clustering included. Prints the ratio
of the medians as JSON: 1 would mean that all but the networks costs nothing.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from forwards import Forwards, noted
from outcome import print_outcome
from whole_run import timed_run

from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.models import load_models
from headtrack.settings import Settings
from headtrack.settings_file import load_settings
from headtrack.types import VideoFailure
from headtrack.video.decode import probe_watched


def passes(videos: list[Path], settings: Settings) -> Forwards:
    """Analyse videos and note each pass through a network."""
    models = load_models(settings)
    with noted() as found:
        for path in videos:
            result = analyze_video(probe_watched(path, settings.decode), models, settings)
            if isinstance(result, VideoFailure):
                raise SystemExit(result.message)
    return found


def main() -> None:
    """Note, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("videos", type=Path, nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    args = parser.parse_args()
    overrides = [f"run.threads={args.threads}", *args.overrides]
    found = passes(args.videos, load_settings(None, overrides))
    bare, whole = list[dict[str, float]](), list[float]()
    for _ in range(args.repeats):
        bare.append(found.again(args.threads))
        whole.append(timed_run(args.videos, overrides).wall_s)
    networks = {name: statistics.median(b[name] for b in bare) for name in bare[0]}
    networks_s, whole_s = statistics.median(sum(b.values()) for b in bare), statistics.median(whole)
    print_outcome(
        {
            "efficiency": round(networks_s / whole_s, 3),
            "networks_s": round(networks_s, 2),
            "run_s": round(whole_s, 2),
            "each_network_s": {name: round(seconds, 2) for name, seconds in sorted(networks.items())},
            "passes": found.count.total(),
            "threads": args.threads,
            "videos": [path.name for path in args.videos],
        }
    )


if __name__ == "__main__":
    main()
