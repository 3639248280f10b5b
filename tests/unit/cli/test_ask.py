from __future__ import annotations

import csv
import io
import json
import os
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from headtrack.cli.main import exit_code_of
from headtrack.pipeline.progress import RunProgress, WorkerState, to_journal
from headtrack.store.database import open_writer
from headtrack.store.ingest import ingest_failure
from headtrack.store.spool import run_folder
from headtrack.types import VideoFailure
from tests.factories import Seen, broken, cluster_by_basis, make_result, make_video, store

STABLE_COLUMNS = [
    *("path", "frame", "time_s", "x1", "y1", "x2", "y2", "score", "view", "interpolated"),
    *("tracklet", "track", "person", "appearance"),
]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two people over two videos, the second of which broke off; a third file that gave nothing."""
    path = tmp_path_factory.mktemp("ask") / "people.duckdb"
    first = make_result([Seen(0, 9, 0), Seen(0, 19, 1, x=100.0, face=1, look=1)])
    second = make_result([Seen(0, 9, 0, look=2)], video=make_video("b" * 16, "/archive/b.mp4"))
    store(path, first, broken(second, 9))
    cluster_by_basis(path)
    with open_writer(path) as con:
        ingest_failure(con, VideoFailure("/archive/c.mp4", "", "probe", "VideoError", "no video stream"))
    return path


@pytest.fixture(scope="module")
def empty_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "people.duckdb"
    with open_writer(path):
        return path


def ask(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    code = exit_code_of([str(word) for word in (*words, "--format", "json")])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def refuse(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    code = exit_code_of([str(word) for word in words])
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    return code, err


def test_people_come_with_the_most_seen_first(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ask(capsys, "people", "--db", db)
    assert len(rows) == 2
    seconds = [row["screen_time_s"] for row in rounded(rows)]
    assert seconds == sorted(seconds, reverse=True)
    assert {row["appearances"] for row in rows} == {1, 2}


@pytest.mark.parametrize("command", ["people", "status"])
def test_a_database_without_people_gives_an_empty_answer_in_every_format(
    command: str, empty_db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = ask(capsys, command, "--db", empty_db)
    assert answer == ([] if command == "people" else {"run": None, "videos": []})
    for form in ("csv", "table"):
        assert exit_code_of([command, "--db", str(empty_db), "--format", form]) == 0
        header, *rest = capsys.readouterr().out.splitlines()
        assert ("person" if command == "people" else "path") in header
        assert [line for line in rest if set(line) - set("─ ")] == []


def test_a_timeline_names_looks_and_videos_of_one_person(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two_looks = next(r["person"] for r in ask(capsys, "people", "--db", db) if r["appearances"] == 2)
    stays = ask(capsys, "timeline", two_looks, "--db", db)
    assert {stay["person"] for stay in stays} == {two_looks}
    assert len({stay["appearance"] for stay in stays}) == 2
    assert {stay["video"] for stay in stays} == {"/archive/a.mp4", "/archive/b.mp4"}
    assert all(stay["start_s"] < stay["end_s"] for stay in stays)


def test_the_timeline_of_an_unknown_person_names_near_ids(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = ask(capsys, "people", "--db", db)[0]["person"]
    code, message = refuse(capsys, "timeline", known[:-1] + "0", "--db", db)
    assert code == 5
    assert known[:-1] + "0" in message
    assert f"did you mean {known}" in message
    assert "headtrack people" in message


def test_a_query_gives_the_stable_columns(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code_of(["query", "FROM head_by_frame LIMIT 1", "--db", str(db), "--format", "csv"])
    assert next(csv.reader(io.StringIO(capsys.readouterr().out))) == STABLE_COLUMNS


def test_a_query_takes_values_as_parameters_and_not_as_text(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "SELECT count(*) AS n FROM head_by_frame WHERE path = $path AND frame < $stop"
    rows = ask(capsys, "query", sql, "--param", "path=/archive/a.mp4", "--param", "stop=2", "--db", db)
    assert rows == [{"n": 4}]
    hostile = ask(capsys, "query", "SELECT $x AS x", "--param", "x='; DROP VIEW person_summary", "--db", db)
    assert hostile == [{"x": "'; DROP VIEW person_summary"}]


def test_a_limit_cuts_the_rows_and_says_so_on_stderr(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["query", "SELECT frame FROM head_by_frame", "--limit", "3", "--db", str(db), "--format", "csv"]
    assert exit_code_of(words) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1 + 3
    assert err == "only the first 3 rows are printed, as --limit 3 says; there are more\n"


def test_a_limit_of_0_prints_the_columns_alone_and_says_so(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["SELECT frame FROM head_by_frame"], ["--name", "totals"]):
        assert exit_code_of(["query", *words, "--limit", "0", "--db", str(db), "--format", "csv"]) == 0
        out, err = capsys.readouterr()
        assert len(out.splitlines()) == 1
        assert err == "no row is printed, as --limit 0 says; there is at least one\n"
    assert ask(capsys, "query", "SELECT 1 AS a WHERE false", "--limit", "0", "--db", db) == []


@pytest.mark.parametrize("form", ["json", "csv", "table"])
def test_columns_of_one_name_all_come_each_under_a_name_of_its_own(
    form: str, db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(["query", "SELECT 1 AS a, 2 AS a, 3 AS b", "--db", str(db), "--format", form]) == 0
    out = capsys.readouterr().out
    if form == "json":
        assert json.loads(out) == [{"a": 1, "a_2": 2, "b": 3}]
    else:
        assert re.split(r"[\s,]+", out.splitlines()[0]) == ["a", "a_2", "b"]


def test_a_named_query_runs_by_its_name(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    person = ask(capsys, "people", "--db", db)[0]["person"]
    looks = ask(capsys, "query", "--name", "looks", "--param", f"person={person}", "--db", db)
    assert {look["person"] for look in looks} == {person}


def rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the last bits, which depend on the order in which threads add seconds up."""
    return [{k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()} for row in rows]


