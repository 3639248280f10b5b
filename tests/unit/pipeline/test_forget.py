from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headtrack.errors import StoreError
from headtrack.pipeline.commit import commit_leftovers
from headtrack.pipeline.forget import forget_person, what_to_forget
from headtrack.pipeline.progress import RunProgress, to_journal
from headtrack.store.database import open_reader
from headtrack.store.kept import keep_detections
from headtrack.store.rewrite import work_folders
from headtrack.store.spool import complete_parts, run_folder, write_parts
from tests.factories import PROVENANCE, Seen, cluster_by_basis, make_result, make_video, store


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    store(path, make_result([Seen(0, 9, 0), Seen(0, 9, 1, x=100, face=1)]))
    cluster_by_basis(path)
    shutil.rmtree(run_folder(path, "test"))
    return path


def person(db: Path) -> str:
    with open_reader(db) as con:
        return con.execute("SELECT person FROM track_identity WHERE track = 0").fetchall()[0][0]


def dead_pid() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_what_would_go_is_told_without_a_change(db: Path) -> None:
    before = db.read_bytes()
    told = what_to_forget(db, person(db))
    assert (told.extent.videos, told.extent.tracks, told.extent.heads) == (1, 1, 10)
    assert told.unclustered_tracks == 0
    assert db.read_bytes() == before


def test_what_an_interrupted_run_finished_is_committed_first(db: Path) -> None:
    run_dir = run_folder(db, f"20260101T000000-{dead_pid()}")
    write_parts(run_dir, make_result([Seen(0, 9, 0)]))  # the same content, analysed anew
    forget_person(db, person(db))
    assert complete_parts(run_dir) == []
    with open_reader(db) as con:
        assert con.execute("SELECT count(*) FROM tracklet").fetchall() == [(0,)]


def test_heads_that_an_interrupted_run_kept_are_removed(db: Path) -> None:
    run_dir = run_folder(db, f"20260101T000000-{dead_pid()}")
    with open_reader(db) as con:
        keep_detections(con, run_dir, make_video(), str(PROVENANCE.detection_hash))
    assert list(run_dir.glob("kept/*"))
    forget_person(db, person(db))
    assert not list(run_dir.glob("kept/*"))


def test_a_run_that_goes_on_is_waited_for(db: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        run_dir = run_folder(db, f"20260101T000000-{other.pid}")
        run_dir.mkdir(parents=True)
        to_journal(run_dir / "progress.jsonl")(RunProgress(0, 0, 0, 2, 0.0, 1.0, ""))
        with pytest.raises(StoreError, match=f"goes on .*process {other.pid}"):
            forget_person(db, person(db))
        other.communicate(b"\n")
    assert forget_person(db, person(db)).tracks == 1


def test_a_forget_that_died_leaves_the_database_whole_and_its_folder_is_removed_next_time(
    db: Path,
) -> None:
    before = db.read_bytes()
    died = db.parent / f"{db.name}.rewrite-{dead_pid()}"
    died.mkdir()
    (died / "changed").write_bytes(before)
    commit_leftovers(db)
    assert work_folders(db) == []
    assert db.read_bytes() == before


def test_a_kill_at_any_moment_leaves_the_old_or_the_new_database_whole(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from headtrack.pipeline.forget import forget_person\n"
        "calls, stop = 0, int(sys.argv[3])\n"
        "def trace(event, args):\n"
        "    global calls\n"
        "    if event in ('os.rename', 'os.mkdir', 'os.remove', 'shutil.rmtree', 'open'):\n"
        "        if '.rewrite-' in str(args):\n"
        "            calls += 1\n"
        "            if calls == stop:\n"
        "                os._exit(9)\n"
        "sys.addaudithook(trace)\n"
        "forget_person(Path(sys.argv[1]), sys.argv[2])\n"
    )
    outcomes = []
    for stop in (2, 3, 4, 5, 6, 7):
        db = tmp_path / str(stop) / "people.duckdb"
        db.parent.mkdir()
        store(db, make_result([Seen(0, 9, 0), Seen(0, 9, 1, x=100, face=1)]))
        cluster_by_basis(db)
        done = subprocess.run([sys.executable, "-c", code, str(db), person(db), str(stop)], timeout=60)
        with open_reader(db) as con:
            outcome = con.execute(
                "SELECT (SELECT count(*) FROM tracklet), (SELECT count(*) FROM forgotten)"
            ).fetchall()[0]
        assert outcome in ((2, 0), (1, 1))
        commit_leftovers(db)
        assert work_folders(db) == []
        outcomes.append((done.returncode, outcome))
    assert (9, (2, 0)) in outcomes


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        forget_person(tmp_path / "none.duckdb", "p_aaaaaaaa")
    assert list(tmp_path.iterdir()) == []
