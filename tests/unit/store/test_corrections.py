from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headtrack.errors import StoreError
from headtrack.identity.ids import TrackIds
from headtrack.store.corrections import (
    NewCorrection,
    add_correction,
    corrections_in_force,
    set_undone,
    track_meant,
    tracks_of,
)
from headtrack.store.database import open_reader, open_writer
from headtrack.store.gallery import load_gallery
from headtrack.store.ingest import Cause, Clustering, delete_video, ingest_identities
from headtrack.store.read import person_meant, run_checks
from headtrack.types import IdentityTree
from headtrack.types.corrections import MERGE, NAME, SPLIT
from tests.factories import Seen, cluster_by_basis, make_result, make_video, store

A, B = "a" * 16, "b" * 16
TWO = [Seen(0, 9, 0), Seen(0, 9, 1, x=100.0, face=1)]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    store(path, make_result(TWO), make_result([Seen(0, 9, 0, face=2)], video=make_video(B, "/archive/b.mp4")))
    cluster_by_basis(path)
    return path


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with open_reader(db) as con:
        return con.execute(sql).fetchall()


def met(db: Path) -> list[tuple[Any, ...]]:
    return rows(db, "SELECT correction, side, video_id, track FROM correction_track ORDER BY ALL")


def merge_a1_with_b(db: Path) -> int:
    with open_writer(db) as con:
        return add_correction(con, NewCorrection(MERGE, "said", a=((A, 1),), b=((B, 0),)))


def test_a_correction_keeps_up_to_three_detected_heads_of_each_track(db: Path) -> None:
    merge_a1_with_b(db)
    assert rows(db, "SELECT side, entry, time_s, x1 FROM correction_anchor ORDER BY entry, time_s") == [
        *(("a", 0, t, 100.0) for t in (0.2, 0.6, 0.9)),
        *(("b", 1, t, 10.0) for t in (0.2, 0.6, 0.9)),
    ]
    with open_writer(db) as con:
        add_correction(con, NewCorrection(MERGE, "again", a=((A, 0),)))
        assert run_checks(con) == []
    assert rows(db, "SELECT max(number), count(*) FROM correction") == [(2, 2)]


def test_an_anchor_finds_its_head_under_another_track_number(db: Path) -> None:
    merge_a1_with_b(db)
    assert met(db) == [(1, "a", A, 1), (1, "b", B, 0)]
    # Another detector: a head more at the left, boxes a little aside, detections at other frames.
    again = [Seen(0, 9, 0, x=60.0), Seen(0, 9, 1, x=12.0, every=3), Seen(0, 9, 2, x=104.0, face=1, every=3)]
    store(db, make_result(again))
    assert met(db) == [(1, "a", A, 2), (1, "b", B, 0)]


def test_an_anchor_that_meets_no_head_or_no_video_says_nothing_and_is_kept(db: Path) -> None:
    merge_a1_with_b(db)
    store(db, make_result([Seen(0, 9, 0), Seen(0, 9, 1, x=140.0, face=1)]))
    with open_writer(db) as con:
        delete_video(con, B)
    assert met(db) == []
    assert rows(db, "SELECT count(*) FROM correction_anchor") == [(6,)]
    with open_writer(db) as con:
        (correction,) = corrections_in_force(con, load_gallery(con))
        assert correction.together.tolist() == []
        assert run_checks(con) == []
    store(db, make_result([Seen(0, 9, 0, face=2)], video=make_video(B, "/archive/b.mp4")))
    assert met(db) == [(1, "b", B, 0)]


def test_a_former_track_is_the_one_that_most_of_its_anchors_meet(db: Path) -> None:
    merge_a1_with_b(db)
    store(db, make_result([Seen(0, 4, 0, x=100.0, face=1), Seen(5, 9, 1, x=100.0, face=1)]))
    assert met(db)[0] == (1, "a", A, 1)


def test_anchors_meet_heads_up_to_a_quarter_of_a_second_away(db: Path) -> None:
    merge_a1_with_b(db)
    for first, found in ((11, [(1, "a", A, 0)]), (12, [])):  # anchors at 0.2, 0.6 and 0.9 s
        store(db, make_result([Seen(first, 14, 0, x=100.0, face=1)]))
        assert met(db)[:-1] == found


def test_corrections_are_read_as_rows_of_the_gallery_and_undone_ones_are_not(db: Path) -> None:
    merge_a1_with_b(db)
    with open_writer(db) as con:
        add_correction(con, NewCorrection(SPLIT, "said", a=((A, 0),), b=((A, 1), (B, 0))))
        first, second = corrections_in_force(con, load_gallery(con))
        assert (first.together.tolist(), [s.tolist() for s in first.apart]) == ([1, 2], [[], []])
        assert (second.together.tolist(), [s.tolist() for s in second.apart]) == ([0], [[0], [1, 2]])
        set_undone(con, 1)
        assert [c.number for c in corrections_in_force(con, load_gallery(con))] == [2]
        set_undone(con, 1, False)
        assert [c.number for c in corrections_in_force(con, load_gallery(con))] == [1, 2]


def give_name(db: Path, person: str, name: str | None) -> int:
    with open_writer(db) as con:
        return add_correction(con, NewCorrection(NAME, "named", tracks_of(con, person), name=name))


def cluster_as(db: Path, people: list[str], cause: Cause | None = None) -> None:
    """Let the tracks, in order of video and number, be these people."""
    with open_writer(db) as con:
        gallery = load_gallery(con)
        _, number = np_unique(people)
        tree = IdentityTree(number, range(len(people)), [1.0] * len(people))
        ids = TrackIds(people, [f"a_{i}" for i in range(len(people))])
        clustering = Clustering("by hand", {}) if cause is None else Clustering("by hand", {}, cause)
        ingest_identities(con, gallery, tree, ids, clustering)
        assert run_checks(con) == []


