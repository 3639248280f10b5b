"""`ray_cluster.yaml` is a configuration that this Ray takes, and does what it says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

REPO = Path(__file__).parents[3]
COMMANDS = (
    "setup_commands",
    "head_setup_commands",
    "worker_setup_commands",
    "head_start_ray_commands",
    "worker_start_ray_commands",
)


@pytest.fixture
def config() -> dict[str, Any]:
    return yaml.safe_load((REPO / "ray_cluster.yaml").read_text())


def test_it_follows_rays_own_schema(config):
    import ray

    schema = json.loads(Path(ray.__file__).with_name("autoscaler").joinpath("ray-schema.json").read_text())
    jsonschema.validate(config, schema)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_rays_autoscaler_accepts_it_with_its_defaults(config):
    from ray.autoscaler._private.util import fillout_defaults, validate_config

    validate_config(fillout_defaults(config))


def test_workers_have_gpus_and_grow_on_demand(config):
    worker = config["available_node_types"]["gpu_worker"]
    assert worker["resources"]["GPU"] >= 1
    assert worker["min_workers"] < worker["max_workers"] <= config["max_workers"]


def test_every_command_is_sound_shell(config):
    for line in (line for name in COMMANDS for line in config.get(name, [])):
        subprocess.run(["sh", "-n", "-c", line], check=True)


def test_the_files_it_names_are_there(config):
    assert config["file_mounts"] == {"~/headtrack": "."}
    assert all((REPO / name).is_file() for name in (*config["rsync_filter"], "Makefile", "constraints.txt"))
