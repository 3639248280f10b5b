from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headtrack.cli.main import exit_code_of
from headtrack.cli.run import _failed_run, complete_ray, print_failures, print_left_out
from headtrack.pipeline.archive import RunReport
from headtrack.types import VideoFailure
from headtrack.video.inputs import Inputs


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


BAD = VideoFailure("/films/bad.mp4", "", "probe", "VideoError", "/films/bad.mp4 is empty (0 bytes)")


def failed_run(done: int, skipped: int, *failures: VideoFailure) -> tuple[int, str]:
    report = RunReport(
        "r", Path("r"), done, 1, 0, 0, skipped, 0, failures, people=0, appearances=0, wall_s=1.0
    )
    error = _failed_run(report, Path("p.duckdb"))
    return error.exit_code, str(error)


@pytest.mark.parametrize(("done", "skipped"), [(3, 1), (4, 0), (0, 4)])
def test_where_some_videos_failed_the_others_are_said_to_be_stored(done: int, skipped: int) -> None:
    code, message = failed_run(done, skipped, BAD)
    assert code == 7
    assert message.startswith("1 of 5 videos failed; the others are stored in p.duckdb: ")


@pytest.mark.parametrize(
    ("failures", "beginning"), [(1, "the only video failed, "), (2, "all 2 videos failed, ")]
)
def test_where_every_video_failed_no_other_is_said_to_be_stored(failures: int, beginning: str) -> None:
    code, message = failed_run(0, 0, *[BAD] * failures)
    assert code == 3
    assert message.startswith(beginning)
    assert "others" not in message


def test_a_failed_video_is_told_with_its_path_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_failures([BAD, replace(BAD, message="no worker\x1b[2J")])
    assert capsys.readouterr().err.splitlines() == [
        "failed: /films/bad.mp4 is empty (0 bytes)",
        "failed: /films/bad.mp4: no worker\\x1b[2J",
    ]


def test_what_folders_hold_besides_is_told_in_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    links = tuple(Path(f"films/{name}") for name in "abcde")
    print_left_out(Inputs((), {}, (), ()))
    assert capsys.readouterr().err == ""
    print_left_out(Inputs((), {".txt": 2, ".pdf": 1}, links, (Path("films/lost+found"),)))
    assert capsys.readouterr().err.splitlines() == [
        "left out 3 files that are neither video nor image: .txt 2, .pdf 1",
        "did not follow links to folders: films/a, films/b, films/c and 2 more; name each as a PATH",
        "could not read folders: films/lost+found; their files are left out",
    ]


def test_an_empty_path_is_refused_and_not_taken_for_the_working_folder(capsys):
    assert exit_code_of(["run", "", "--db", "x.duckdb"]) == 2
    assert "empty" in capsys.readouterr().err


def test_an_empty_database_name_is_refused_in_plain_words(capsys):
    assert exit_code_of(["status", "--db", ""]) == 2
    assert "--db is empty" in capsys.readouterr().err
