from __future__ import annotations

from pathlib import Path

import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.evaluate import archive_name, evaluate, score
from headtrack.evaluation.truth import Truth


def test_people_of_different_clips_are_different_unless_labelled_as_one(labels):
    assert archive_name(labels, "a.mp4", "P1") == "H1"
    assert archive_name(labels, "a.mp4", "P2") == "a.mp4 P2"


def test_one_id_for_people_of_two_clips_costs_only_over_clips(labels, perfect, make_found):
    heads = make_found((5, 10, 10, 30, 30, "rear", 0, "p1"), (7, 10, 10, 30, 30, "profile", 0, "p1"))
    perfect["clips/b.mp4"] = type(perfect["clips/b.mp4"])(heads, [])
    evaluation = score(Truth(labels), perfect, oracle=[])
    assert evaluation.identity["b.mp4"].bcubed.f1 == 1
    assert evaluation.over_clips.bcubed.precision < 1


def test_the_job_gets_every_labelled_file_and_no_other(data_dir: Path):
    (data_dir / "clips/unlabelled.mp4").touch()
    given: list[Path] = []

    def run_archive(paths: list[Path], db: Path) -> None:
        given.extend(paths)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        evaluate(data_dir, run_archive=run_archive, db=data_dir / "x.duckdb")
    assert [path.relative_to(data_dir.resolve()).as_posix() for path in given] == [
        "clips/a.mp4",
        "clips/b.mp4",
        "stills/one.png",
        "stills/two.png",
    ]


def test_bad_labels_are_reported_before_anything_runs(data_dir: Path):
    (data_dir / "labels/heads.csv").write_text("nothing\n")

    def run_archive(paths: list[Path], db: Path) -> None:
        raise AssertionError("ran in spite of bad labels")

    with pytest.raises(DatasetError):
        evaluate(data_dir, run_archive=run_archive, db=data_dir / "x.duckdb")
