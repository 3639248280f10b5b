from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from headtrack.pipeline.prune import KEPT_RUNS, prune_runs
from headtrack.pipeline.status import SILENT_S, run_in_progress
from headtrack.store.spool import run_folder, write_parts
from tests.factories import Seen, make_result

NO_PROCESS = 2**22 + 1  # above the highest process id of Linux
NOW = 1e9


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "people.duckdb"


def run_on(db: Path, day: int, *, done: int = 2, said_at: float = NOW, pid: int = NO_PROCESS) -> Path:
    """Make the folder of a run over two videos."""
    run_dir = run_folder(db, f"202601{day:02d}T000000-{pid}")
    run_dir.mkdir(parents=True)
    report = {
        **{"at": said_at, "videos_done": done, "videos_skipped": 0, "videos_failed": 0, "videos_total": 2},
        **{"seconds_done": 0.0, "seconds_total": 0.0, "current": ""},
    }
    (run_dir / "progress.jsonl").write_text(json.dumps(report) + "\n")
    return run_dir


def test_the_latest_runs_are_kept_and_older_ones_removed(db: Path) -> None:
    runs = [run_on(db, day) for day in range(1, KEPT_RUNS + 4)]
    prune_runs(db, now=NOW)
    assert [run_dir for run_dir in runs if run_dir.exists()] == runs[-KEPT_RUNS:]


def test_parts_that_are_not_in_the_database_keep_their_folder(db: Path) -> None:
    runs = [run_on(db, day) for day in range(1, 5)]
    write_parts(runs[0], make_result([Seen(0, 9, 0)]))
    prune_runs(db, keep=2, now=NOW)
    assert [run_dir.exists() for run_dir in runs] == [True, False, True, True]


def test_kept_heads_of_runs_that_are_over_go_and_those_of_others_stay(db: Path) -> None:
    runs = [run_on(db, 1), run_on(db, 2, done=1, said_at=NOW)]
    files = [run_dir / "kept" / "a.parquet" for run_dir in runs]
    for file in files:
        file.parent.mkdir()
        file.touch()
    prune_runs(db, now=NOW)
    assert [file.exists() for file in files] == [False, True]


def test_a_run_that_may_go_on_keeps_its_folder_and_status_finds_it(db: Path) -> None:
    here = run_on(db, 1, done=1, pid=os.getpid())
    elsewhere = run_on(db, 2, done=1, said_at=NOW - SILENT_S / 2)
    dead = run_on(db, 3, done=1, said_at=NOW - 2 * SILENT_S)
    prune_runs(db, keep=0, now=NOW)
    assert [here.exists(), elsewhere.exists(), dead.exists()] == [True, True, False]
    run = run_in_progress(db, now=NOW)
    assert run is not None
    assert run.run_id == here.name


def test_folders_of_other_names_are_left_alone(db: Path) -> None:
    other = run_folder(db, "my-notes")
    other.mkdir(parents=True)
    prune_runs(db, keep=0, now=NOW)
    assert other.is_dir()


def test_a_database_without_runs_is_normal(db: Path) -> None:
    prune_runs(db)
    assert not db.parent.joinpath("people.duckdb.runs").exists()
