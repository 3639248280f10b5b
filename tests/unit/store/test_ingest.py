from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from duckdb import DuckDBPyConnection
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.errors import ModelError, StoreError
from headtrack.store.corrections import NewCorrection, add_correction, tracks_of
from headtrack.store.database import open_reader, open_writer
from headtrack.store.ingest import (
    delete_video,
    ingest_failure,
    ingest_path,
    ingest_video,
)
from headtrack.store.read import done_videos, previous_people, run_checks
from headtrack.store.spool import write_parts
from headtrack.types import VideoFailure
from tests.factories import (
    PROVENANCE,
    Seen,
    broken,
    cluster_by_basis,
    cluster_opened,
    make_result,
    make_video,
    store,
)

A, B = "a" * 16, "b" * 16
TABLES = ("video", "video_path", "shot", "head", "tracklet", "crop_embedding", "track_identity", "person")
FAILURE = VideoFailure("/archive/a.mp4", "", "probe", "VideoError", "zero bytes")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "people.duckdb"


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with open_reader(db) as con:
        return con.execute(sql).fetchall()


def contents(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    with open_reader(db) as con:
        return opened_contents(con)


def opened_contents(con: DuckDBPyConnection) -> dict[str, list[tuple[Any, ...]]]:
    return {t: con.execute(f"SELECT * FROM {t} ORDER BY ALL").fetchall() for t in TABLES}


tracklets = st.lists(
    st.builds(
        lambda first, length, track, face, x: Seen(first, min(first + length, 19), track, x=x, face=face),
        st.integers(0, 19),
        st.integers(0, 19),
        st.integers(0, 3),
        st.sampled_from([None, 0, 1]),
        st.floats(0, 200).map(lambda x: round(x, 1)),
    ),
    max_size=4,
)


@settings(max_examples=15, deadline=None)
@given(seen=tracklets)
def test_ingesting_twice_is_ingesting_once(
    tmp_path_factory: pytest.TempPathFactory, seen: list[Seen]
) -> None:
    db = tmp_path_factory.mktemp("db") / "people.duckdb"
    part = write_parts(db.with_name("run"), make_result(seen, loose_frames=(3,)))
    with open_writer(db) as con:
        ingest_video(con, part)
        cluster_opened(con)
        once = opened_contents(con)
        ingest_video(con, part)
        ingest_video(con, part)
        assert opened_contents(con) == once


def test_a_video_without_heads_is_done(db: Path) -> None:
    store(db, make_result([]))
    cluster_by_basis(db)
    with open_reader(db) as con:
        assert done_videos(con) == {A: PROVENANCE}
        assert run_checks(con) == []


def test_a_video_that_broke_off_is_kept_as_partial_and_told_so(db: Path, tmp_path: Path) -> None:
    part = write_parts(tmp_path, broken(make_result([Seen(0, 3, 0)]), 19))
    with open_writer(db) as con:
        assert ingest_video(con, part) is True
        assert ingest_video(con, write_parts(tmp_path, make_result([]))) is False
    assert rows(db, "SELECT status, broken_at FROM video") == [("complete", None)]


def test_a_video_done_anew_replaces_its_rows_and_no_others(db: Path) -> None:
    store(
        db, make_result([Seen(0, 9, 0)]), make_result([Seen(0, 4, 0)], video=make_video(B, "/archive/b.mp4"))
    )
    store(db, make_result([Seen(0, 2, 0), Seen(5, 6, 1)]))
    assert rows(db, "SELECT video_id, count(*) FROM head GROUP BY ALL ORDER BY ALL") == [(A, 5), (B, 5)]


def test_people_stay_where_they_stood_when_a_video_is_done_anew(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0, x=10, face=0), Seen(0, 9, 1, x=100, face=1)]))
    cluster_by_basis(db)
    with open_reader(db) as con:
        before = previous_people(con)
    # Found again with the tracks numbered the other way round, and a newcomer between them.
    anew = [Seen(0, 8, 2, x=12, face=0), Seen(0, 9, 0, x=99, face=1), Seen(0, 9, 1, x=60, face=2)]
    store(db, make_result(anew))
    with open_reader(db) as con:
        assert previous_people(con) == {(A, 2): before[A, 0], (A, 0): before[A, 1]}
    cluster_by_basis(db)
    with open_reader(db) as con:
        after = previous_people(con)
        assert after[A, 2] == before[A, 0]
        assert after[A, 0] == before[A, 1]
        assert after[A, 1] not in before.values()
        assert run_checks(con) == []


def test_ids_stay_when_a_video_more_is_clustered_with_the_rest(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0, face=0), Seen(0, 9, 1, x=100, face=1)], video=make_video(B)))
    cluster_by_basis(db)
    with open_reader(db) as con:
        before = previous_people(con)
    store(
        db, make_result([Seen(0, 9, 0, face=1), Seen(0, 9, 1, x=100, face=2)], video=make_video(A, "/c.mp4"))
    )
    cluster_by_basis(db)
    with open_reader(db) as con:
        after = previous_people(con)
        assert {key: after[key] for key in before} == before
        assert after[A, 0] == before[B, 1]
        assert len({person for person, _ in after.values()}) == 3
        assert run_checks(con) == []
    assert rows(db, "SELECT run, tracks, people, method FROM identity_run ORDER BY run") == [
        (1, 2, 2, "by hand"),
        (2, 4, 3, "by hand"),
    ]


