"""Which share of the cluster each worker asks for."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import ray

from headtrack.errors import HeadtrackError
from headtrack.settings import RunSettings


@dataclass(frozen=True, slots=True)
class Placement:
    """What one worker asks for.

    Attributes:
        workers: how many there are.
        gpus: GPUs for each; a fraction where several share one; 0 without.
        workers_a_node: most workers expected on one node; they share its CPU threads.
    """

    workers: int
    gpus: float
    workers_a_node: int


def place(run: RunSettings, *, tasks: int, elastic: bool) -> Placement:
    """Share the connected cluster out.

    Args:
        run: how many workers are wished, and on which device.
        tasks: a worker more than there are videos and spans would idle.
        elastic: the cluster may grow, so each worker asks for a GPU of its own; else the workers
            share those that there are. `run.gpu_share` wins.

    Raises:
        HeadtrackError: a GPU is demanded, there is none, and none can come.
    """
    workers = max(1, min(run.workers, tasks))
    gpus = int(ray.cluster_resources().get("GPU", 0))
    nodes = max(1, sum(1 for node in ray.nodes() if node["Alive"]))
    if run.device == "cuda" and not gpus and not elastic:
        raise HeadtrackError(
            "run.device=cuda, but this machine has no GPU that Ray sees; run with --set run.device=auto, "
            "or give --ray the address of a cluster with GPUs"
        )
    wanted = run.device == "cuda" or (run.device == "auto" and gpus > 0)
    equal = 1.0 if elastic else 1 / math.ceil(workers / max(gpus, 1))
    share = (run.gpu_share or equal) if wanted else 0.0
    return Placement(workers, share, math.ceil(workers / nodes))


def threads_of(run: RunSettings, placement: Placement) -> int:
    """Give the CPU threads of one worker on the node this is called on."""
    return run.threads or max(1, len(os.sched_getaffinity(0)) // placement.workers_a_node)
