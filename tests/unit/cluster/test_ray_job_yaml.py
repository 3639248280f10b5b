"""`ray_job.yaml` fits this checkout; that Kubernetes takes it cannot be tried here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from headtrack.settings_file import load_settings

REPO = Path(__file__).parents[3]


@pytest.fixture
def spec() -> dict[str, Any]:
    manifest = yaml.safe_load((REPO / "ray_job.yaml").read_text())
    assert (manifest["apiVersion"], manifest["kind"]) == ("ray.io/v1", "RayJob")
    return manifest["spec"]


def containers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    cluster = spec["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [container for group in groups for container in group["template"]["spec"]["containers"]]


def test_it_starts_a_job_of_this_checkout_with_settings_that_exist(spec):
    python, job, *words = shlex.split(spec["entrypoint"])
    assert python == "python"
    assert (REPO / Path(job).relative_to("/headtrack")).is_file()
    settings = load_settings(None, [words[i + 1] for i, word in enumerate(words) if word == "--set"])
    assert settings.run.device == "cuda"
    assert settings.run.workers == spec["rayClusterSpec"]["workerGroupSpecs"][0]["maxReplicas"]


def test_it_names_the_ray_that_is_pinned(spec):
    (pinned,) = re.findall(r"^ray==(\S+)$", (REPO / "constraints.txt").read_text(), re.MULTILINE)
    assert spec["rayClusterSpec"]["rayVersion"] == pinned


def test_workers_have_a_gpu_grow_on_demand_and_share_what_the_job_names(spec):
    cluster = spec["rayClusterSpec"]
    (workers,) = cluster["workerGroupSpecs"]
    assert cluster["enableInTreeAutoscaling"]
    assert workers["minReplicas"] < workers["maxReplicas"]
    head, worker = containers(spec)
    assert int(worker["resources"]["limits"]["nvidia.com/gpu"]) >= 1
    assert head["image"] == worker["image"]
    mounted = {mount["mountPath"] for mount in worker["volumeMounts"]}
    assert mounted == {mount["mountPath"] for mount in head["volumeMounts"]}
    named = [word for word in shlex.split(spec["entrypoint"])[2:] if word.startswith("/")]
    assert named
    assert all(any(Path(word).is_relative_to(mount) for mount in mounted) for word in named)
    volumes = {v["name"] for v in workers["template"]["spec"]["volumes"]}
    assert {mount["name"] for mount in worker["volumeMounts"]} <= volumes
