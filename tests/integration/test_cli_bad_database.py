"""A database that is foreign, held, or on a full disk: one clear message, and it stays as it is."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from headtrack.store.database import open_reader
from tests.factories import Seen, make_result, store
from tests.integration.command_line import error_line, fill, headtrack, spawn, states, write_video

DISK_BYTES = 16 * 2**20

HOLD = """
import sys
from pathlib import Path
from headtrack.store.database import open_writer
with open_writer(Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("kind", ["duckdb", "text", "folder"])
def test_a_foreign_database_is_refused_and_left_as_it_is(kind: str, tmp_path: Path) -> None:
    db = tmp_path / "theirs.duckdb"
    if kind == "duckdb":
        with duckdb.connect(str(db)) as con:
            con.execute("CREATE TABLE accounts AS SELECT 1 AS id")
    elif kind == "text":
        db.write_text("our notes")
    else:
        db.mkdir()
    before = None if kind == "folder" else db.read_bytes()
    write_video(tmp_path / "film.mp4", 3, seed=0)
    for words in (["run", "film.mp4"], ["people"], ["status"], ["cluster"]):
        done = headtrack(*words, "--db", db, cwd=tmp_path)
        assert "theirs.duckdb" in error_line(done, 5)
    assert before is None or db.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["film.mp4", "theirs.duckdb"]


def test_a_database_that_another_process_holds_is_named_with_its_holder(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0)]))
    write_video(tmp_path / "film.mp4", 3, seed=0)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(db)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        try:
            for words in (["run", "film.mp4"], ["people"]):
                message = error_line(headtrack(*words, "--db", db, cwd=tmp_path), 5)
                assert str(holder.pid) in message
        finally:
            holder.communicate()
    assert states(db)["a.mp4"][0] == "complete"


def test_a_database_that_is_open_for_reading_elsewhere_can_still_be_read(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    fill(db)
    with open_reader(db):
        done = headtrack("people", "--db", db, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 1


# A full disk


def test_a_full_disk_says_so_and_keeps_what_was_stored(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("only root may mount a small disk here; the test with a limit on file size runs")
    try:
        db = disk / "people.duckdb"
        fill(db)
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        (tmp_path / "zero.mp4").touch()
        done = headtrack("run", "zero.mp4", "--db", db, cwd=tmp_path)
        assert "free some space" in error_line(done, 5)
        filler.unlink()
        assert states(db) == {"a.mp4": ("complete", None)}
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_limit_on_file_size_says_so_and_keeps_what_was_stored(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    fill(db)
    (tmp_path / "zero.mp4").touch()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    done = spawn("run", "zero.mp4", "--db", db, cwd=tmp_path, limit=limit)
    assert "free some space" in error_line(done, 5)
    assert states(db) == {"a.mp4": ("complete", None)}
