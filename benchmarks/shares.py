"""Measures which step of the main job takes how much of its time.

    python benchmarks/shares.py VIDEO [VIDEO ...]

Analyses each video in this process, with one thread, under the profiler; printed are shares of the whole.
Decoding runs in a process of its own, at the same time: what is counted here is the waiting for it.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
from pathlib import Path

from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.models import load_models
from headtrack.settings_file import load_settings
from headtrack.types import VideoFailure
from headtrack.video.probe import probe

# Step: functions (file, name) that do all of it and do not call each other.
STEPS = {
    "waiting for frames": (("decode.py", "decode"),),
    "heads": (("head_detector.py", "detect"),),
    "shots": (("cascade.py", "push"), ("cascade.py", "finish"), ("thumbnails.py", "thumbnails")),
    "crops and embeddings": (
        ("embed.py", "hold_crop"),
        ("embed.py", "embed_crops"),
        ("observe.py", "_colours"),
    ),
    "links": (("link.py", "link_tracklets"), ("evidence.py", "gather_evidence")),
}


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """Give each step's share of the time under the profiler."""
    rows = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(own for _, _, own, _, _ in rows.values())
    return {
        step: sum(
            row[3]
            for (file, _, name), row in rows.items()
            if (Path(file).name, name) in functions and "headtrack" in file
        )
        / whole
        for step, functions in STEPS.items()
    }


def main() -> None:
    """Analyse and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("videos", type=Path, nargs="+")
    args = parser.parse_args()
    settings = load_settings(None, ["run.threads=1"])
    models = load_models(settings)
    print("video".ljust(20), *(step.rjust(21) for step in STEPS))
    for path in args.videos:
        video = probe(path, settings.decode)
        profile = cProfile.Profile()
        result = profile.runcall(analyze_video, video, models, settings)
        if isinstance(result, VideoFailure):
            raise SystemExit(result.message)
        print(path.name.ljust(20), *(f"{share:21.1%}" for share in shares(profile).values()), flush=True)


if __name__ == "__main__":
    main()