def test_a_named_query_takes_a_name_for_an_id_and_tells_who_is_nobody(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "people.duckdb"
    own.write_bytes(db.read_bytes())
    person, other = (row["person"] for row in ask(capsys, "people", "--db", own))
    ask(capsys, "name", person, "Ada", "--db", own)
    for name in ("looks", "seen_with", "timeline", "tracks"):
        answers = [
            ask(capsys, "query", "--name", name, "--param", f"person={word}", "--db", own)
            for word in (person, "Ada")
        ]
        assert rounded(answers[0]) == rounded(answers[1]) != []
        words = ["query", "--name", name, "--param", f"person={person[:-1]}", "--db", own]
        code, message = refuse(capsys, *words)
        assert code == 5
        assert f"no person '{person[:-1]}'; did you mean {person}? `headtrack people` lists them" in message
    assert other not in ("", person)


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (["query"], 2, "--name"),
        (["query", "SELECT 1", "--name", "people"], 2, "both"),
        (["query", "SELECT $a", "--param", "a"], 2, "KEY=VALUE"),
        (["query", "--name", "nobody"], 2, "people"),
        (["query", "--name", "people", "--param", "person=p"], 2, "takes no parameter, got --param person"),
        (["query", "SELECT $a", "--param", "a=1", "--param", "a=2"], 2, "--param a is given twice"),
        (["query", "--name", "looks"], 2, "--param person=VALUE"),
        (["query", "SELECT $who"], 2, "--param who=VALUE"),
        (["query", "SELECT 1", "--param", "who=x"], 2, "leave its --param out"),
        (["query", "SELECT * FROM peple"], 5, "docs/sql.md lists the views"),
        (["query", "SELEC 1"], 5, "SELEC"),
        (["query", "SELECT nothing FROM person_summary"], 5, "nothing"),
        (["query", "DROP TABLE video"], 5, "SELECT"),
        (["query", "SELECT 1; SELECT 2"], 5, "one SELECT"),
        (["query", "COPY video TO 'stolen.csv'"], 5, "SELECT"),
        (["query", "SELECT * FROM read_csv('/etc/passwd')"], 5, "disabled"),
    ],
)
def test_a_bad_query_changes_nothing_and_says_why(
    words: list[str], code: int, named: str, db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = db.read_bytes()
    got, message = refuse(capsys, *words, "--db", db)
    assert (got, named in message) == (code, True), message
    assert db.read_bytes() == before


def test_status_gives_every_file_its_state_and_reason(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "status", "--db", db)
    assert answer["run"] is None
    states = {row["path"]: (row["state"], row["reason"]) for row in answer["videos"]}
    assert states == {
        "/archive/a.mp4": ("complete", None),
        "/archive/b.mp4": ("partial", "decoding failed after frame 9: corrupt packet"),
        "/archive/c.mp4": ("failed", "no video stream"),
    }


def test_status_gives_a_path_once_with_its_newest_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "people.duckdb"
    first = broken(make_result([Seen(0, 9, 0)]), 9)

    def listed() -> list[tuple[str, str, str]]:
        rows = ask(capsys, "query", "--name", "failures", "--db", db)
        assert [row["path"] for row in rows] == ["/archive/a.mp4"]
        videos = ask(capsys, "status", "--db", db)["videos"]
        return [(row["path"], row["state"], row["reason"]) for row in videos]

    store(db, first)
    broke_off = "decoding failed after frame 9: corrupt packet"
    assert listed() == [("/archive/a.mp4", "partial", broke_off)]
    with open_writer(db) as con:
        ingest_failure(con, VideoFailure("/archive/a.mp4", "", "probe", "VideoError", "no video stream"))
    assert listed() == [("/archive/a.mp4", "failed", "no video stream")]
    store(db, first)
    assert listed() == [("/archive/a.mp4", "partial", broke_off)]


def test_times_are_printed_in_utc_and_say_so(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ask(capsys, "status", "--db", db)["videos"]
    for row in rows:
        said = datetime.fromisoformat(row["recorded_at"])
        assert said.utcoffset() == timedelta(0)
        assert abs(datetime.now(UTC) - said) < timedelta(hours=1)
    sql = "SELECT TIMESTAMP '2026-01-02 03:04:05.5' AS t"
    assert ask(capsys, "query", sql, "--db", db) == [{"t": "2026-01-02T03:04:05.500000+00:00"}]
    exit_code_of(["query", sql, "--db", str(db), "--format", "csv"])
    assert capsys.readouterr().out == "t\n2026-01-02T03:04:05.500000+00:00\n"
    exit_code_of(["query", sql, "--db", str(db)])
    assert capsys.readouterr().out.splitlines()[-1] == "2026-01-02 03:04:05Z"


def test_status_of_a_run_that_goes_on_reads_its_journal_even_where_the_database_is_locked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "people.duckdb"
    run_dir = run_folder(db, f"20260101T000000-{os.getpid()}")
    run_dir.mkdir(parents=True)
    write = to_journal(run_dir / "progress.jsonl", every_s=0)
    write(RunProgress(0, 1, 0, 4, 0.0, 30.0, ""))
    loading = WorkerState(2, "", 0, "loading", "", None, None, time.time(), 0, 0, 0.0)
    watching = WorkerState(1, "n1", 77, "watching", "/archive/b.mp4", 60.0, 120.0, 1e9, 1, 2, 95.0)
    write(RunProgress(1, 1, 1, 4, 15.0, 30.0, "/archive/b.mp4", (watching, loading)))
    with (run_dir / "progress.jsonl").open("a") as journal:
        journal.write('{"at": 17')  # a line that is just being written
    with open_writer(db):
        run = ask(capsys, "status", "--db", db)["run"]
    assert run["run"] == run_dir.name
    assert (run["videos_done"], run["videos_failed"], run["videos_total"]) == (1, 1, 4)
    assert run["current"] == "/archive/b.mp4"
    assert run["videos_waiting"] == 1
    assert run["times_real_time"] * run["elapsed_s"] == pytest.approx(15)
    first, second = run["workers"]
    assert (first["node"], first["pid"], first["doing"], first["path"]) == (
        "n1",
        77,
        "watching",
        "/archive/b.mp4",
    )
    assert (first["start_s"], first["stop_s"], first["since"]) == (60, 120, "2001-09-09T01:46:40+00:00")
    assert (first["videos"], first["spans"], first["seconds"]) == (1, 2, 95)
    assert (second["node"], second["doing"], second["start_s"]) == ("", "loading", None)
    assert exit_code_of(["status", "--db", str(db), "--format", "csv"]) == 0
    header, values = capsys.readouterr().out.splitlines()
    assert dict(zip(header.split(","), values.split(","), strict=True))["current"] == "/archive/b.mp4"
    assert exit_code_of(["status", "--db", str(db)]) == 0
    of_run, of_workers = capsys.readouterr().out.split("\n\n")
    assert "0:00:15 of 0:00:30" in of_run
    heading, _, first_line, second_line = of_workers.splitlines()
    assert heading.split()[:6] == ["worker", "node", "pid", "doing", "video", "from-to"]
    assert first_line.split() == [
        *("1", "n1", "77", "watching", "b.mp4", "0:01:00-0:02:00", "2001-09-09", "01:46:40Z"),
        *("1", "2", "0:01:35"),
    ]
    assert second_line.split()[:2] == ["2", "loading"]


def test_a_run_that_was_killed_does_not_count_as_going_on(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "people.duckdb"
    copy.write_bytes(db.read_bytes())
    no_process = 2**22 + 1  # above the highest process id of Linux
    for name, at in ((f"20260101T000000-{no_process}", time.time()), (f"20260102T000000-{os.getpid()}", 0.0)):
        run_dir = run_folder(copy, name)
        run_dir.mkdir(parents=True)
        report = {"at": at, **{f: 0 for f in RunProgress.__slots__}, "current": "", "workers": []}
        (run_dir / "progress.jsonl").write_text(json.dumps(report) + "\n")
    assert ask(capsys, "status", "--db", copy)["run"] is None
