"""`headtrack train detector` and `headtrack eval detector`, as a user runs them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from headtrack.models.weights import weights_path
from headtrack.settings import TrainSettings
from headtrack.training.detector import train_detector
from headtrack.training.split import is_held_out
from tests.integration.command_line import Outcome, error_line, headtrack, write_video

QUICK = TrainSettings(epochs=3, image_px=64, batch=4)
QUICK_WORDS = ("--set", "train.epochs=3", "--set", "train.image_px=64", "--set", "train.batch=4")

# Finds one head in every picture: the one that `write_data` labels.
ORACLE = """
import numpy as np
from headtrack.types import Heads

class Oracle:
    model_ids = ("oracle@1",)

    def detect(self, batch):
        n, (height, width) = len(batch), batch.rgb.shape[1:3]
        box = np.array([0.25 * width, 0.25 * height, 0.75 * width, 0.75 * height])
        nan = np.full((n, 4), np.nan)
        return Heads(batch.frame, np.tile(box, (n, 1)), np.full(n, 0.8), np.zeros(n), nan[:, 0], nan[:, 0],
                     nan, np.full((n, 5, 2), np.nan), nan)

def make_detector(settings, *, device, threads):
    return Oracle()
"""


def write_data(folder: Path, pictures: int = 12) -> Path:
    """Write noise with one labelled box a picture."""
    rng = np.random.default_rng(0)
    for name in ("images", "labels"):
        (folder / name).mkdir(parents=True)
    for i in range(pictures):
        cv2.imwrite(str(folder / "images" / f"p{i}.png"), rng.integers(0, 255, (48, 64, 3), np.uint8))
        (folder / "labels" / f"p{i}.txt").write_text("0 0.5 0.5 0.5 0.5\n")
    return folder


def train(folder: Path, *words: object) -> Outcome:
    return headtrack("train", "detector", "--data", "data", "--out", "out", *words, cwd=folder)


@pytest.mark.heavy
def test_a_training_that_was_stopped_goes_on_after_its_last_whole_epoch(tmp_path: Path) -> None:
    weights_path("yolo11n-pose")
    data, out = write_data(tmp_path / "data"), tmp_path / "out"
    before = sorted(data.rglob("*"))

    def stop_in_the_second_epoch(done: int, total: int) -> None:
        if done > total / QUICK.epochs:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_detector(data, out, QUICK, device="cpu", on_batch=stop_in_the_second_epoch)
    assert not (out / "head.pt").exists()
    assert json.loads((out / "training.json").read_text())["state"] == "running"

    other = train(tmp_path, *QUICK_WORDS, "--set", "train.seed=7")
    assert "unfinished training with another settings" in error_line(other, 2)

    batches: list[int] = []
    done = train_detector(data, out, QUICK, device="cpu", on_batch=lambda n, _: batches.append(n))
    per_epoch = batches[-1] / QUICK.epochs
    assert batches[0] == per_epoch + 1
    assert done.epochs == QUICK.epochs
    record = json.loads((out / "training.json").read_text())
    assert record["state"] == "finished"
    assert record["settings"]["epochs"] == QUICK.epochs
    held_out = sum(is_held_out(f"p{i}") for i in range(12))
    assert record["split"]["pictures"] == {"train": 12 - held_out, "held_out": held_out}
    assert set(record["sha256"]) == {"head.pt", "head.onnx"}
    assert "metrics/mAP50(B)" in record["held_out"]
    assert sorted(data.rglob("*")) == before

    again = train(tmp_path, *QUICK_WORDS)
    assert "holds a finished detector" in error_line(again, 2)


@pytest.mark.heavy
def test_the_command_prints_one_row_and_only_data_on_stdout(tmp_path: Path) -> None:
    write_data(tmp_path / "data")
    done = train(tmp_path, *QUICK_WORDS, "--set", "train.epochs=1", "--format", "json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (tmp_path / row["weights"]).is_file()
    assert (tmp_path / row["onnx"]).is_file()
    assert row["epochs"] == 1
    scored = headtrack(
        "eval", "detector", "--data", "data", "--detector", row["onnx"], "--format", "json", cwd=tmp_path
    )
    assert json.loads(scored.stdout)["detector"][0].startswith("head@")


@pytest.mark.parametrize(
    ("label", "words"),
    [("1 0.5 0.5 0.1 0.1", "p0.txt, line 1: class 1"), ("0 0.5", "p0.txt, line 1: expected 5 numbers")],
)
def test_a_wrong_label_is_told_with_its_line(tmp_path: Path, label: str, words: str) -> None:
    write_data(tmp_path / "data")
    (tmp_path / "data" / "labels" / "p0.txt").write_text(label)
    assert words in error_line(train(tmp_path), 6)
    assert not (tmp_path / "out").exists()


def test_too_little_data_is_told(tmp_path: Path) -> None:
    write_data(tmp_path / "data")
    assert "has no picture held out" in error_line(train(tmp_path, "--together", "p*"), 6)
    for path in (tmp_path / "data" / "labels").iterdir():
        path.write_text("")
    assert "no head among the pictures to learn from" in error_line(train(tmp_path), 6)
    missing = headtrack("train", "detector", "--data", "no", "--out", "out", cwd=tmp_path)
    assert "no does not exist" in error_line(missing, 6)


def test_a_file_that_is_there_already_is_not_written_over(tmp_path: Path) -> None:
    write_data(tmp_path / "data")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "head.pt").write_text("mine")
    assert "holds head.pt of something else" in error_line(train(tmp_path), 2)
    assert (tmp_path / "out" / "head.pt").read_text() == "mine"


def score(folder: Path, *words: object, data: str = "data") -> Outcome:
    return headtrack("eval", "detector", "--data", data, "--detector", "oracle.py", *words, cwd=folder)


@pytest.mark.heavy
def test_a_detector_is_scored_on_the_held_out_part_of_a_yolo_folder_or_on_all(tmp_path: Path) -> None:
    write_data(tmp_path / "data", pictures=30)
    (tmp_path / "oracle.py").write_text(ORACLE)
    held_out = json.loads(score(tmp_path, "--format", "json").stdout)
    assert held_out["pictures"] == sum(is_held_out(f"p{i}") for i in range(30))
    assert held_out["ap50"] == held_out["ap50_95"] == held_out["precision"] == held_out["recall"] == 1.0
    assert held_out["by_view"] == []
    every = json.loads(score(tmp_path, "--part", "all", "--format", "json").stdout)
    assert every["pictures"] == 30
    rows = list(csv.DictReader(io.StringIO(score(tmp_path, "--format", "csv").stdout)))
    values = {row["figure"]: row["value"] for row in rows}
    assert values["AP50"] == "1.0"
    assert values["recall, 20 to 40 px"] == "1.0"
    strict = score(tmp_path, "--set", "detect.min_score=0.9", "--format", "json")
    assert json.loads(strict.stdout)["recall"] == 0.0
    assert json.loads(strict.stdout)["ap50"] == 1.0


@pytest.mark.heavy
def test_a_detector_is_scored_on_the_labelled_frames_of_clips_by_view(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    for name in ("clips/clips", "clips/labels"):
        (tmp_path / name).mkdir(parents=True)
    write_video(clips / "clips" / "a.mp4", 9, seed=0)  # 320 x 240
    (clips / "labels" / "shots.csv").write_text("clip,shot,first_frame,last_frame\na.mp4,0,0,8\n")
    header = "clip,frame,person,x1,y1,x2,y2,view,appearance,ignore\n"
    rows = "a.mp4,3,P1,80,60,240,180,rear,,0\na.mp4,8,P1,0,0,30,30,front,,0\n"
    (clips / "labels" / "heads.csv").write_text(header + rows)
    (tmp_path / "oracle.py").write_text(ORACLE)
    report = json.loads(score(tmp_path, "--format", "json", data="clips").stdout)
    assert (report["pictures"], report["heads"]) == (2, 2)
    assert {row["name"]: row["recall"] for row in report["by_view"]} == {"front": 0.0, "rear": 1.0}
    refused = score(tmp_path, "--part", "held-out", data="clips")
    assert "are for YOLO folders" in error_line(refused, 2)


def test_options_before_the_word_detector_are_told_where_to_go(tmp_path: Path) -> None:
    done = headtrack("eval", "--data", ".", "detector", "--data", ".", cwd=tmp_path)
    assert "after `detector`" in error_line(done, 2)
    assert "Missing option '--data'" in error_line(headtrack("eval", cwd=tmp_path), 2)


def test_a_picture_that_cannot_be_read_is_named_before_the_training(tmp_path: Path) -> None:
    write_data(tmp_path / "data")
    (tmp_path / "data" / "images" / "p3.png").write_text("junk")
    done = train(tmp_path, *QUICK_WORDS)
    assert "p3.png cannot be read as a picture" in error_line(done, 6)
    assert not (tmp_path / "out").exists()


def test_results_are_not_written_into_the_data(tmp_path: Path) -> None:
    write_data(tmp_path / "data")
    done = headtrack("train", "detector", "--data", "data", "--out", "data/out", cwd=tmp_path)
    assert "lies in --data" in error_line(done, 2)
