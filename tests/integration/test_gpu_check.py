"""The check for machines with a GPU, on one without."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from headtrack.errors import ModelError
from headtrack.models.weights import weights_path

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU: run benchmarks/gpu_check.sh")
def test_without_a_gpu_it_says_so_and_counts_as_skipped():
    done = subprocess.run(
        ["sh", str(ROOT / "benchmarks" / "gpu_check.sh")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "no GPU" in json.loads(done.stdout)["skipped"]


@pytest.mark.heavy
def test_a_cpu_agrees_with_itself_at_every_stage():
    try:
        weights_path("carphone")
    except ModelError as error:
        pytest.skip(f"the sample footage cannot be had: {error}")
    words = [sys.executable, str(ROOT / "benchmarks" / "gpu_check.py"), "--device", "cpu", "--looks", "4"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["agrees"] is True
    assert (said["heads_found_too"], said["mean_iou"]) == (1.0, 1.0)
    assert min(said["least_face_cosine"], said["least_look_cosine"]) == pytest.approx(1, abs=1e-5)
    assert said["greatest_transition_difference"] < 1e-5
    assert said["times_faster"].keys() == said["cpu"].keys() == said["device"].keys()
    assert all(value > 0 for value in said["cpu"].values())
