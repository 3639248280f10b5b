from __future__ import annotations

from pathlib import Path

import numpy as np

from headtrack.store.database import open_reader, open_writer
from headtrack.store.gallery import load_gallery
from headtrack.store.measure import detection_rows, gallery_rows, link_rows
from tests.factories import Seen, make_result, make_video, store


def stored(tmp_path: Path) -> Path:
    """Store two videos; in the first, a track of two tracklets over a cut."""
    db = tmp_path / "a.duckdb"
    times = np.arange(20) / 10
    seen = [Seen(0, 8, 0), Seen(10, 18, 0)]
    for video_id, path, heads in (("b" * 16, "/b.mp4", [Seen(0, 4, 0)]), ("a" * 16, "/a.mp4", seen)):
        store(db, make_result(heads, video=make_video(video_id, path), frame_time_s=times, cuts=(10,)))
    return db


def test_rows_of_the_gallery_are_found_by_path_and_track(tmp_path: Path):
    with open_reader(stored(tmp_path)) as con:
        rows, gallery = gallery_rows(con), load_gallery(con)
    assert rows == {("/a.mp4", 0): 0, ("/b.mp4", 0): 1}
    assert gallery.video_id.tolist() == ["a" * 16, "b" * 16]


def test_each_tracklet_tells_how_it_was_linked(tmp_path: Path):
    with open_reader(stored(tmp_path)) as con:
        links = link_rows(con)
    assert [row[:3] for row in links["/a.mp4"]] == [(0, 0, "start"), (1, 0, "shot_change")]
    assert 0 < links["/a.mp4"][1][3] <= 1


def test_only_detected_heads_are_detections(tmp_path: Path):
    with open_reader(stored(tmp_path)) as con:
        rows = detection_rows(con, "/b.mp4")
    assert [row[0] for row in rows] == [0, 2, 4]
    assert rows[0][1:5] == (10, 30, 30, 50)


def test_an_empty_database_has_none(tmp_path: Path):
    with open_writer(tmp_path / "empty.duckdb") as con:
        assert (gallery_rows(con), link_rows(con), detection_rows(con, "/a.mp4")) == ({}, {}, [])
