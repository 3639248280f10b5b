from __future__ import annotations

import pytest

from headtrack.cli import progress as progress_module
from headtrack.cli.progress import Step, plain_line, run_progress, video_step
from headtrack.pipeline.progress import RunProgress


def at(done: int, seconds_done: float, failed: int = 0, skipped: int = 0) -> RunProgress:
    return RunProgress(done, skipped, failed, 10, seconds_done, 100.0, "/films/last night.mp4")


def test_a_plain_line_says_how_much_is_done_how_fast_and_how_long_it_takes() -> None:
    line = plain_line(video_step(at(2, 20.0, failed=1, skipped=3)), 40.0, lambda rate: f"{rate:.2f} x")
    assert line == ("6 of 10 videos (3 already there, 1 failed), 20 %, 0.50 x, 0:02:40 left, last night.mp4")


def test_a_plain_line_before_anything_is_done_promises_no_time() -> None:
    assert plain_line(video_step(at(0, 0.0)), 5.0, lambda rate: f"{rate} x") == (
        "0 of 10 videos, 0 %, last night.mp4"
    )


def test_a_plain_line_with_nothing_to_do_divides_by_nothing() -> None:
    assert plain_line(Step(0.0, 0.0, "0 of 0 videos"), 5.0, str) == "0 of 0 videos"


def test_plain_lines_come_only_every_few_seconds_and_when_all_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = {"now": 0.0}
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: clock["now"])
    with run_progress() as show:
        for second in range(25):
            clock["now"] = float(second)
            show(at(0, float(second)))
        show(at(10, 100.0))
        show(at(10, 100.0))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[1].strip() for line in lines] == ["10 %", "20 %", "100 %"]
