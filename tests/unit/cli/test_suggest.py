from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from headtrack.cli.main import exit_code_of
from tests.factories import Seen, cluster_by_basis, make_result, make_video, store


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two videos of two people; the faces are at a right angle, so nobody is likely anybody else."""
    path = tmp_path / "people.duckdb"
    store(
        path,
        make_result([Seen(0, 9, 0)]),
        make_result([Seen(0, 9, 0, face=1), Seen(0, 9, 1, x=100)], video=make_video("b" * 16, "/a/b c.mp4")),
    )
    cluster_by_basis(path)
    return path


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return json.loads(capsys.readouterr().out)


def test_each_question_comes_with_both_commands_to_answer_it(db, capsys):
    assert exit_code_of(["suggest", "--db", str(db), "--format", "json"]) == 0
    (one,) = rows(capsys)  # the two people share a frame
    assert (one["question"], one["person_b"], one["name_a"]) == ("one?", None, None)
    assert one["probability"] > 0.9
    assert {one["video_a"], one["video_b"]} == {"/archive/a.mp4", "/a/b c.mp4"}
    no, yes = shlex.split(one["if_no"]), shlex.split(one["if_yes"])
    assert no[:3] == ["headtrack", "split", one["person_a"]]
    assert no[3] in ("/archive/a.mp4:0", "/a/b c.mp4:1")
    assert yes == ["headtrack", "assign", no[3], one["person_a"], "--db", str(db)]


def test_two_people_are_asked_about_with_merge_and_reject(tmp_path, capsys):
    db = tmp_path / "people.duckdb"
    store(
        db,
        make_result([Seen(0, 9, 0)]),
        make_result([Seen(0, 9, 0, face=1)], video=make_video("b" * 16, "/archive/b.mp4")),
    )
    cluster_by_basis(db)
    assert exit_code_of(["suggest", "--db", str(db), "--format", "json"]) == 0
    (same,) = rows(capsys)
    pair = [same["person_a"], same["person_b"]]
    assert same["question"] == "same?"
    assert shlex.split(same["if_yes"])[:4] == ["headtrack", "merge", *pair]
    assert shlex.split(same["if_no"])[:4] == ["headtrack", "reject", *pair]


def test_a_table_fits_a_terminal_and_gives_the_commands_in_full_below(tmp_path, capsys):
    db, folder = tmp_path / "people.duckdb", "/archive/of/many/folders/and_a_long_name_of_a_film"
    store(
        db,
        make_result([Seen(0, 9, 0)], video=make_video("a" * 16, f"{folder}/one.mp4")),
        make_result([Seen(0, 9, 0)], video=make_video("b" * 16, f"{folder}/a_name_of_far_more_than_16.mp4")),
        make_result([Seen(0, 9, 0, face=1)], video=make_video("c" * 16, f"{folder}/three.mp4")),
    )
    cluster_by_basis(db)
    assert exit_code_of(["suggest", "--db", str(db), "--format", "json"]) == 0
    whole = rows(capsys)
    assert {one["question"] for one in whole} == {"same?", "one?"}
    assert exit_code_of(["suggest", "--db", str(db)]) == 0
    table, commands = capsys.readouterr().out.split("\n\n")
    assert max(map(len, table.splitlines())) <= 120
    assert len(table.splitlines()) == 2 + len(whole)
    assert "a_name_o…_16.mp4 0." in table
    assert folder not in table
    assert commands.splitlines() == [
        f"{nr} {answer:>3}: {one[f'if_{answer}']}"
        for nr, one in enumerate(whole, 1)
        for answer in ("yes", "no")
    ]


def test_with_nothing_to_ask_it_says_so(tmp_path, capsys):
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0)]))
    cluster_by_basis(db)
    assert exit_code_of(["suggest", "--db", str(db), "--format", "json"]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out) == []
    assert "nothing to ask" in out.err


def test_an_empty_database_leaves_nothing_to_ask(tmp_path, capsys):
    db = tmp_path / "people.duckdb"
    store(db, make_result([]))
    assert exit_code_of(["suggest", "--db", str(db), "--format", "json"]) == 0
    assert rows(capsys) == []
