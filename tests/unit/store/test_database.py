from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from headtrack.errors import StoreError, StoreLockedError
from headtrack.store.database import open_reader, open_writer
from headtrack.store.transaction import store_error
from tests.factories import Seen, make_result, store

ROOT = Path(__file__).resolve().parents[3]

HOLD = """
import sys
from pathlib import Path
from headtrack.store.database import open_reader, open_writer
how = open_writer if sys.argv[2] == "write" else open_reader
with how(Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.read()
"""

KILLED_BEFORE_COMMIT = """
import os, signal, sys
from pathlib import Path
from headtrack.store import ingest
from headtrack.store.database import open_writer
ingest._move_path = lambda con, row: os.kill(os.getpid(), signal.SIGKILL)
with open_writer(Path(sys.argv[1])) as con:
    ingest.ingest_video(con, Path(sys.argv[2]))
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    store(path, make_result([Seen(0, 9, 0)]))
    return path


class Holder:
    """A second process that has the database open."""

    def __init__(self, path: Path, how: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path), how],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> int:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        return self.process.pid

    def __exit__(self, *_: object) -> None:
        self.process.communicate("")


def heads(path: Path) -> int:
    with open_reader(path) as con:
        return con.execute("SELECT count(*) FROM head").fetchall()[0][0]


def test_a_reader_names_the_process_that_writes(db: Path) -> None:
    with Holder(db, "write") as pid, pytest.raises(StoreLockedError, match=rf"process {pid} ") as error:  # noqa: SIM117
        with open_reader(db, wait_s=0.2):
            pass
    assert str(db) in str(error.value)


def test_a_writer_names_the_process_that_reads(db: Path) -> None:
    with Holder(db, "read") as pid, pytest.raises(StoreLockedError, match=rf"process {pid} "):  # noqa: SIM117
        with open_writer(db, wait_s=0.2):
            pass


def test_a_reader_waits_for_a_short_write_to_end(db: Path) -> None:
    holder = Holder(db, "write")
    holder.__enter__()
    assert holder.process.stdin is not None
    holder.process.stdin.close()  # ends it while the reader already waits
    with open_reader(db, wait_s=20):
        pass
    holder.process.wait()
    assert holder.process.stdout is not None
    holder.process.stdout.close()


def test_two_readers_do_not_disturb_each_other(db: Path) -> None:
    with Holder(db, "read"):
        assert heads(db) == 10


def test_a_reader_inside_a_writer_of_the_same_process_is_told_so(db: Path) -> None:
    with open_writer(db), pytest.raises(StoreLockedError, match="already open in this process"):  # noqa: SIM117
        with open_reader(db, wait_s=0):
            pass


def test_a_run_killed_before_its_commit_leaves_the_old_state(db: Path, tmp_path: Path) -> None:
    from headtrack.store.spool import write_parts

    part = write_parts(tmp_path / "run", make_result([Seen(0, 4, 0)]))
    done = subprocess.run([sys.executable, "-c", KILLED_BEFORE_COMMIT, str(db), str(part)], cwd=ROOT)
    assert done.returncode == -9
    assert heads(db) == 10
    with open_writer(db):
        pass
    assert heads(db) == 10


def test_a_missing_database_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"does not exist; run `headtrack run"), open_reader(tmp_path / "no"):
        pass
    assert not (tmp_path / "no").exists()


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    for how in (open_reader, open_writer):
        with pytest.raises(StoreError, match="is a folder"), how(tmp_path):
            pass


def test_a_missing_parent_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no folder .*nowhere"):  # noqa: SIM117
        with open_writer(tmp_path / "nowhere" / "people.duckdb"):
            pass
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\0" + bytes(4096), bytes(20_000)])
def test_a_file_that_is_no_duckdb_database_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "people.duckdb"
    path.write_bytes(content)
    for how in (open_reader, open_writer):
        with pytest.raises(StoreError, match="foreign file"), how(path):
            pass
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["people.duckdb"]


def test_a_real_sqlite_database_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    con = sqlite3.connect(path)
    con.execute("CREATE TABLE t (a)")
    con.commit()
    con.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="foreign file"), open_writer(path):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "made_by", ["CREATE TABLE shop (a INT)", "CREATE SCHEMA s; CREATE TABLE s.t (a INT)"]
)
def test_another_programs_duckdb_database_stays_as_it_is(tmp_path: Path, made_by: str) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(made_by)
    before = path.read_bytes()
    for how in (open_reader, open_writer):
        with pytest.raises(StoreError, match="foreign database"), how(path):
            pass
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["shop.duckdb"]


def test_a_damaged_database_is_an_error_of_the_store(db: Path) -> None:
    content = bytearray(db.read_bytes())
    content[100:8000] = os.urandom(7900)
    db.write_bytes(content)
    with pytest.raises(StoreError, match=r"people\.duckdb"), open_reader(db):
        pass


def test_a_database_in_a_folder_with_glob_characters_works(tmp_path: Path) -> None:
    folder = tmp_path / "a[1] * {x}"
    folder.mkdir()
    store(folder / "people.duckdb", make_result([Seen(0, 9, 0)]))
    assert heads(folder / "people.duckdb") == 10


def test_a_folder_without_write_permission_is_named(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "people.duckdb"), "write"]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may write everywhere, and there is no setpriv to give that up")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    tmp_path.chmod(0o555)
    try:
        done = subprocess.run(command, cwd=ROOT, input="", capture_output=True, text=True)
    finally:
        tmp_path.chmod(0o755)
    assert "StoreError" in done.stderr
    assert "Permission denied; give yourself the right to it" in done.stderr.splitlines()[-1]


def test_a_full_disk_keeps_what_was_stored(db: Path) -> None:
    # The limit on a file's size stands in for the disk's; DuckDB meets the same failed write.
    code = """
import resource, signal, sys
from pathlib import Path
from headtrack.store.database import open_writer
from headtrack.store.transaction import transaction
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_writer(Path(sys.argv[1])) as con:
    limit = Path(sys.argv[1]).stat().st_size + 100_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    with transaction(con):
        con.execute("INSERT INTO person SELECT md5(range::VARCHAR), md5(range::VARCHAR) FROM range(500000)")
"""
    done = subprocess.run([sys.executable, "-c", code, str(db)], cwd=ROOT, capture_output=True, text=True)
    assert "StoreError" in done.stderr
    assert "free some space" in done.stderr
    assert heads(db) == 10


def test_a_message_of_another_kind_keeps_its_first_line() -> None:
    error = store_error(duckdb.BinderException("Binder Error: no column x\nLINE 1: ..."))
    assert str(error) == "the database: Binder Error: no column x"
    assert not isinstance(error, StoreLockedError)
