from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headtrack.cli.main import exit_code_of
from headtrack.errors import StoreError
from headtrack.store.database import open_reader
from headtrack.store.read import run_checks, timeline
from tests.factories import Seen, make_result, make_video, store

A, B, C = "a" * 16, "b" * 16, "c" * 16


@pytest.fixture
def db(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Faces 0 and 1 together in a.mp4; in b.mp4 face 1 and somebody without a face; face 2 in c.mp4."""
    path = tmp_path / "people.duckdb"
    store(
        path,
        make_result([Seen(0, 9, 0), Seen(0, 9, 1, x=100.0, face=1)]),
        make_result(
            [Seen(0, 9, 0, face=1), Seen(12, 19, 1, x=100.0, face=None)],
            video=make_video(B, "/archive/b.mp4"),
        ),
        make_result([Seen(0, 9, 0, face=2)], video=make_video(C, "/archive/c.mp4")),
    )
    give(capsys, "cluster", "--db", path)
    return path


def give(capsys: pytest.CaptureFixture[str], *words: object) -> list[dict[str, Any]]:
    code = exit_code_of([str(word) for word in (*words, "--format", "json")])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def refuse(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    code = exit_code_of([str(word) for word in words])
    out, err = capsys.readouterr()
    assert (code, out) == (5, "")
    assert len(err.splitlines()) == 1
    return err


def people(db: Path) -> dict[str, str]:
    """Give the person of each track, after checking that the database is sound."""
    with open_reader(db) as con:
        assert run_checks(con) == []
        found = con.execute("SELECT video_id[1] || track, person FROM track_identity ORDER BY ALL").fetchall()
    return dict(found)


def groups(db: Path) -> list[list[str]]:
    by_person: dict[str, list[str]] = {}
    for track, person in people(db).items():
        by_person.setdefault(person, []).append(track)
    return sorted(by_person.values())


BEFORE = [["a0"], ["a1", "b0"], ["b1"], ["c0"]]


def test_a_merge_is_obeyed_by_every_later_clustering_until_it_is_undone(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert groups(db) == BEFORE
    before = people(db)
    (row,) = give(capsys, "merge", before["a1"], before["c0"], "--db", db)
    assert row == {
        "correction": 1,
        "person": before["a1"],  # the larger part keeps its id
        "name": None,
        "tracks": 3,
        "came_from": [before["c0"]],
        "tracks_moved": 1,
    }
    merged = [["a0"], ["a1", "b0", "c0"], ["b1"]]
    assert groups(db) == merged
    joined = rf"was joined with {before['a1']} \(correction 1\): give that id"
    with open_reader(db) as con, pytest.raises(StoreError, match=joined):
        timeline(con, before["c0"])
    for method in ("average", "hdbscan", "fast-hdbscan"):
        give(capsys, "cluster", "--db", db, "--set", f"identity.method={method}")
        assert groups(db) == merged
    rows = give(capsys, "undo", "--db", db)
    assert {row["person"] for row in rows} == {before["a1"], before["c0"]}
    assert people(db) == before
    changes = give(capsys, "query", "--name", "changes", "--db", db)
    assert [(c["kind"], c["person_from"], c["person_to"], c["reason"]) for c in changes] == [
        ("split", before["a1"], before["c0"], "undo of correction 1"),
        ("merged", before["c0"], before["a1"], "correction 1"),
    ]


def test_people_in_one_frame_are_not_merged_and_video_and_frame_are_named(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    error = refuse(capsys, "merge", before["a0"], before["a1"], "--db", db)
    assert "tracks 0 and 1 of /archive/a.mp4 are both in frame 0 (0.00 s)" in error
    assert "both in frame 0" in refuse(capsys, "assign", "a.mp4:1", before["a0"], "--db", db)
    assert give(capsys, "corrections", "--db", db) == []
    assert people(db) == before


def test_a_split_makes_one_other_person_of_the_named_tracks(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    rows = give(capsys, "split", before["a1"], "b.mp4:0", "--db", db)
    assert groups(db) == [["a0"], ["a1"], ["b0"], ["b1"], ["c0"]]
    assert {row["person"] for row in rows} == {people(db)["a1"], people(db)["b0"]}
    assert before["a1"] in people(db).values()


def test_an_assigned_track_goes_to_the_person_though_it_has_no_face(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    give(capsys, "assign", "/archive/b.mp4:1", before["c0"], "--db", db)
    assert groups(db) == [["a0"], ["a1", "b0"], ["b1", "c0"]]
    give(capsys, "assign", f"{B}:0", people(db)["c0"], "--db", db)
    assert groups(db) == [["a0"], ["a1"], ["b0", "b1", "c0"]]


def test_a_rejected_track_leaves_the_person_and_a_later_merge_brings_it_back(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    person = people(db)["a1"]
    give(capsys, "reject", "b.mp4:0", person, "--db", db)
    assert groups(db) == [["a0"], ["a1"], ["b0"], ["b1"], ["c0"]]
    code = exit_code_of(["merge", people(db)["a1"], people(db)["b0"], "--db", str(db)])
    assert (code, capsys.readouterr().err) == (0, "")  # a changed mind is no contradiction
    assert groups(db) == BEFORE


def test_people_who_are_rejected_stay_apart_where_they_would_be_joined(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    give(capsys, "reject", before["a0"], before["c0"], "--db", db)
    give(capsys, "cluster", "--set", "identity.min_probability=0.0", "--db", db)
    now = people(db)
    assert now["a0"] != now["c0"]
    give(capsys, "undo", "1", "--set", "identity.min_probability=0.0", "--db", db)
    assert people(db)["a0"] == people(db)["c0"]


def test_a_name_stands_for_the_id_in_every_command_and_can_be_taken_away(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    (row,) = give(capsys, "name", before["a1"], " Ada  Lovelace ", "--db", db)
    assert (row["person"], row["name"]) == (before["a1"], "Ada Lovelace")
    give(capsys, "merge", "Ada Lovelace", before["c0"], "--db", db)
    assert {stay["person"] for stay in give(capsys, "timeline", "Ada Lovelace", "--db", db)} == {before["a1"]}
    (entry,) = [c for c in give(capsys, "corrections", "--db", db) if c["kind"] == "name"]
    assert (entry["name"], entry["people"], entry["tracks"], entry["tracks_met"]) == (
        "Ada Lovelace",
        [before["a1"]],
        2,
        2,
    )
    (row,) = give(capsys, "name", "Ada Lovelace", "--remove", "--db", db)
    assert row["name"] is None
    give(capsys, "undo", "--db", db)
    assert give(capsys, "timeline", "Ada Lovelace", "--db", db) != []


def test_the_tracks_of_a_person_are_listed_as_a_split_takes_them(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = give(capsys, "query", "--name", "tracks", "--param", f"person={people(db)['a1']}", "--db", db)
    assert [(r["video"], r["track"], r["start_s"]) for r in rows] == [
        ("/archive/a.mp4", 1, 0.0),
        ("/archive/b.mp4", 0, 0.0),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("merge", "p_none", "{a1}"), "no person 'p_none'"),
        (("merge", "{a1}", "{b0}"), "is named twice; merge takes two different people"),
        (("split", "{a1}", "b.mp4:7"), "b.mp4 has no track 7"),
        (("split", "{a1}", "b.mp4:1"), "b.mp4:1 is a track of"),
        (("split", "{a1}", "a.mp4:1", "b.mp4:0"), "these are all tracks of"),
        (("split", "{a1}", "z.mp4:0"), "no video 'z.mp4'"),
        (("assign", "c.mp4", "{a1}"), "give VIDEO:TRACK"),
        (("reject", "{a1}", "{a1}"), "are one person"),
        (("reject", "c.mp4:0", "{c0}"), "is the only track of"),
        (("name", "nobody", "Ada"), "no person 'nobody'"),
        (("name", "{a1}", "--remove"), "has no name"),
        (("undo",), "no correction is in force"),
        (("undo", "7"), "no correction 7"),
    ],
)
def test_what_cannot_be_corrected_is_one_clear_error_and_changes_nothing(
    db: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    before = people(db)
    assert message in refuse(capsys, *(word.format(**before) for word in words), "--db", db)
    assert people(db) == before
    assert give(capsys, "corrections", "--db", db) == []


def test_a_name_and_an_id_of_one_person_are_told_to_be_the_same(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    give(capsys, "name", before["a1"], "Ada", "--db", db)
    said = refuse(capsys, "merge", "Ada", before["a1"], "--db", db)
    assert f"'Ada' and '{before['a1']}' are {before['a1']}; merge takes two different people" in said


def test_a_correction_that_cannot_be_clustered_is_not_kept(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    wrong = ("--set", "embed.identity_model=dlib-face-resnet", "--db", str(db))
    assert exit_code_of(["merge", before["a1"], before["c0"], *wrong]) == 2
    assert "dlib-face-resnet" in capsys.readouterr().err
    assert give(capsys, "corrections", "--db", db) == []
    give(capsys, "merge", before["a1"], before["c0"], "--db", db)
    assert exit_code_of(["undo", *wrong]) == 2
    capsys.readouterr()
    assert [c["undone_at"] for c in give(capsys, "corrections", "--db", db)] == [None]


@pytest.mark.parametrize(
    "words",
    [
        ("name", "{a1}"),
        ("name", "{a1}", "Ada", "--remove"),
        ("name", "{a1}", "p_x"),
        ("name", "{a1}", "film.mp4:3"),
        ("name", "{a1}", "  "),
        ("name", "{a1}", "x" * 101),
    ],
)
def test_a_name_that_is_none_is_refused(
    db: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert exit_code_of([*(word.format(**people(db)) for word in words), "--db", str(db)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_two_people_cannot_have_one_name_but_a_name_may_be_given_again(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    give(capsys, "name", before["a1"], "Ada", "--db", db)
    said = refuse(capsys, "name", before["c0"], "Ada", "--db", db)
    assert f"{before['a1']} is called 'Ada' already" in said
    give(capsys, "name", before["a1"], "Ada", "--db", db)


def test_correcting_makes_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = tmp_path / "none.duckdb"
    for words in (("merge", "a", "b"), ("undo",), ("corrections",)):
        assert "does not exist" in refuse(capsys, *words, "--db", db)
    assert not db.exists()


def test_what_a_later_analysis_contradicts_is_told_by_its_number(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people(db)
    give(capsys, "merge", before["a1"], before["c0"], "--db", db)
    # Now one track holds what were two, of which a correction says that they are two people.
    give(capsys, "reject", before["a0"], people(db)["a1"], "--db", db)
    store(db, make_result([Seen(0, 9, 0), Seen(0, 9, 0, x=100.0, face=1)]))
    assert exit_code_of(["cluster", "--db", str(db)]) == 0
    assert "correction 2 (" in capsys.readouterr().err
