"""Computes what a large archive would cost, from constants that `benchmarks/stages.py` measured.

    python benchmarks/stages.py VIDEO [VIDEO ...] > stages.json
    python benchmarks/extrapolate.py stages.json [--hours 100000] [--nodes 16] [--cores 16] [--gpu-speed 30]
                                     [--pixels 6]

Nothing is measured here. A node decodes and does the rest of the analysis on its cores, while its GPU passes
frames through the networks, `--gpu-speed` times as fast as one core: an assumption, to be replaced by
what `benchmarks/gpu_check.sh` prints. Decoding grows with the pixels of a frame, of which the archive has
`--pixels` times as many as the videos that were measured. One process commits, on a core. Clustering is taken
from the last two sizes in ADR 10 and their growth. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

DAY_S = 86_400.0
# Tracks, CPU seconds and peak MB of `benchmarks/clustering_scale.py`, as ADR 10 gives them.
CLUSTERED = ((20_000, 72.0, 291.0), (100_000, 609.0, 1172.0))
HERE = ("decoding", "rest_of_the_analysis", "committing")


def extrapolate(
    measured: dict[str, Any], *, hours: float, nodes: int, cores: int, gpu_speed: float, pixels: float
) -> dict[str, Any]:
    """Compute days and gigabytes by stage.

    Args:
        measured: what `stages.py` printed.
        hours: of footage.
        nodes: with a GPU each.
        cores: of a node.
        gpu_speed: how many times as fast as a core the GPU runs the networks.
        pixels: of a frame, in those of the videos that were measured.
    """
    cost = measured["cpu_s_an_hour"]
    networks = sum(seconds for stage, seconds in cost.items() if stage not in HERE)
    share = hours / nodes / DAY_S
    tracks = hours * measured["rows_an_hour"]["track"]
    clustering_s, clustering_mb = (grown(tracks, column) for column in (1, 2))
    days = {
        "cores_of_a_node": share * (cost["decoding"] * pixels + cost["rest_of_the_analysis"]) / cores,
        "gpu_of_a_node": share * networks / gpu_speed,
        "committing": hours * cost["committing"] / DAY_S,
        "clustering": clustering_s / DAY_S,
    }
    return {
        "days": {stage: round(value, 2) for stage, value in days.items()},
        "longest": max(days, key=lambda stage: days[stage]),
        "gigabytes": {
            "database": round(hours * measured["database_mb_an_hour"] / 1e3),
            "clustering_memory": round(clustering_mb / 1e3),
        },
        "millions": {
            "head_rows": round(hours * measured["rows_an_hour"]["head"] / 1e6),
            "tracks": round(tracks / 1e6, 1),
        },
        "cores_a_gpu_needs": round(
            gpu_speed * (cost["decoding"] * pixels + cost["rest_of_the_analysis"]) / networks, 1
        ),
    }


def grown(tracks: float, column: int) -> float:
    """Carry a column of `CLUSTERED` on by its growth between the two sizes."""
    few, many = CLUSTERED
    power = math.log(many[column] / few[column]) / math.log(many[0] / few[0])
    return many[column] * (tracks / many[0]) ** power


def main() -> None:
    """Read, compute, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("stages", type=Path)
    parser.add_argument("--hours", type=float, default=100_000.0)
    parser.add_argument("--nodes", type=int, default=16)
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--gpu-speed", type=float, default=30.0)
    parser.add_argument("--pixels", type=float, default=6.0)
    args = parser.parse_args()
    given = {name: value for name, value in vars(args).items() if name != "stages"}
    print(json.dumps({**given, **extrapolate(json.loads(args.stages.read_text()), **given)}, indent=1))


if __name__ == "__main__":
    main()
