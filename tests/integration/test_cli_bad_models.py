"""Model files that are missing, altered or unknown: one clear message that names the remedy."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from headtrack.models.registry import MODELS
from headtrack.models.weights import models_folder
from tests.integration.command_line import error_line, headtrack, write_video


def test_models_that_are_missing_and_cannot_be_fetched_stop_the_run_and_name_the_remedy(
    tmp_path: Path,
) -> None:
    write_video(tmp_path / "film.mp4", 3, seed=0)
    cut_off = {
        "HEADTRACK_MODELS": str(tmp_path / "models"),
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": os.devnull,
    }
    done = headtrack("run", "film.mp4", "--db", "people.duckdb", cwd=tmp_path, env=cut_off)
    message = error_line(done, 4)
    assert "yolo11n-pose" in message
    assert "HEADTRACK_MODELS" in message
    assert not (tmp_path / "people.duckdb").exists()
    assert not [p for p in (tmp_path / "models").iterdir() if not p.name.endswith(".lock")]


def test_an_altered_model_file_is_refused_and_not_replaced(tmp_path: Path) -> None:
    altered = _linked_models(tmp_path / "models") / MODELS["centerface"].filename
    altered.unlink()
    altered.write_bytes(b"not a network")
    write_video(tmp_path / "film.mp4", 3, seed=0)
    folder = {"HEADTRACK_MODELS": str(tmp_path / "models")}
    done = headtrack("run", "film.mp4", "--db", "people.duckdb", cwd=tmp_path, env=folder)
    message = error_line(done, 4)
    assert altered.name in message
    assert "headtrack models pull --force centerface" in message
    assert altered.read_bytes() == b"not a network"
    listed = headtrack("models", "list", "--format", "json", cwd=tmp_path, env=folder)
    states_of = {row["name"]: row["state"] for row in json.loads(listed.stdout)}
    assert states_of["centerface"] == "altered"


def test_an_unknown_model_is_named_with_the_known_ones(tmp_path: Path) -> None:
    message = error_line(headtrack("models", "pull", "resnet9000", cwd=tmp_path), 4)
    assert "resnet9000" in message
    assert "centerface" in message


def _linked_models(folder: Path) -> Path:
    """Give a folder with links to the model files of this machine."""
    missing = [s.filename for s in MODELS.values() if not (models_folder() / s.filename).is_file()]
    if missing:
        pytest.skip(f"model files are missing: {', '.join(missing)}; run `headtrack models pull`")
    shutil.copytree(
        models_folder(),
        folder,
        copy_function=os.symlink,
        ignore=lambda _, names: [n for n in names if n.startswith(".")],
    )
    return folder
