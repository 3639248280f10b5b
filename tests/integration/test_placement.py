"""Which share of a cluster workers ask for, and on which node they land; GPUs by name only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

from headtrack.cluster.crew import Crew
from headtrack.cluster.observer import Ready
from headtrack.cluster.placement import Placement, place
from headtrack.settings import RunSettings, Settings

pytestmark = [
    pytest.mark.ray,
    # Ray leaves sockets and log files to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Placed:
    """Says on which node of Ray it is."""

    def __init__(self, settings: Settings, run_dir: Path, placement: Placement) -> None:
        pass

    def prepare(self) -> Ready:
        return Ready("", ray.get_runtime_context().get_node_id(), 0)


@pytest.fixture(scope="module")
def gpu_node() -> Iterator[str]:
    """Connect to a cluster of a node with one GPU and one without; give the name of the former."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False})
    try:
        node = cluster.add_node(num_cpus=4, num_gpus=1)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False)
        yield node.node_id
    finally:
        ray.shutdown()
        cluster.shutdown()


def run(**changes: object) -> RunSettings:
    return replace(RunSettings(workers=3), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "elastic", "gpus"),
    [
        (run(), False, 1 / 3),  # of those that there are
        (run(), True, 1.0),  # further nodes come
        (run(gpu_share=0.25), True, 0.25),
        (run(gpu_share=0.5), False, 0.5),
        (run(device="cpu", gpu_share=0.5), False, 0.0),
    ],
)
def test_workers_ask_for_a_share_of_a_gpu(gpu_node, settings, elastic, gpus):
    assert place(settings, tasks=9, elastic=elastic).gpus == pytest.approx(gpus)


def test_there_are_no_more_workers_than_tasks(gpu_node):
    assert place(run(), tasks=2, elastic=False).workers == 2


def nodes_of(settings: RunSettings, tmp_path: Path) -> set[str]:
    crew = Crew(Settings(), tmp_path, place(settings, tasks=9, elastic=False), Placed)
    try:
        for _ in range(crew.placement.workers):
            crew.hire()
        return {ready.node for ready in ray.get(list(crew.busy), timeout=120)}
    finally:
        crew.dismiss()


def test_three_workers_share_the_one_gpu_of_a_mixed_cluster(gpu_node, tmp_path):
    assert nodes_of(run(), tmp_path) == {gpu_node}


def test_workers_without_a_gpu_take_every_node(gpu_node, tmp_path):
    assert len(nodes_of(run(device="cpu", workers=6), tmp_path)) == 2
