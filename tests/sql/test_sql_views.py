from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headtrack.store.database import open_reader, open_writer
from headtrack.store.ingest import ingest_path
from headtrack.store.read import named_query
from headtrack.types import VideoResult
from headtrack.types.views import FRONT, REAR
from tests.factories import Seen, broken, cluster_by_basis, make_result, make_video, still, store

B = "b" * 16

# What outside programs and the issue rely on: names and order never change.
COLUMNS = {
    "head_by_frame": "path frame time_s x1 y1 x2 y2 score view interpolated tracklet track person appearance",
    "shot_by_video": "path shot start_frame end_frame",
    "person_summary": "person name screen_time_s first_seen_video first_seen_s last_seen_video last_seen_s "
    "videos appearances tracks rear_share",
    "appearance_timeline": "person appearance video start_s end_s rear_share",
    "co_occurrence": "person_a person_b video seconds",
    "shot_people": "video shot start_s end_s person appearance seconds",
}


def clustered(tmp_path: Path, *results: VideoResult) -> Path:
    db = tmp_path / "people.duckdb"
    store(db, *results)
    cluster_by_basis(db)
    return db


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with open_reader(db) as con:
        return con.execute(sql).fetchall()


def rounded(values: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(round(v, 6) if isinstance(v, float) else v for v in row) for row in values]


@pytest.mark.parametrize("view", COLUMNS)
def test_views_have_exactly_the_columns_that_programs_rely_on(tmp_path: Path, view: str) -> None:
    db = clustered(tmp_path, make_result([]))
    assert [row[0] for row in rows(db, f"DESCRIBE {view}")] == COLUMNS[view].split()
    assert rows(db, f"FROM {view}") == ([("/archive/a.mp4", 0, 0, 20)] if view == "shot_by_video" else [])


def test_heads_by_frame_are_the_boxes_of_the_video_without_loose_detections(tmp_path: Path) -> None:
    result = make_result([Seen(2, 6, 0, x=10), Seen(4, 5, 1, x=100, view=REAR, face=None)], loose_frames=(3,))
    db = clustered(tmp_path, result)
    found = rows(
        db,
        "SELECT frame, time_s, x1, y1, x2, y2, view, interpolated, tracklet, track FROM head_by_frame "
        "ORDER BY frame, x1",
    )
    boxes = result.boxes
    wanted = [
        (
            int(boxes.frame[i]),
            float(result.frame_time_s[boxes.frame[i]]),
            *boxes.xyxy[i].tolist(),
            "rear" if boxes.tracklet[i] else "front",
            bool(boxes.interpolated[i]),
            int(boxes.tracklet[i]),
            int(boxes.tracklet[i]),
        )
        for i in np.lexsort((boxes.xyxy[:, 0], boxes.frame))
    ]
    assert found == wanted
    assert rows(db, "SELECT count(*) FROM head WHERE tracklet IS NULL") == [(1,)]


def test_heads_are_listed_before_anybody_is_clustered(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 0, 0)]))
    assert rows(db, "SELECT person, appearance FROM head_by_frame") == [(None, None)]


def test_shots_end_where_the_next_begins(tmp_path: Path) -> None:
    db = clustered(tmp_path, make_result([], cuts=(7, 12)))
    assert rows(db, "SELECT shot, start_frame, end_frame FROM shot_by_video ORDER BY shot") == [
        (0, 0, 7),
        (1, 7, 12),
        (2, 12, 20),
    ]


def test_screen_time_follows_the_frames_own_times(tmp_path: Path) -> None:
    # Frame 1 stays for a second, the others for 0.1 s: a variable frame rate.
    db = clustered(tmp_path, make_result([Seen(1, 2, 0)], frame_time_s=[0.0, 0.1, 1.1, 1.2]))
    assert rounded(rows(db, "SELECT screen_time_s, first_seen_s, last_seen_s FROM person_summary")) == [
        (1.1, 0.1, 1.1)
    ]
    assert rounded(rows(db, "SELECT start_s, end_s FROM appearance_timeline")) == [(0.1, 1.2)]


