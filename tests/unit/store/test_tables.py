from __future__ import annotations

import numpy as np

from headtrack.store.tables import SMALL_TABLES, crop_tables, result_tables, shown_s
from headtrack.types.views import REAR
from tests.factories import FACE_DIM, LOOK_DIM, Seen, broken, make_result, make_video, still


def test_a_video_without_heads_has_all_tables_with_their_columns() -> None:
    empty, some = make_result([]), make_result([Seen(0, 3, 0)])
    tables, full = result_tables(empty), result_tables(some)
    assert tuple(tables) == SMALL_TABLES
    assert [len(tables[name]) for name in SMALL_TABLES] == [1, 1, 0, 0, 20]
    crops, of_some = next(crop_tables(empty)), next(crop_tables(some))
    assert len(crops) == 0
    assert crops.schema == of_some.schema
    assert {n: t.schema for n, t in tables.items()} == {n: t.schema for n, t in full.items()}


def test_a_video_without_frames_has_no_shots_and_no_duration() -> None:
    tables = result_tables(make_result([], frame_time_s=[]))
    assert len(tables["shot"]) == 0
    assert tables["video"]["duration_s"].to_pylist() == [0.0]
    assert tables["video"]["frame_count"].to_pylist() == [0]


def test_frames_of_unequal_length_are_shown_until_the_next() -> None:
    time_s = np.array([0.0, 0.04, 0.14, 0.18])
    np.testing.assert_allclose(shown_s(time_s), [0.04, 0.10, 0.04, 0.04])
    assert shown_s(np.zeros(0)).tolist() == []


def test_times_that_run_back_give_no_negative_stay() -> None:
    assert shown_s(np.array([0.0, 0.5, 0.4])).min() == 0


def test_a_still_image_lasts_no_time_but_has_its_heads() -> None:
    tables = result_tables(still("b" * 16, "/archive/b.jpg", [Seen(0, 0, 0)]))
    assert tables["head"]["shown_s"].to_pylist() == [0.0]
    assert tables["shot"].select(["start_s", "end_s"]).to_pylist() == [{"start_s": 0.0, "end_s": 0.0}]


def test_loose_detections_have_no_tracklet_and_rows_are_sorted_by_frame() -> None:
    heads = result_tables(make_result([Seen(2, 5, 0)], loose_frames=(3, 0)))["head"].to_pylist()
    assert [row["frame"] for row in heads] == [0, 2, 3, 3, 4, 5]
    assert [row["tracklet"] for row in heads] == [None, 0, 0, None, 0, 0]


def test_yaw_is_known_of_detected_boxes_only() -> None:
    seen = [Seen(0, 4, 0), Seen(0, 4, 1, x=100, view=REAR, face=None)]
    heads = result_tables(make_result(seen))["head"].to_pylist()
    front = [row["yaw_deg"] for row in heads if row["tracklet"] == 0]
    assert front == [12.0, None, 12.0, None, 12.0]
    assert [row["interpolated"] for row in heads if row["tracklet"] == 0] == [False, True, False, True, False]
    assert {row["yaw_deg"] for row in heads if row["tracklet"] == 1} == {None}
    assert {row["view"] for row in heads if row["tracklet"] == 1} == {"rear"}


def test_a_crop_without_a_face_has_no_identity_vector() -> None:
    seen = [Seen(0, 1, 0, face=3, look=2), Seen(5, 6, 1, face=None, look=1)]
    crops = next(crop_tables(make_result(seen))).to_pylist()
    assert [c["identity"] is None for c in crops] == [False, False, True, True]
    assert crops[0]["identity"] == np.eye(FACE_DIM)[3].tolist()
    assert crops[3]["appearance"] == np.eye(LOOK_DIM)[1].tolist()
    assert [c["frame"] for c in crops] == [0, 1, 5, 6]


def test_tracklets_know_their_frames_and_why_they_were_linked() -> None:
    rows = result_tables(make_result([Seen(1, 9, 0), Seen(10, 12, 0)], cuts=(10,)))["tracklet"].to_pylist()
    assert [(r["first_frame"], r["last_frame"], r["shot"], r["track"]) for r in rows] == [
        (1, 9, 0, 0),
        (10, 12, 1, 0),
    ]
    assert [r["link_reason"] for r in rows] == ["start", "shot_change"]


def test_a_video_that_broke_off_is_partial() -> None:
    row = result_tables(broken(make_result([], video=make_video("c" * 16)), 19))["video"].to_pylist()[0]
    assert (row["status"], row["broken_at"], row["broken_reason"]) == ("partial", 19, "corrupt packet")
    row = result_tables(make_result([]))["video"].to_pylist()[0]
    assert (row["status"], row["broken_at"], row["broken_reason"]) == ("complete", None, None)
