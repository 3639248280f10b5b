from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from headtrack.errors import StoreError, StoreLockedError
from headtrack.store import rewrite as module
from headtrack.store.database import open_reader, open_writer
from headtrack.store.rewrite import rewrite, work_folders
from tests.factories import Seen, cluster_by_basis, make_result, store

TABLES = ("video", "video_path", "shot", "head", "tracklet", "crop_embedding", "track_identity", "person")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "o'dd [1].duckdb"
    store(path, make_result([Seen(0, 9, 0), Seen(0, 19, 1, x=100, face=1)], loose_frames=(3,)))
    cluster_by_basis(path)
    return path


def content(path: Path) -> list[object]:
    with open_reader(path) as con:
        return [con.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall() for table in TABLES]


def test_all_rows_and_definitions_stay_the_users_own_and_comments_included(db: Path) -> None:
    with duckdb.connect(str(db)) as con:
        con.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text VARCHAR CHECK (text <> '')); "
                    "INSERT INTO note VALUES (1, 'mine'); CREATE VIEW mine AS SELECT * FROM note; "
                    "COMMENT ON VIEW mine IS 'my view'; CREATE INDEX by_text ON note (text)")  # fmt: skip
    before = content(db)
    os.chmod(db, 0o640)
    assert rewrite(db, lambda con: con.execute("SELECT 7").fetchall()) == [(7,)]
    assert content(db) == before
    assert db.stat().st_mode & 0o777 == 0o640
    with duckdb.connect(str(db)) as con:
        assert con.execute("SELECT * FROM mine").fetchall() == [(1, "mine")]
        with pytest.raises(duckdb.ConstraintException):
            con.execute("INSERT INTO note VALUES (1, 'twice')")
    with open_writer(db):  # no migration is due
        pass
    assert {p.name for p in db.parent.iterdir()} == {db.name, f"{db.name}.runs"}


def test_a_change_that_fails_leaves_the_database_and_its_folder_as_they_were(db: Path) -> None:
    before, beside = db.read_bytes(), sorted(db.parent.iterdir())

    def change(con: duckdb.DuckDBPyConnection) -> None:
        con.execute("DELETE FROM head")
        raise StoreError("no more")

    with pytest.raises(StoreError, match="no more"):
        rewrite(db, change)
    assert db.read_bytes() == before
    assert sorted(db.parent.iterdir()) == beside


def test_a_copy_that_lacks_something_does_not_take_the_place(db: Path) -> None:
    before = db.read_bytes()
    with pytest.raises(
        StoreError, match=r"without loss: main\.extra, main\.extra\.one would not be the same"
    ):
        rewrite(db, lambda con: con.execute("CREATE TABLE extra AS SELECT 1 AS one"))
    assert db.read_bytes() == before


def test_a_link_is_followed(db: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(db)
    rewrite(link, lambda con: con.execute("DELETE FROM head"))
    assert link.is_symlink()
    with open_reader(db) as con:
        assert con.execute("SELECT count(*) FROM head").fetchall() == [(0,)]


def test_the_change_reaches_no_other_file(db: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(StoreError, match="disabled"):
        rewrite(db, lambda con: con.execute(f"SELECT * FROM '{tmp_path}/secret.csv'"))


def test_a_database_that_is_open_elsewhere_is_left_alone(db: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "LOCK_WAIT_S", 0.0)
    with open_writer(db), pytest.raises(StoreLockedError):
        rewrite(db, lambda con: None)


def test_folders_of_work_are_told_with_their_process(db: Path) -> None:
    (db.parent / f"{db.name}.rewrite-123").mkdir()
    (db.parent / f"{db.name}.rewrite-x").mkdir()
    (db.parent / "other.duckdb.rewrite-5").mkdir()
    assert work_folders(db) == [(db.parent / f"{db.name}.rewrite-123", 123)]