def test_two_boxes_of_one_person_in_one_frame_count_once(tmp_path: Path) -> None:
    db = clustered(tmp_path, make_result([Seen(0, 9, 0), Seen(0, 9, 1, x=100), Seen(5, 9, 2, x=60, look=1)]))
    assert rounded(rows(db, "SELECT screen_time_s, appearances, tracks FROM person_summary")) == [(1.0, 2, 3)]


def test_a_still_image_counts_no_time_but_its_people_appear_everywhere(tmp_path: Path) -> None:
    db = clustered(tmp_path, still(B, "/b.jpg", [Seen(0, 0, 0), Seen(0, 0, 1, x=50, face=1, view=REAR)]))
    assert rows(db, "SELECT screen_time_s, first_seen_s, rear_share FROM person_summary ORDER BY 3") == [
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
    ]
    assert rows(db, "SELECT video, start_s, end_s FROM appearance_timeline") == [("/b.jpg", 0.0, 0.0)] * 2
    assert rows(db, "SELECT video, seconds FROM co_occurrence") == [("/b.jpg", 0.0)]
    assert rows(db, "SELECT shot, start_s, end_s, seconds FROM shot_people") == [(0, 0.0, 0.0, 0.0)] * 2


def test_people_of_equal_screen_time_come_by_videos_then_tracks_then_id(tmp_path: Path) -> None:
    # Faces 0 and 1 are in one still each, face 2 in both; face 3 moves; face 4 has two tracks in a still.
    one = [Seen(0, 0, n, x=40.0 * n, face=face) for n, face in enumerate((0, 2, 1, 4, 4))]
    db = clustered(
        tmp_path,
        still(B, "/b.jpg", one),
        still("c" * 16, "/c.jpg", [Seen(0, 0, 0, face=2)]),
        make_result([Seen(0, 9, 0, face=3)]),
    )
    with open_reader(db) as con:
        found = named_query(con, "people", {})
    listed = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    order = [(round(p["screen_time_s"], 6), p["videos"], p["tracks"]) for p in listed]
    assert order == [(1.0, 1, 1), (0.0, 2, 2), (0.0, 1, 2), (0.0, 1, 1), (0.0, 1, 1)]
    assert listed[3]["person"] < listed[4]["person"]


def test_looks_of_equal_screen_time_come_by_videos(tmp_path: Path) -> None:
    db = clustered(
        tmp_path,
        still(B, "/b.jpg", [Seen(0, 0, 0, look=1), Seen(0, 0, 1, x=50, look=2)]),
        still("c" * 16, "/c.jpg", [Seen(0, 0, 0, look=2)]),
    )
    with open_reader(db) as con:
        (person,) = con.execute("SELECT person FROM person_summary").fetchone() or ("",)
        looks = named_query(con, "looks", {"person": person}).rows
    assert [row[2:] for row in looks] == [(0.0, 2), (0.0, 1)]


def test_a_person_is_followed_over_videos_in_order_of_paths(tmp_path: Path) -> None:
    db = clustered(
        tmp_path,
        make_result([Seen(3, 5, 0)], video=make_video("c" * 16, "/archive/2024.mp4")),
        make_result([Seen(0, 1, 0), Seen(8, 9, 1)], video=make_video(B, "/archive/2025.mp4")),
    )
    found = rows(
        db,
        "SELECT first_seen_video, first_seen_s, last_seen_video, last_seen_s, videos, tracks "
        "FROM person_summary",
    )
    assert rounded(found) == [("/archive/2024.mp4", 0.3, "/archive/2025.mp4", 0.9, 2, 3)]


