from __future__ import annotations

import hmac
import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pytest

from headtrack.errors import StoreError
from headtrack.pipeline.forget import forget_person
from headtrack.store.database import open_reader, open_writer
from headtrack.store.forget import person_extent, unclustered_tracks
from headtrack.store.read import named_query, run_checks
from headtrack.store.spool import run_folder
from headtrack.types import VideoResult
from tests.factories import Seen, cluster_by_basis, make_result, make_video, name_person, store

NAME = "Wilhelmina Vanishing"
TABLES = (
    "video",
    "video_path",
    "shot",
    "head",
    "tracklet",
    "detection",
    "crop_embedding",
    "track_identity",
    "person",
)


def telling(result: VideoResult, seed: int) -> VideoResult:
    """Give every crop embeddings of its own."""
    e, rng = result.embeddings, np.random.default_rng(seed)

    def unit(basis: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        v = rng.normal(size=(len(basis), 128))
        v[:, : basis.shape[1]] += basis * 20
        return v / np.linalg.norm(v, axis=1, keepdims=True)

    crops = replace(e, identity=unit(e.identity), appearance=unit(e.appearance))
    return replace(result, embeddings=crops)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two videos and a still; person 0 is in all of them, person 1 beside them in one."""
    path = tmp_path / "people.duckdb"
    first = make_result([Seen(0, 9, 0), Seen(0, 19, 1, x=100, face=1)], loose_frames=(3,))
    second = make_result([Seen(5, 19, 0, x=40)], video=make_video("b" * 16, "/archive/b.mp4"))
    still = make_result([Seen(0, 0, 0)], video=make_video("c" * 16, "/archive/c.jpg"), frame_time_s=[0.0])
    store(path, telling(first, 1), telling(second, 2), telling(still, 3))
    cluster_by_basis(path)
    shutil.rmtree(run_folder(path, "test"))
    with open_writer(path) as con:
        name_person(con, who(path, 0, con), NAME)
    return path


def store_uncompressed(db: Path) -> None:
    """Write the embeddings as they are, so that their bytes can be looked for in the file."""
    with duckdb.connect(str(db)) as con:
        con.execute("PRAGMA force_compression = 'uncompressed'")
        con.execute("CREATE TABLE kept AS FROM crop_embedding; DELETE FROM crop_embedding")
        con.execute("INSERT INTO crop_embedding FROM kept; DROP TABLE kept; CHECKPOINT")


def who(db: Path, track: int, con: duckdb.DuckDBPyConnection | None = None) -> str:
    """Give the person of a track of the first video."""
    sql = "SELECT person FROM track_identity WHERE video_id = ? AND track = ?"
    if con is not None:
        return con.execute(sql, ["a" * 16, track]).fetchall()[0][0]
    with open_reader(db) as reader:
        return reader.execute(sql, ["a" * 16, track]).fetchall()[0][0]


def rows(db: Path, sql: str) -> list[tuple]:
    with open_reader(db) as con:
        return con.execute(sql).fetchall()


def traces(db: Path, patterns: list[bytes]) -> list[tuple[str, bytes]]:
    """Give each file of the database and its run folder that holds one of the patterns."""
    files = [p for p in db.parent.rglob("*") if p.is_file()]
    return [(str(f), pattern) for f in files for pattern in patterns if pattern in f.read_bytes()]


def test_no_byte_of_the_person_is_in_any_file_afterwards(db: Path) -> None:
    store_uncompressed(db)
    person = who(db, 0)
    crops = rows(
        db,
        "SELECT identity, crop_embedding.appearance FROM crop_embedding "
        "JOIN tracklet USING (video_id, tracklet) "
        f"JOIN track_identity USING (video_id, track) WHERE person = '{person}'",
    )
    vectors = [np.array(v[40:44], np.float32).tobytes() for row in crops for v in row]
    patterns = [*vectors, NAME.encode(), person.encode()]
    assert {p for _, p in traces(db, patterns)} == set(patterns)  # the search finds them while they are there
    half = run_folder(db, "20260101T000000-1") / "parts" / f".{'b' * 16}.1.new"
    half.mkdir(parents=True)
    (half / "crop_embedding.parquet").write_bytes(vectors[0])
    (db.parent / f"{db.name}.tmp").mkdir()
    (db.parent / f"{db.name}.tmp" / "of_a_crash").write_bytes(vectors[0])

    receipt = forget_person(db, NAME)

    assert (receipt.receipt, receipt.videos, receipt.tracks) == (1, 3, 3)
    assert receipt.crops == len(crops)
    assert traces(db, patterns) == []
    with open_reader(db) as con:
        assert con.execute("SELECT free_blocks FROM pragma_database_size()").fetchall() == [(0,)]
    assert not list(db.parent.glob("*.wal")) + list(db.parent.glob("*.rewrite-*"))


def test_everybody_elses_rows_are_equal_and_the_database_is_sound(db: Path) -> None:
    other = who(db, 1)
    with open_reader(db) as con:
        before = {t: con.execute(f"SELECT * FROM {t} ORDER BY ALL").fetchall() for t in TABLES}
    forget_person(db, who(db, 0))
    with open_reader(db) as con:
        after = {t: con.execute(f"SELECT * FROM {t} ORDER BY ALL").fetchall() for t in TABLES}
        assert run_checks(con) == []
    for table in ("video", "video_path", "shot"):
        assert after[table] == before[table]
    assert (len(before["detection"]), after["detection"]) == (41, [])
    assert after["person"] == [(other, None)]
    assert after["track_identity"] == [row for row in before["track_identity"] if other in row]
    assert after["tracklet"] == [row for row in before["tracklet"] if (row[0][0], row[1]) == ("a", 1)]
    assert after["crop_embedding"] == [
        row for row in before["crop_embedding"] if (row[0][0], row[1]) == ("a", 1)
    ]
    assert after["head"] == [row for row in before["head"] if row[0][0] == "a" and row[-1] in (1, None)]


def test_the_receipt_stays_with_counts_and_hashes_alone(db: Path) -> None:
    person = who(db, 0)
    receipt = forget_person(db, person)
    with open_reader(db) as con:
        listed = named_query(con, "receipts", {})
    assert [row[0] for row in listed.rows] == [1]
    assert listed.rows[0][-1] == receipt.digest
    ((salt, places),) = rows(db, "SELECT salt, places FROM forgotten")
    assert receipt.digest == hmac.digest(salt, person.encode(), "sha256").hex()
    assert rows(db, "SELECT count(*), count(DISTINCT video_id) FROM forgotten_place") == [(places, 3)]
    assert receipt.heads == 10 + 15 + 1

    second = forget_person(db, who(db, 1))
    assert second.receipt == 2
    assert rows(db, "SELECT count(*) FROM person") == [(0,)]
    assert rows(db, "SELECT count(DISTINCT salt) FROM forgotten") == [(2,)]


def test_a_loose_detection_inside_the_person_goes_and_one_elsewhere_stays(db: Path) -> None:
    with open_writer(db) as con:
        con.execute("UPDATE head SET x1 = 12, x2 = 30 WHERE tracklet IS NULL")
        con.execute(
            "INSERT INTO head BY NAME "
            "SELECT * REPLACE (200 AS x1, 220 AS x2) FROM head WHERE tracklet IS NULL"
        )
    forget_person(db, who(db, 0))
    assert rows(db, "SELECT x1 FROM head WHERE tracklet IS NULL") == [(200.0,)]


def test_the_extent_of_a_person_is_what_goes(db: Path) -> None:
    with open_reader(db) as con:
        extent = person_extent(con, NAME)
        assert person_extent(con, extent.person) == extent
    assert (extent.name, extent.videos, extent.tracks, extent.heads) == (NAME, 3, 3, 26)
    receipt = forget_person(db, NAME)
    assert (receipt.heads, receipt.crops) == (extent.heads, extent.crops)


def test_an_unknown_person_and_a_name_of_two_are_refused(db: Path) -> None:
    with pytest.raises(StoreError, match="no person 'Nobody'"):
        forget_person(db, "Nobody")
    with open_writer(db) as con:
        name_person(con, who(db, 1, con), NAME)
    with pytest.raises(StoreError, match=r"2 people are called .*; give one of the ids"):
        forget_person(db, NAME)


def test_a_named_person_without_a_track_can_be_forgotten(db: Path) -> None:
    with open_writer(db) as con:
        con.execute("INSERT INTO person VALUES ('p_lonesome', 'Lone')")
    receipt = forget_person(db, "Lone")
    assert (receipt.videos, receipt.tracks, receipt.heads, receipt.crops) == (0, 0, 0, 0)
    assert rows(db, "SELECT * FROM person WHERE name = 'Lone'") == []


def test_tracks_that_no_clustering_has_seen_are_counted(db: Path) -> None:
    store(db, telling(make_result([Seen(0, 4, 0)], video=make_video("d" * 16, "/archive/d.mp4")), 4))
    with open_reader(db) as con:
        assert unclustered_tracks(con) == 1
