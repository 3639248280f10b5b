from __future__ import annotations

from pathlib import Path

import pytest

from headtrack.pipeline.forget import forget_person
from headtrack.store.database import open_reader
from headtrack.store.read import run_checks
from tests.factories import Seen, cluster_by_basis, make_result, make_video, store

GONE, OTHER = Seen(0, 15, 0), Seen(0, 19, 1, x=100, face=1)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """The database after the person at x = 10 was forgotten."""
    path = tmp_path / "people.duckdb"
    store(path, make_result([GONE, OTHER]))
    cluster_by_basis(path)
    forget_person(path, rows(path, "SELECT person FROM track_identity WHERE track = 0")[0][0])
    return path


def rows(db: Path, sql: str) -> list[tuple]:
    with open_reader(db) as con:
        assert run_checks(con) == []
        return con.execute(sql).fetchall()


def tracklets(db: Path) -> list[int]:
    return [number for (number,) in rows(db, "SELECT tracklet FROM tracklet ORDER BY ALL")]


def test_the_same_result_does_not_bring_the_person_back_and_the_others_rows_are_equal(db: Path) -> None:
    heads = "SELECT * FROM head ORDER BY ALL"
    crops = "SELECT * FROM crop_embedding ORDER BY ALL"
    before = rows(db, heads), rows(db, crops)
    store(db, make_result([GONE, OTHER]))
    assert tracklets(db) == [1]
    assert (rows(db, heads), rows(db, crops)) == before
    cluster_by_basis(db)
    assert rows(db, "SELECT count(*) FROM person") == [(1,)]


def test_nor_do_boxes_of_other_settings_that_lie_nearly_there_with_other_faces(db: Path) -> None:
    store(db, make_result([Seen(1, 17, 0, x=12, y=33, face=5, every=4), OTHER]))
    assert rows(db, "SELECT DISTINCT x1 FROM head") == [(100.0,)]
    assert tracklets(db) == [0]


def test_a_tracklet_of_which_less_than_half_lies_there_is_somebody_elses(db: Path) -> None:
    store(db, make_result([Seen(0, 19, 0, x=30.5), OTHER]))  # a head's width beside
    assert tracklets(db) == [0, 1]
    store(db, make_result([Seen(12, 19, 0), OTHER]))  # 4 of 8 frames: half
    assert tracklets(db) == [0]


def test_a_track_that_lies_there_in_the_main_goes_with_its_other_tracklets(db: Path) -> None:
    other = Seen(0, 15, 1, x=100, face=1)
    store(db, make_result([Seen(0, 15, 0), Seen(17, 19, 0, x=200), other], cuts=(16,)))
    assert rows(db, "SELECT DISTINCT x1 FROM head") == [(100.0,)]


def test_loose_detections_there_are_not_stored_either(db: Path) -> None:
    near = make_result([OTHER, Seen(2, 2, 2, x=11, face=None)], loose_frames=(2,))
    store(db, near)
    assert rows(db, "SELECT DISTINCT x1 FROM head ORDER BY ALL") == [(100.0,), (250.0,)]


def test_what_the_detector_gave_in_the_video_is_not_kept_any_more(db: Path) -> None:
    store(db, make_result([OTHER], video=make_video("b" * 16, "/archive/b.mp4")))
    store(db, make_result([GONE, OTHER]))
    assert rows(db, "SELECT DISTINCT video_id FROM detection") == [("b" * 16,)]


def test_a_new_video_of_the_person_is_stored_as_of_anybody(db: Path) -> None:
    store(db, make_result([GONE], video=make_video("b" * 16, "/archive/b.mp4")))
    cluster_by_basis(db)
    assert rows(db, "SELECT count(*) FROM person") == [(2,)]


def test_a_video_in_which_nobody_is_left_is_stored_empty(db: Path) -> None:
    store(db, make_result([GONE]))
    assert rows(db, "SELECT count(*) FROM tracklet") == [(0,)]
    assert rows(db, "SELECT count(*) FROM video") == [(1,)]
    store(db, make_result([]))
    assert rows(db, "SELECT count(*) FROM head") == [(0,)]