def test_rear_share_is_a_share_of_time(tmp_path: Path) -> None:
    # From behind for one long frame of 3 s, from the front for ten frames of 0.1 s.
    time_s = [*(np.arange(11) / 10), 4.0, 4.1]
    seen = [Seen(0, 9, 0), Seen(10, 10, 0, view=REAR, face=None)]
    db = clustered(tmp_path, make_result(seen, frame_time_s=time_s, cuts=(10,)))
    assert rounded(rows(db, "SELECT rear_share FROM person_summary")) == [(0.75,)]
    assert rounded(rows(db, "SELECT start_s, end_s, rear_share FROM appearance_timeline")) == [
        (0.0, 4.0, 0.75)
    ]


def test_gaps_below_one_second_are_closed_and_longer_ones_are_not(tmp_path: Path) -> None:
    time_s = np.arange(60) / 10
    # Gone for 0.9 s (frames 10 to 18), then for 1.0 s (frames 25 to 34).
    seen = [Seen(0, 9, 0), Seen(19, 24, 1), Seen(35, 40, 2)]
    db = clustered(tmp_path, make_result(seen, frame_time_s=time_s))
    found = rows(db, "SELECT start_s, end_s FROM appearance_timeline ORDER BY start_s")
    assert rounded(found) == [(0.0, 2.5), (3.5, 4.1)]


def test_each_look_has_its_own_stays(tmp_path: Path) -> None:
    seen = [Seen(0, 4, 0, look=0), Seen(5, 9, 1, look=1), Seen(10, 14, 2, look=0)]
    db = clustered(tmp_path, make_result(seen))
    found = rows(db, "SELECT appearance, start_s, end_s FROM appearance_timeline ORDER BY start_s")
    assert rounded([row[1:] for row in found]) == [(0.0, 1.5), (0.5, 1.0)]
    assert found[0][0] != found[1][0]


def test_people_seen_together_are_counted_once_a_pair(tmp_path: Path) -> None:
    seen = [Seen(0, 9, 0, face=0), Seen(5, 14, 1, x=60, face=1), Seen(5, 14, 2, x=90, face=1)]
    db = clustered(tmp_path, make_result(seen))
    found = rows(db, "SELECT person_a, person_b, video, seconds FROM co_occurrence")
    assert rounded([row[2:] for row in found]) == [("/archive/a.mp4", 0.5)]
    assert found[0][0] < found[0][1]
    with open_reader(db) as con:
        other = named_query(con, "seen_with", {"person": found[0][1]}).rows
    assert rounded(other) == [(found[0][0], 0.5, 1)]


def test_shots_know_their_people_and_times(tmp_path: Path) -> None:
    seen = [Seen(0, 9, 0, face=0), Seen(10, 14, 1, face=0), Seen(12, 14, 2, x=60, face=1, view=FRONT)]
    db = clustered(tmp_path, make_result(seen, cuts=(10,)))
    found = rows(db, "SELECT shot, start_s, end_s, seconds FROM shot_people ORDER BY shot, seconds")
    assert rounded(found) == [(0, 0.0, 1.0, 1.0), (1, 1.0, 2.0, 0.3), (1, 1.0, 2.0, 0.5)]


def test_videos_and_failures_are_listed_by_path(tmp_path: Path) -> None:
    db = clustered(tmp_path, broken(make_result([Seen(0, 9, 0)]), 19))
    with open_writer(db) as con:
        ingest_path(con, "a" * 16, "/archive/copy.mp4")
    with open_reader(db) as con:
        videos = named_query(con, "videos", {})
        failures = named_query(con, "failures", {})
        totals = named_query(con, "totals", {})
    listed = [dict(zip(videos.columns, row, strict=True)) for row in videos.rows]
    assert [(v["path"], v["status"], v["people"], v["frame_count"]) for v in listed] == [
        ("/archive/a.mp4", "partial", 1, 20),
        ("/archive/copy.mp4", "partial", 1, 20),
    ]
    assert [row[:5] for row in failures.rows] == [
        (path, "partial", "decode", "VideoError", "decoding failed after frame 19: corrupt packet")
        for path in ("/archive/a.mp4", "/archive/copy.mp4")
    ]
    assert dict(zip(totals.columns, totals.rows[0], strict=True))["partial_videos"] == 1
