from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from headtrack.errors import StoreError
from headtrack.store import migrate
from headtrack.store.database import open_reader, open_writer
from headtrack.store.migrate import Migration, known_migrations
from tests.factories import Seen, make_result, store


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    store(path, make_result([Seen(0, 9, 0)]))
    return path


def edit(path: Path, sql: str) -> None:
    """Change the database behind headtrack's back."""
    with duckdb.connect(str(path)) as con:
        con.execute(sql)


def ledger(path: Path) -> list[tuple[int, str]]:
    with open_reader(path) as con:
        return con.execute("SELECT number, name FROM headtrack_migration ORDER BY number").fetchall()


def test_a_new_database_has_every_migration_and_its_views_in_the_ledger(db: Path) -> None:
    assert ledger(db) == [(0, "views"), *((m.number, m.name) for m in known_migrations())]


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [m.number for m in known_migrations()] == list(range(1, len(known_migrations()) + 1))


def test_opening_again_changes_nothing(db: Path) -> None:
    with open_reader(db) as con:
        before = con.execute("SELECT * FROM headtrack_migration ORDER BY number").fetchall()
    with open_writer(db):
        pass
    with open_reader(db) as con:
        assert con.execute("SELECT * FROM headtrack_migration ORDER BY number").fetchall() == before


def test_an_altered_migration_is_schema_drift(db: Path) -> None:
    edit(db, "UPDATE headtrack_migration SET sha256 = 'other' WHERE number = 1")
    for how in (open_reader, open_writer):
        with pytest.raises(StoreError, match=r"schema drift: migration 1 \(first_tables\)"), how(db):
            pass


def test_a_database_of_a_newer_headtrack_is_refused(db: Path) -> None:
    edit(db, "INSERT INTO headtrack_migration VALUES (9999, 'later', 'x', now()::TIMESTAMP, '9.9.9')")
    for how in (open_reader, open_writer):
        with pytest.raises(StoreError, match=r"schema 9999 \(later\), .* 9\.9\.9.*update"), how(db):
            pass


def test_a_later_migration_is_applied_to_an_older_database(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = [*known_migrations(), Migration(9999, "add_note", "ALTER TABLE video ADD COLUMN note VARCHAR;")]
    monkeypatch.setattr(migrate, "known_migrations", lambda: later)
    with pytest.raises(StoreError, match="needs 9999; `headtrack run` with --db"), open_reader(db):
        pass
    with open_writer(db) as con:
        assert con.execute("SELECT note FROM video").fetchall() == [(None,)]
        assert con.execute("SELECT count(*) FROM head_by_frame").fetchall() == [(10,)]
    assert ledger(db)[-1] == (9999, "add_note")


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ledger(db)
    faulty = "ALTER TABLE video ADD COLUMN note VARCHAR; SELECT * FROM nowhere;"
    with monkeypatch.context() as patched:
        patched.setattr(
            migrate, "known_migrations", lambda: [*known_migrations(), Migration(9999, "x", faulty)]
        )
        with pytest.raises(StoreError, match="nowhere"), open_writer(db):
            pass
    assert ledger(db) == before
    with open_reader(db) as con:
        assert "note" not in [row[0] for row in con.execute("DESCRIBE video").fetchall()]


def test_views_are_made_anew_where_they_changed(db: Path) -> None:
    edit(db, "CREATE OR REPLACE VIEW shot_by_video AS SELECT 1 AS old")
    edit(db, "UPDATE headtrack_migration SET sha256 = 'old' WHERE number = 0")
    with open_writer(db) as con:
        assert "start_frame" in [row[0] for row in con.execute("DESCRIBE shot_by_video").fetchall()]


def test_a_view_that_a_user_added_stays(db: Path) -> None:
    edit(db, "CREATE VIEW mine AS SELECT * FROM head_by_frame")
    edit(db, "UPDATE headtrack_migration SET sha256 = 'old' WHERE number = 0")
    with open_writer(db) as con:
        assert con.execute("SELECT count(*) FROM mine").fetchall() == [(10,)]


def test_an_empty_duckdb_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    duckdb.connect(str(path)).close()
    with pytest.raises(StoreError, match="has schema 0"), open_reader(path):
        pass
    store(path, make_result([]))
    assert ledger(path)[0] == (0, "views")