def test_a_name_outlives_clustering_and_can_be_asked_for(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)]))
    cluster_by_basis(db)
    (person,) = rows(db, "SELECT person FROM person")[0]
    with open_writer(db) as con:
        add_correction(con, NewCorrection("name", "named", tracks_of(con, person), name="Ada"))
    for _ in range(2):
        cluster_by_basis(db)
        assert rows(db, "SELECT person, name FROM person_summary") == [(person, "Ada")]


def test_the_same_content_at_two_paths_is_stored_once_and_listed_twice(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)]))
    with open_writer(db) as con:
        ingest_path(con, A, "/archive/copy.mp4")
        ingest_path(con, A, "/archive/copy.mp4")
    cluster_by_basis(db)
    assert rows(db, "SELECT path, count(*) FROM head_by_frame GROUP BY ALL ORDER BY ALL") == [
        ("/archive/a.mp4", 10),
        ("/archive/copy.mp4", 10),
    ]
    assert rows(db, "SELECT DISTINCT path FROM shot_by_video ORDER BY ALL") == [
        ("/archive/a.mp4",),
        ("/archive/copy.mp4",),
    ]
    assert rows(db, "SELECT videos, round(screen_time_s, 6) FROM person_summary") == [(1, 1.0)]
    assert rows(db, "SELECT video FROM appearance_timeline") == [("/archive/a.mp4",)]


def test_a_path_of_an_unknown_content_is_refused(db: Path) -> None:
    with open_writer(db) as con, pytest.raises(StoreError, match="analyse it first"):
        ingest_path(con, A, "/archive/a.mp4")


def test_a_file_whose_content_changed_leads_to_the_new_content_only(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)]))
    cluster_by_basis(db)
    store(db, make_result([Seen(0, 4, 0, face=1)], video=make_video(B, "/archive/a.mp4")))
    cluster_by_basis(db)
    assert rows(db, "SELECT DISTINCT video_id FROM head") == [(B,)]
    assert rows(db, "SELECT count(*) FROM person") == [(1,)]
    with open_reader(db) as con:
        assert run_checks(con) == []


def test_an_old_content_stays_while_another_path_leads_to_it(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)]))
    with open_writer(db) as con:
        ingest_path(con, A, "/archive/copy.mp4")
    store(db, make_result([], video=make_video(B, "/archive/a.mp4")))
    assert rows(db, "SELECT path, video_id FROM video_path ORDER BY ALL") == [
        ("/archive/a.mp4", B),
        ("/archive/copy.mp4", A),
    ]


def test_a_failure_is_noted_once_keeps_older_results_and_ends_with_a_success(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)]))
    with open_writer(db) as con:
        ingest_failure(con, FAILURE)
        ingest_failure(con, replace(FAILURE, step="decode"))
    assert rows(db, "SELECT path, video_id, step FROM video_failure") == [("/archive/a.mp4", None, "decode")]
    assert rows(db, "SELECT count(*) FROM head") == [(10,)]
    store(db, make_result([Seen(0, 9, 0)]))
    assert rows(db, "SELECT * FROM video_failure") == []


def test_embeddings_of_another_width_are_refused_and_change_nothing(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)]))
    other = make_result([Seen(0, 9, 0)], video=make_video(B, "/archive/b.mp4"))
    crops = other.embeddings
    wide = np.eye(512, dtype=np.float32)[: len(crops)]
    other = replace(
        other,
        embeddings=replace(crops, identity=wide),
    )
    before = contents(db)
    with pytest.raises(ModelError, match=r"identity embeddings of b+ have 512 numbers, .* database 8"):
        store(db, other)
    assert contents(db) == before
    # The one video of a database may come back from another model.
    store(db.with_name("other.duckdb"), other, replace(other, embeddings=crops))


def test_the_order_of_videos_changes_nothing(db: Path) -> None:
    a = make_result([Seen(0, 9, 0)])
    b = make_result([Seen(0, 4, 0, face=1)], video=make_video(B, "/archive/b.mp4"))
    other = db.with_name("other.duckdb")
    for path, results in ((db, (a, b)), (other, (b, a))):
        store(path, *results)
        cluster_by_basis(path)
    for table in ("head", "tracklet", "track_identity", "person"):
        assert contents(db)[table] == contents(other)[table]


def test_a_deleted_video_leaves_nothing_of_itself(db: Path) -> None:
    store(
        db, make_result([Seen(0, 9, 0)]), make_result([Seen(0, 9, 0, face=1)], video=make_video(B, "/b.mp4"))
    )
    cluster_by_basis(db)
    with open_writer(db) as con:
        ingest_failure(con, replace(FAILURE, video_id=A))
        con.execute("UPDATE person SET name = 'name of ' || person")
        delete_video(con, A)
        assert run_checks(con) == []
    for table in ("video", "video_path", "shot", "head", "tracklet", "crop_embedding", "track_identity"):
        assert rows(db, f"SELECT DISTINCT video_id FROM {table}") == [(B,)], table
    assert rows(db, "SELECT count(*) FROM person") == [(1,)]
    assert rows(db, "SELECT * FROM video_failure") == []


def test_a_file_name_that_is_no_utf8_is_stored_with_its_bytes_written_out(db: Path) -> None:
    odd = "/archive/\udcff.mp4"
    store(db, make_result([Seen(0, 1, 0)], video=make_video(A, odd)))
    with open_writer(db) as con:
        ingest_path(con, A, odd)
        ingest_failure(con, replace(FAILURE, path="/archive/\udcfe.mp4", message="no \udcfe.mp4"))
    assert rows(db, "SELECT path FROM video_path") == [("/archive/\\xff.mp4",)]
    assert rows(db, "SELECT path, message FROM video_failure") == [("/archive/\\xfe.mp4", "no \\xfe.mp4")]
