from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from headtrack.errors import ModelError
from headtrack.models.weights import weights_path
from headtrack.models.yolo_pose import People, YoloPose


def test_no_people_are_an_empty_value():
    assert len(People.empty()) == 0
    assert People.join([]).keypoints.shape == (0, 17, 3)


def test_a_file_that_is_no_model_is_named(tmp_path: Path):
    path = tmp_path / "not-a-model.pt"
    path.write_bytes(b"no")
    with pytest.raises(ModelError, match=r"not-a-model\.pt cannot be loaded"):
        YoloPose(path, image_px=64, min_score=0.5, device="cpu")


@pytest.mark.heavy
def test_loading_says_nothing_on_stdout_and_leaves_home_and_numpy_alone(tmp_path: Path):
    code = (
        "import os, sys, pathlib, numpy as np\n"
        "from headtrack.models.yolo_pose import YoloPose\n"
        "before = np.get_printoptions(), dict(os.environ)\n"
        "YoloPose(pathlib.Path(sys.argv[1]), image_px=64, min_score=0.5, device='cpu')"
        ".find(np.zeros((1, 64, 64, 3), np.uint8))\n"
        "assert np.get_printoptions() == before[0]\n"
        "assert os.environ.get('OMP_NUM_THREADS') == before[1].get('OMP_NUM_THREADS')\n"
    )
    path = weights_path("yolo11n-pose")
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("YOLO_", "XDG_", "OMP_"))
    }
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env=environment | {"HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert list(home.rglob("*.json")) == []
