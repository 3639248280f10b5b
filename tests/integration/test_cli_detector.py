"""`--detector`: a file of the user's finds the heads, and one that cannot is told before anything is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headtrack.store.database import open_reader
from headtrack.store.read import done_videos
from tests.integration.command_line import Outcome, error_line, headtrack, write_video

CORNER = """
import numpy as np
from headtrack.types import Heads

class Corner:
    model_ids = ("corner@1",)

    def detect(self, batch):
        n = len(batch)
        nan = np.full((n, 4), np.nan)
        return Heads(batch.frame, np.tile([10.0, 10, 60, 70], (n, 1)), np.ones(n), np.zeros(n), nan[:, 0],
                     nan[:, 0], nan, np.full((n, 5, 2), np.nan), nan)

def make_detector(settings, *, device, threads):
    return Corner()
"""


def run(folder: Path, detector: object, *more: object) -> Outcome:
    words = ("run", "film.mp4", "--db", "people.duckdb", "--format", "json", "--detector", detector, *more)
    return headtrack(*words, cwd=folder)


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("missing.pt", None, 4, "missing.pt does not exist"),
        ("head.txt", "x", 2, ".pt, .onnx, .engine"),
        ("broken.pt", "x", 4, "broken.pt cannot be loaded as an ultralytics model"),
        ("broken.onnx", "x", 4, "broken.onnx cannot be loaded as an ONNX network"),
        ("head.engine", "x", 4, "head.engine needs an NVIDIA GPU"),
        ("lacking.py", "x = 1", 4, "lacking.py has no function make_detector(settings, *, device, threads)"),
        ("", None, 2, "an argument is empty"),
    ],
)
@pytest.mark.heavy
def test_a_detector_that_cannot_be_used_is_told_in_one_line_and_nothing_is_begun(
    tmp_path: Path, name: str, content: str | None, code: int, words: str
) -> None:
    write_video(tmp_path / "film.mp4", 3, seed=0)
    if content is not None:
        (tmp_path / name).write_text(content)
    done = run(tmp_path, name, "--set", "run.device=cpu")
    assert words in error_line(done, code)
    assert done.stdout == ""
    assert not (tmp_path / "people.duckdb").exists()


@pytest.mark.heavy
def test_the_users_own_file_finds_the_heads_and_is_named_in_the_database(tmp_path: Path) -> None:
    write_video(tmp_path / "film.mp4", 12, seed=0)
    (tmp_path / "mine.py").write_text(CORNER)
    (report,) = json.loads(run(tmp_path, "mine.py").stdout)
    assert (report["done"], report["people"]) == (1, 1)
    with open_reader(tmp_path / "people.duckdb") as con:
        (provenance,) = done_videos(con).values()
    names = [name.partition("@")[0] for name in provenance.models]
    assert "mine" in names
    assert "yolo11n-pose" not in names

    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "mine.py").rename(tmp_path / "elsewhere" / "mine.py")
    (report,) = json.loads(run(tmp_path, moved).stdout)
    assert (report["done"], report["skipped"]) == (0, 1)
    moved.write_text(CORNER + "# changed\n")
    (report,) = json.loads(run(tmp_path, moved).stdout)
    assert (report["done"], report["skipped"]) == (1, 0)


@pytest.mark.heavy
def test_the_setting_names_the_detector_as_well_and_the_option_wins(tmp_path: Path) -> None:
    write_video(tmp_path / "film.mp4", 6, seed=0)
    (tmp_path / "mine.py").write_text(CORNER)
    (tmp_path / "headtrack.toml").write_text('[detect]\ndetector = "no.py"\n')
    words = ("run", "film.mp4", "--db", "people.duckdb", "--format", "json")
    assert "no.py does not exist" in error_line(headtrack(*words, cwd=tmp_path), 4)
    assert run(tmp_path, "mine.py").returncode == 0


@pytest.mark.heavy
@pytest.mark.ray
def test_workers_of_a_cluster_find_the_file_by_the_name_given_here(tmp_path: Path) -> None:
    write_video(tmp_path / "film.mp4", 6, seed=0)
    (tmp_path / "mine.py").write_text(CORNER)
    done = run(tmp_path, "mine.py", "--ray")
    assert done.returncode == 0, done.stderr
    (report,) = json.loads(done.stdout)
    assert (report["done"], report["people"]) == (1, 1)


def test_an_empty_detector_of_an_evaluation_is_refused(tmp_path: Path) -> None:
    done = headtrack("eval", "detector", "--data", ".", "--detector", "", cwd=tmp_path)
    assert "--detector is empty" in error_line(done, 2)
