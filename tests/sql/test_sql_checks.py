from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from headtrack.store.corrections import NewCorrection, add_correction
from headtrack.store.database import open_reader, open_writer
from headtrack.store.read import run_checks
from headtrack.store.sql_files import statements
from headtrack.types.views import REAR
from tests.factories import Seen, broken, cluster_by_basis, make_result, make_video, still, store

# One fault a line, planted into a sound database: the check that must find it, and how it is planted.
FAULTS = [
    ("row_without_video", "DELETE FROM video WHERE video_id = '{b}'"),
    ("video_without_path", "DELETE FROM video_path WHERE video_id = '{b}'"),
    ("duplicate_row", "INSERT INTO video FROM video WHERE video_id = '{a}'"),
    ("duplicate_row", "INSERT INTO video_path VALUES ('{b}', '/archive/a.mp4')"),
    ("duplicate_row", "INSERT INTO shot FROM shot WHERE video_id = '{a}'"),
    ("duplicate_row", "INSERT INTO tracklet FROM tracklet WHERE video_id = '{a}'"),
    ("duplicate_row", "INSERT INTO detection FROM detection WHERE video_id = '{a}' AND frame = 0"),
    ("duplicate_row", "INSERT INTO head FROM head WHERE video_id = '{a}' AND frame = 0"),
    ("duplicate_row", "INSERT INTO track_identity FROM track_identity WHERE video_id = '{a}'"),
    ("duplicate_row", "INSERT INTO person FROM person"),
    ("shot_gap_or_overlap", "UPDATE shot SET end_frame = 12 WHERE video_id = '{a}' AND shot = 0"),
    ("shot_gap_or_overlap", "UPDATE shot SET start_frame = 1 WHERE video_id = '{a}' AND shot = 0"),
    ("shot_gap_or_overlap", "UPDATE shot SET end_frame = 19 WHERE video_id = '{a}' AND shot = 1"),
    ("tracklet_outside_shot", "DELETE FROM shot WHERE video_id = '{a}' AND shot = 1"),
    ("tracklet_outside_shot", "UPDATE tracklet SET last_frame = 10 WHERE video_id = '{a}' AND tracklet = 0"),
    ("head_outside_frames", "UPDATE head SET frame = 20 WHERE video_id = '{a}' AND frame = 19"),
    ("head_outside_frames", "UPDATE head SET frame = -1 WHERE video_id = '{a}' AND frame = 3"),
    ("head_malformed", "UPDATE head SET x2 = x1 WHERE video_id = '{a}' AND frame = 3"),
    ("head_malformed", "UPDATE head SET y1 = 'nan' WHERE video_id = '{a}' AND frame = 3"),
    ("head_malformed", "UPDATE head SET view = 'top' WHERE video_id = '{a}' AND frame = 3"),
    ("head_malformed", "UPDATE head SET score = 1.5 WHERE video_id = '{a}' AND frame = 3"),
    ("head_malformed", "UPDATE head SET shown_s = -1 WHERE video_id = '{a}' AND frame = 3"),
    ("detection_malformed", "UPDATE detection SET frame = 20 WHERE video_id = '{a}' AND frame = 19"),
    ("detection_malformed", "UPDATE detection SET heads = 7 WHERE video_id = '{a}' AND frame = 0"),
    ("detection_malformed", "UPDATE detection SET body_xyxy = [] WHERE video_id = '{a}' AND frame = 0"),
    ("row_without_tracklet", "DELETE FROM tracklet WHERE video_id = '{a}' AND tracklet = 0"),
    ("row_without_tracklet", "DELETE FROM head WHERE video_id = '{a}' AND tracklet = 0"),
    ("row_without_tracklet", "UPDATE track_identity SET track = 77 WHERE video_id = '{b}'"),
    ("appearance_with_two_people", "UPDATE track_identity SET appearance = 'a_same'"),
    ("person_twice_in_frame", "UPDATE track_identity SET person = (SELECT min(person) FROM person)"),
    ("track_twice_in_frame", "UPDATE tracklet SET track = 0 WHERE video_id = '{a}'"),
    ("look_gap_or_overlap", "INSERT INTO track_look VALUES ('{a}', 0, 0, 5, 'a_x'), ('{a}', 0, 6, 9, 'a_y')"),
    ("look_gap_or_overlap", "INSERT INTO track_look VALUES ('{a}', 0, 5, 5, 'a_x')"),
    ("row_without_tracklet", "INSERT INTO track_look VALUES ('{a}', 77, 0, 5, 'a_x')"),
    ("person_unlisted", "DELETE FROM person"),
    ("person_unlisted", "INSERT INTO person VALUES ('p_nobody', NULL)"),
    (
        "embedding_malformed",
        "UPDATE crop_embedding SET identity = [0.5] WHERE video_id = '{a}' AND frame = 0",
    ),
    (
        "embedding_malformed",
        "UPDATE crop_embedding SET appearance = list_transform(appearance, lambda x: x * 2) "
        "WHERE video_id = '{a}' AND frame = 0",
    ),
    (
        "embedding_malformed",
        "UPDATE crop_embedding SET appearance = list_transform(appearance, lambda x: 'nan'::FLOAT) "
        "WHERE video_id = '{a}' AND frame = 0",
    ),
    ("correction_malformed", "INSERT INTO correction FROM correction"),
    ("correction_malformed", "UPDATE correction SET kind = 'marry'"),
    ("correction_malformed", "UPDATE correction SET name = 'Ada' WHERE kind = 'split'"),
    ("correction_malformed", "DELETE FROM correction_anchor WHERE side = 'a'"),
    ("correction_malformed", "UPDATE correction_anchor SET correction = 77 WHERE side = 'b'"),
    ("correction_malformed", "UPDATE correction_anchor SET side = 'd' WHERE side = 'b'"),
    ("correction_malformed", "UPDATE correction_anchor SET x2 = x1"),
    (
        "identity_change_malformed",
        "INSERT INTO identity_change VALUES (1, '2026-01-01', 'moved', 'p_a', 'p_a', 1, 'new evidence')",
    ),
    (
        "identity_change_malformed",
        "INSERT INTO identity_change VALUES (77, '2026-01-01', 'moved', 'p_a', 'p_b', 1, 'new evidence')",
    ),
]
A, B = "a" * 16, "b" * 16


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("sound") / "people.duckdb"
    seen = [Seen(0, 9, 0), Seen(10, 19, 0, view=REAR, face=None), Seen(2, 8, 1, x=100, face=1, look=1)]
    store(
        db,
        make_result(seen, cuts=(10,), loose_frames=(5,)),
        broken(make_result([Seen(0, 9, 0)], video=make_video(B, "/archive/b.mp4")), 19),
        still("c" * 16, "/archive/c.jpg", [Seen(0, 0, 0, face=1)]),
        make_result([], video=make_video("d" * 16, "/archive/d.mp4")),
        make_result([], video=make_video("e" * 16, "/archive/e.mp4"), frame_time_s=[]),
    )
    with open_writer(db) as con:
        add_correction(con, NewCorrection("split", "by hand", a=((A, 0),), b=((B, 0), ("c" * 16, 0))))
    cluster_by_basis(db)
    return db


def test_a_sound_database_has_no_findings(sound: Path) -> None:
    with open_reader(sound) as con:
        assert run_checks(con) == []


def test_every_check_has_a_fault_that_it_finds() -> None:
    assert {name for name, _ in FAULTS} == set(statements("checks"))


@pytest.mark.parametrize(("check", "fault"), FAULTS)
def test_a_planted_fault_is_found(sound: Path, tmp_path: Path, check: str, fault: str) -> None:
    db = Path(shutil.copy(sound, tmp_path))
    with open_writer(db) as con:
        con.execute(fault.format(a=A, b=B))
        findings = {finding.name: finding for finding in run_checks(con)}
    assert check in findings
    assert findings[check].doc.endswith(".")
    assert len(findings[check].found) > 0
