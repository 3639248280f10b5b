from __future__ import annotations

import pytest

from headtrack.cli.main import exit_code_of
from headtrack.cli.run import _partial_message, complete_ray
from headtrack.pipeline.archive import RunReport
from headtrack.types import VideoFailure


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["a.mp4", "--ray"], ["a.mp4", "--ray", "local"]),
        (["--ray", "--db", "x"], ["--ray", "local", "--db", "x"]),
        (["--ray", "films/a.mp4"], ["--ray", "local", "films/a.mp4"]),
        (["--ray", "auto", "a.mp4"], ["--ray", "auto", "a.mp4"]),
        (["--ray", "ray://head:10001", "a"], ["--ray", "ray://head:10001", "a"]),
        (["--ray", "10.0.0.1:6379", "a"], ["--ray", "10.0.0.1:6379", "a"]),
        (["--ray=head:6379", "a"], ["--ray=head:6379", "a"]),
        (["--", "--ray", "a"], ["--", "--ray", "a"]),
        (["a.mp4"], ["a.mp4"]),
    ],
)
def test_ray_takes_an_address_only_where_one_follows(words: list[str], completed: list[str]) -> None:
    assert complete_ray(words) == completed


def test_a_partial_video_counts_once_in_the_closing_message(tmp_path):
    failure = VideoFailure("bad.mp4", "", "probe", "VideoError", "empty")
    report = RunReport("r", tmp_path, 3, 2, 1, (failure,), people=0, appearances=0, wall_s=1.0)
    assert _partial_message(report, tmp_path / "p.duckdb").startswith("1 of 5 videos failed")


def test_an_empty_path_is_refused_and_not_taken_for_the_working_folder(capsys):
    assert exit_code_of(["run", "", "--db", "x.duckdb"]) == 2
    assert "empty" in capsys.readouterr().err


def test_an_empty_database_name_is_refused_in_plain_words(capsys):
    assert exit_code_of(["status", "--db", ""]) == 5
    assert "names no database file" in capsys.readouterr().err