def np_unique(people: list[str]) -> tuple[list[str], list[int]]:
    known = sorted(set(people))
    return known, [known.index(person) for person in people]


def names(db: Path) -> list[tuple[Any, ...]]:
    return rows(db, "SELECT person, name FROM person ORDER BY person")


def test_a_name_goes_to_whoever_holds_most_of_its_heads(db: Path) -> None:
    cluster_as(db, ["p_a", "p_b", "p_b"])
    give_name(db, "p_b", "Ada")
    cluster_as(db, ["p_a", "p_c", "p_c"])
    assert names(db) == [("p_a", None), ("p_c", "Ada")]


def test_a_merged_person_keeps_the_name_and_of_two_names_the_later_one_until_it_is_undone(db: Path) -> None:
    cluster_as(db, ["p_a", "p_b", "p_c"])
    give_name(db, "p_b", "Ada")
    cluster_as(db, ["p_a", "p_c", "p_c"])
    assert names(db) == [("p_a", None), ("p_c", "Ada")]
    cluster_as(db, ["p_a", "p_b", "p_c"])
    later = give_name(db, "p_c", "Eve")
    cluster_as(db, ["p_a", "p_b", "p_b"])
    assert names(db) == [("p_a", None), ("p_b", "Eve")]
    with open_writer(db) as con:
        set_undone(con, later)
    cluster_as(db, ["p_a", "p_b", "p_b"])
    assert names(db) == [("p_a", None), ("p_b", "Ada")]


def test_a_name_that_is_taken_away_stays_away(db: Path) -> None:
    cluster_as(db, ["p_a", "p_b", "p_c"])
    give_name(db, "p_b", "Ada")
    give_name(db, "p_b", None)
    cluster_as(db, ["p_a", "p_b", "p_c"])
    assert names(db) == [("p_a", None), ("p_b", None), ("p_c", None)]


def test_a_name_whose_video_is_gone_comes_back_with_it(db: Path) -> None:
    cluster_as(db, ["p_a", "p_b", "p_c"])
    give_name(db, "p_c", "Ada")
    with open_writer(db) as con:
        delete_video(con, B)
    cluster_as(db, ["p_a", "p_b"])
    assert names(db) == [("p_a", None), ("p_b", None)]
    store(db, make_result([Seen(0, 9, 0, face=2)], video=make_video(B, "/archive/b.mp4")))
    cluster_as(db, ["p_a", "p_b", "p_d"])
    assert names(db)[-1] == ("p_d", "Ada")


def changes(db: Path) -> list[tuple[Any, ...]]:
    return rows(
        db,
        "SELECT kind, person_from, person_to, tracks, reason FROM identity_change "
        "WHERE run = (SELECT max(run) FROM identity_run) ORDER BY ALL",
    )


def test_who_became_whom_is_recorded_with_its_reason(db: Path) -> None:
    cluster_as(db, ["p_a", "p_b", "p_b"])
    cluster_as(db, ["p_a", "p_b", "p_b"])
    assert changes(db) == []
    cluster_as(db, ["p_a", "p_b", "p_c"])
    assert changes(db) == [("split", "p_b", "p_c", 1, "new evidence")]
    cluster_as(db, ["p_a", "p_b", "p_a"], Cause("correction 7", frozenset({(B, 0)})))
    assert changes(db) == [("merged", "p_c", "p_a", 1, "correction 7")]
    cluster_as(db, ["p_a", "p_b", "p_b"], Cause("correction 8", frozenset()))
    assert changes(db) == [("moved", "p_a", "p_b", 1, "new evidence")]


def test_a_new_video_and_the_first_clustering_change_nobody(db: Path) -> None:
    assert rows(db, "SELECT * FROM identity_change") == []
    store(db, make_result([Seen(0, 9, 0, face=1)], video=make_video("c" * 16, "/archive/c.mp4")))
    cluster_by_basis(db)
    assert rows(db, "SELECT * FROM identity_change") == []


@pytest.mark.parametrize("video", ["/archive/b.mp4", "b.mp4", B])
def test_a_track_is_meant_by_path_file_name_or_video_id(db: Path, video: str) -> None:
    with open_reader(db) as con:
        assert track_meant(con, f"{video}:0") == (B, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b.mp4", "give VIDEO:TRACK"),
        ("b.mp4:x", "give VIDEO:TRACK"),
        (":0", "give VIDEO:TRACK"),
        ("c.mp4:0", "no video 'c.mp4'"),
        ("b.mp4:7", "has no track 7"),
    ],
)
def test_a_track_that_is_not_there_is_told(db: Path, text: str, message: str) -> None:
    with open_reader(db) as con, pytest.raises(StoreError, match=message):
        track_meant(con, text)


def test_a_file_name_in_two_folders_is_ambiguous_until_the_path_is_given(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)], video=make_video("c" * 16, "/other/b.mp4")))
    cluster_by_basis(db)
    with open_reader(db) as con:
        with pytest.raises(StoreError, match=r"2 videos are called 'b\.mp4'"):
            track_meant(con, "b.mp4:0")
        assert track_meant(con, "/other/b.mp4:0") == ("c" * 16, 0)


def test_a_name_of_two_people_is_ambiguous(db: Path) -> None:
    cluster_as(db, ["p_a", "p_b", "p_c"])
    for person in ("p_a", "p_b"):
        give_name(db, person, "Ada")
    cluster_as(db, ["p_a", "p_b", "p_c"])
    with open_reader(db) as con, pytest.raises(StoreError, match="2 people are called 'Ada': p_a, p_b"):
        person_meant(con, "Ada")
