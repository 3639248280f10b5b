from __future__ import annotations

import json
from pathlib import Path

import pytest

from headtrack.errors import StoreError
from headtrack.pipeline import progress
from headtrack.pipeline.progress import RunProgress, WorkerState, to_journal
from headtrack.pipeline.status import read_journal


def at(done: int, total: int = 10_000) -> RunProgress:
    return RunProgress(done, 0, 0, total, float(done), float(total), "/a.mp4", (WorkerState.here(),))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    to_journal(tmp_path / "journal")(at(3))
    run = read_journal(tmp_path / "journal")
    assert run is not None
    assert run.progress.videos_done == 3
    assert run.progress.workers[0].doing == "loading"


def test_of_many_reports_at_once_the_first_and_the_last_of_the_run_are_written(tmp_path: Path) -> None:
    write = to_journal(tmp_path / "journal", every_s=3600)
    for done in range(101):
        write(at(done, 100))
    lines = (tmp_path / "journal").read_text().splitlines()
    assert [json.loads(line)["videos_done"] for line in lines] == [0, 100]


def test_a_long_run_has_a_bounded_journal_that_keeps_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "JOURNAL_BYTES", 5000)
    write, journal = to_journal(tmp_path / "journal", every_s=0), tmp_path / "journal"
    write(at(0))
    begun = read_journal(journal)
    assert begun is not None
    for done in range(1, 200):
        write(at(done))
        assert journal.stat().st_size <= 5000
        run = read_journal(journal)
        assert run is not None
        assert (run.started_at, run.progress.videos_done) == (begun.started_at, done)
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]


def test_a_journal_without_workers_is_read(tmp_path: Path) -> None:
    names = [name for name in RunProgress.__slots__ if name != "workers"]
    (tmp_path / "journal").write_text(
        json.dumps({"at": 1.0, **dict.fromkeys(names, 0), "current": ""}) + "\n"
    )
    run = read_journal(tmp_path / "journal")
    assert run is not None
    assert run.progress.workers == ()


def test_a_journal_that_cannot_be_written_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"journal cannot be written .* another --db"):
        to_journal(tmp_path / "gone" / "journal")(at(0))
