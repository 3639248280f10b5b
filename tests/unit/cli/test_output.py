from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from headtrack.cli.output import MAX_FOLDED_ROWS, Format, Rows, csv_text, print_json, print_rows, table_text

PEOPLE = Rows(("person", "screen_s", "videos"), [("P1", 12.5, ["a.mp4", "b.mp4"]), ("P2", float("nan"), [])])
NOBODY = Rows(("person", "screen_s"), [])


def test_json_is_an_array_of_objects_with_unknown_numbers_as_null(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(PEOPLE, Format.json)
    assert json.loads(capsys.readouterr().out) == [
        {"person": "P1", "screen_s": 12.5, "videos": ["a.mp4", "b.mp4"]},
        {"person": "P2", "screen_s": None, "videos": []},
    ]


def test_no_rows_print_as_valid_json_as_a_csv_header_and_as_a_table_header(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_rows(NOBODY, Format.json)
    assert json.loads(capsys.readouterr().out) == []
    print_rows(NOBODY, Format.csv)
    assert capsys.readouterr().out == "person,screen_s\n"
    print_rows(NOBODY, Format.table)
    assert capsys.readouterr().out.split("\n")[0].split() == ["person", "screen_s"]


def test_csv_comes_back_from_a_csv_reader_even_with_quotes_commas_and_line_breaks() -> None:
    odd = 'a "quoted", name\nwith a break'
    rows = list(csv.reader(io.StringIO(csv_text(Rows(("path",), [(odd,)])))))
    assert rows == [["path"], [odd]]


def test_a_table_that_is_no_terminal_folds_no_cell() -> None:
    path = "/very" * 80 + ".mp4"
    assert path in table_text(Rows(("path",), [(path,)]), terminal=False)


def test_a_table_is_as_wide_as_its_longest_cells_with_numbers_to_the_right() -> None:
    rows = Rows(("name", "n", "share"), [("a", 10, 0.5), ("\u6587\u5b57\u5217", 2, None)])
    assert table_text(rows, terminal=False).splitlines() == [
        "name      n   share",
        "───────────────────",
        "a        10   0.500",
        "\u6587\u5b57\u5217    2",
    ]


def test_a_terminal_that_is_too_narrow_folds_long_cells_of_few_rows_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    path = "/very" * 20 + ".mp4"
    assert max(map(len, table_text(Rows(("path",), [(path,)]), terminal=True).splitlines())) <= 40
    many = table_text(Rows(("path",), [(path,)] * (MAX_FOLDED_ROWS + 1)), terminal=True)
    assert len(many.splitlines()) == MAX_FOLDED_ROWS + 3


def test_a_file_name_cannot_steer_the_terminal() -> None:
    text = table_text(Rows(("path",), [("a\x1b[2J.mp4",), ("[bold]b.mp4",)]), terminal=True)
    assert "\x1b" not in text
    assert "[bold]b.mp4" in text


def test_numpy_values_and_paths_print_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"f1": np.float32(0.5), "counts": np.arange(2), "bad": float("inf"), "path": Path("x")})
    assert json.loads(capsys.readouterr().out) == {"f1": 0.5, "counts": [0, 1], "bad": None, "path": "x"}


def test_a_time_of_another_zone_is_printed_in_utc() -> None:
    there = datetime(2026, 1, 2, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert csv_text(Rows(("t",), [(there,)])) == "t\n2026-01-01T23:30:00+00:00\n"
    assert table_text(Rows(("t",), [(there,)]), terminal=False).splitlines()[-1] == "2026-01-01 23:30:00Z"


def test_a_reader_that_closes_the_pipe_early_causes_no_message() -> None:
    script = (
        "from headtrack.cli.output import *\n"
        "print_rows(Rows(('n',), [(i,) for i in range(200_000)]), Format.csv)\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    assert writer.stdout.readline() == "n\n"
    writer.stdout.close()
    assert writer.stderr.read() == ""
    assert writer.wait() == 0
    writer.stderr.close()
