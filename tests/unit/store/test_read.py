from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import SettingsError, StoreError
from headtrack.models.registry import model_id
from headtrack.store.database import open_reader
from headtrack.store.gallery import load_gallery
from headtrack.store.read import (
    done_videos,
    named_query,
    people,
    previous_people,
    query,
    query_names,
    timeline,
)
from headtrack.types import TrackGallery, VideoResult
from tests.factories import (
    FACE_DIM,
    LOOK_DIM,
    PROVENANCE,
    Seen,
    basis,
    cluster_by_basis,
    make_result,
    make_video,
    store,
)

A, B = "a" * 16, "b" * 16


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "people.duckdb"
    store(path, make_result([Seen(0, 9, 0), Seen(4, 9, 1, x=100, face=1, look=1)], loose_frames=(2,)))
    cluster_by_basis(path)
    return path


@pytest.fixture
def db(made_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made_once, tmp_path))


def gallery(db: Path) -> TrackGallery:
    with open_reader(db) as con:
        return load_gallery(con)


def with_quality(result: VideoResult, quality: list[float]) -> VideoResult:
    return replace(result, embeddings=replace(result.embeddings, quality=np.array(quality, np.float32)))


def test_an_empty_database_gives_an_empty_gallery(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    store(path, make_result([]))
    found = gallery(path)
    assert len(found) == 0
    assert found.cannot_link.shape == (0, 2)


def test_tracks_come_by_video_then_number(db: Path) -> None:
    store(db, make_result([Seen(0, 3, 0)], video=make_video("0" * 16, "/z.mp4")))
    found = gallery(db)
    assert list(zip(found.video_id.tolist(), found.track.tolist(), strict=True)) == [
        ("0" * 16, 0),
        (A, 0),
        (A, 1),
    ]


def test_means_are_weighted_by_quality_over_all_tracklets_of_a_track(tmp_path: Path) -> None:
    # Two tracklets of one track, two crops each: faces 0, 0, 1, 1.
    seen = [Seen(0, 1, 0, face=0, look=0, every=1), Seen(10, 11, 0, face=1, look=1, every=1)]
    quality = [0.9, 0.3, 0.2, 0.7]
    store(tmp_path / "db", with_quality(make_result(seen), quality))
    found = gallery(tmp_path / "db")
    wanted = sum(q * basis(f, FACE_DIM) for q, f in zip(quality, [0, 0, 1, 1], strict=True))
    np.testing.assert_allclose(found.face[0], wanted / np.linalg.norm(wanted), atol=1e-6)
    wanted = sum(q * basis(f, LOOK_DIM) for q, f in zip(quality, [0, 0, 1, 1], strict=True))
    np.testing.assert_allclose(found.look[0], wanted / np.linalg.norm(wanted), atol=1e-6)
    np.testing.assert_allclose(found.face_weight, [2.1], atol=1e-6)


def test_a_crop_of_no_quality_still_counts_where_there_is_no_better(tmp_path: Path) -> None:
    store(tmp_path / "db", with_quality(make_result([Seen(0, 0, 0)]), [0.0]))
    found = gallery(tmp_path / "db")
    assert found.has_face.tolist() == [True]
    np.testing.assert_allclose(found.face[0], basis(0, FACE_DIM))


def test_a_track_seen_from_behind_has_a_look_but_no_face(db: Path) -> None:
    rear = Seen(0, 9, 0, face=None, look=3)
    store(db, make_result([rear], video=make_video(B, "/archive/b.mp4")))
    found = gallery(db)
    assert found.has_face.tolist() == [True, True, False]
    assert np.isnan(found.face[2]).all()
    np.testing.assert_allclose(found.look[2], basis(3, LOOK_DIM))


def test_a_database_without_any_face_has_a_gallery(tmp_path: Path) -> None:
    store(tmp_path / "db", make_result([Seen(0, 9, 0, face=None)]))
    found = gallery(tmp_path / "db")
    assert found.face.shape == (1, 0)
    assert found.has_face.tolist() == [False]


def test_a_track_without_a_crop_has_no_known_look(tmp_path: Path) -> None:
    result = make_result([Seen(0, 9, 0), Seen(0, 9, 1, x=100)])
    only_first = result.embeddings[result.embeddings.tracklet == 0]
    store(tmp_path / "db", replace(result, embeddings=only_first))
    found = gallery(tmp_path / "db")
    assert len(found) == 2
    assert np.isnan(found.look[1]).all()
    assert found.has_face.tolist() == [True, False]


def test_tracks_detected_in_one_frame_cannot_be_one_person(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    together = [Seen(0, 9, 0), Seen(4, 9, 1, x=100), Seen(10, 19, 2), Seen(11, 13, 3, x=50)]
    store(path, make_result(together), make_result([Seen(0, 9, 0)], video=make_video(B, "/b.mp4")))
    # 2 and 3 overlap, but are detected together in frame 13 at the last only because 3 ends there:
    # 2 is detected in 10, 12, 14, ..., 3 in 11 and 13.
    assert gallery(path).cannot_link.tolist() == [[0, 1]]


def test_done_videos_tell_what_they_depend_on(db: Path) -> None:
    with open_reader(db) as con:
        assert done_videos(con) == {A: PROVENANCE}


def test_previous_people_are_empty_before_the_first_clustering(tmp_path: Path) -> None:
    store(tmp_path / "db", make_result([Seen(0, 9, 0)]))
    with open_reader(tmp_path / "db") as con:
        assert previous_people(con) == {}


def test_videos_of_different_models_give_a_warning_that_names_them(
    db: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = replace(
        make_result([], video=make_video(B, "/archive/b.mp4")),
        provenance=replace(PROVENANCE, models=("face@cccccccc", "head@bbbbbbbb")),
    )
    with caplog.at_level(logging.WARNING, "headtrack"):
        gallery(db)
        assert caplog.text == ""
        store(db, other)
        gallery(db)
    assert f"face@cccccccc, {model_id('sface')}" in caplog.text
    assert "head@bbbbbbbb" not in caplog.text


def test_people_and_timeline_answer_from_their_queries(db: Path) -> None:
    with open_reader(db) as con:
        everybody = people(con)
        first = dict(zip(everybody.columns, everybody.rows[0], strict=True))
        assert len(everybody) == 2
        assert first["screen_time_s"] == pytest.approx(1.0)
        stays = timeline(con, first["person"])
        row = dict(zip(stays.columns, stays.rows[0], strict=True))
    assert (row["video"], row["start_s"], row["end_s"]) == ("/archive/a.mp4", 0.0, pytest.approx(1.0))


def test_a_timeline_of_nobody_is_an_error(db: Path) -> None:
    with open_reader(db) as con, pytest.raises(StoreError, match="no person 'p_none'; `headtrack people`"):
        timeline(con, "p_none")


def test_an_unknown_query_or_a_missing_parameter_is_named(db: Path) -> None:
    with open_reader(db) as con:
        with pytest.raises(SettingsError, match=r"unknown query 'peple'; there are .*people"):
            named_query(con, "peple", {})
        with pytest.raises(SettingsError, match=r"query looks needs \$person"):
            named_query(con, "looks", {})


@pytest.mark.parametrize("name", query_names())
def test_every_named_query_runs(db: Path, name: str) -> None:
    with open_reader(db) as con:
        somebody = people(con).rows[0][0]
        everything = {"person": somebody, "path": "/archive/a.mp4"}
        found = named_query(con, name, everything)
    assert len(found.columns) == len(set(found.columns)) == len(found.types)


def test_a_query_gives_names_types_and_rows_up_to_the_limit(db: Path) -> None:
    with open_reader(db) as con:
        found = query(con, "SELECT frame, view FROM head_by_frame ORDER BY ALL", limit=2)
        assert (found.columns, found.types) == (("frame", "view"), ("INTEGER", "VARCHAR"))
        assert found.rows == [(0, "front"), (1, "front")]
        assert found.cut
        assert not query(con, "SELECT 1", limit=1).cut
        assert len(query(con, "SELECT frame FROM head_by_frame", limit=0)) == 0
        assert query(con, "SELECT $a + 1 AS b", parameters={"a": 1}).rows == [(2,)]


@pytest.mark.parametrize(
    "sql",
    [
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "FROM head_by_frame",
        "DESCRIBE head_by_frame",
        "SHOW TABLES",
        "SUMMARIZE shot",
        "EXPLAIN SELECT 1",
        "VALUES (1);",
    ],
)
def test_everything_that_only_reads_is_allowed(db: Path, sql: str) -> None:
    with open_reader(db) as con:
        assert len(query(con, sql))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_blob('{file}')",
        "SELECT * FROM glob('{file}')",
        "SELECT * FROM sniff_csv('{file}')",
        "SELECT * FROM parquet_metadata('{file}')",
        "SELECT * FROM read_parquet('https://localhost/x.parquet')",
        "SELECT secret",
        "SELECT * FROM secret",
        "ATTACH '{new}'",
        "ATTACH ':memory:' AS m",
        "COPY (SELECT 1) TO '{new}'",
        "COPY head TO '{new}'",
        "EXPLAIN ANALYZE COPY head TO '{new}'",
        "EXPORT DATABASE '{new}'",
        "IMPORT DATABASE '{file}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '{file}'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET threads = 1",
        "RESET threads",
        "PRAGMA enable_profiling",
        "CREATE TABLE t (a INT)",
        "CREATE TEMP TABLE t (a INT)",
        "INSERT INTO person VALUES ('p', 'x')",
        "EXPLAIN ANALYZE DELETE FROM head",
        "UPDATE person SET name = 'x'",
        "DELETE FROM head",
        "DROP VIEW head_by_frame",
        "CALL force_checkpoint()",
        "CHECKPOINT",
        "SELECT 1; DROP TABLE head",
        "SELECT 1; SELECT 2",
        "",
        "-- nothing",
        "SELEC 1",
    ],
)
def test_everything_else_is_refused_and_changes_nothing(db: Path, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\nb\n")
    files = sorted(p.name for p in tmp_path.iterdir())
    before = db.read_bytes()
    with open_reader(db) as con, pytest.raises(StoreError) as error:
        query(con, sql.format(file=secret, new=tmp_path / "new.x"))
    assert "\n" not in str(error.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == files
    assert db.read_bytes() == before


def test_a_misspelt_column_is_answered_with_its_likely_name(db: Path) -> None:
    with (
        open_reader(db) as con,
        pytest.raises(StoreError, match=r'"frme" not found.*Candidate bindings: "frame'),
    ):
        query(con, "SELECT frme FROM head_by_frame")
