"""Ctrl-C while a run goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.integration.command_line import command, spawn, states, write_video

# Promised are two seconds; the rest is slack for a busy machine.
STOP_BOUND_S = 5.0


@pytest.mark.heavy
def test_ctrl_c_stops_in_time_and_the_same_command_goes_on_from_there(tmp_path: Path) -> None:
    films = tmp_path / "films"
    films.mkdir()
    write_video(films / "a_short.mp4", 10, seed=1)
    write_video(films / "b_long.mp4", 600, seed=2)
    words = ["run", "films", "--db", "people.duckdb", "--format", "json"]
    with subprocess.Popen(command(*words), cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        _wait_until(lambda: _videos_done(tmp_path) == 1, run)
        children = psutil.Process(run.pid).children(recursive=True)
        run.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        code = run.wait(timeout=60)
        took_s = time.monotonic() - pressed
        said = run.stderr.read()
    assert len(children) == 1  # the one that decodes
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert code == 130
    assert said.splitlines()[-1] == "stopped; run the same command again to go on"
    assert "Traceback" not in said
    assert took_s < STOP_BOUND_S
    assert {name: state for name, (state, _) in states(tmp_path / "people.duckdb").items()} == {
        "a_short.mp4": "complete"
    }
    # The rest of the long film would take its time: the film given up is replaced by a shorter one.
    write_video(films / "b_long.mp4", 20, seed=2)
    again = spawn(*words, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    (report,) = json.loads(again.stdout)
    assert (report["done"], report["skipped"], report["failed"]) == (1, 1, 0)
    assert sorted(states(tmp_path / "people.duckdb")) == ["a_short.mp4", "b_long.mp4"]


def _videos_done(folder: Path) -> int:
    journals = list((folder / "people.duckdb.runs").glob("*/progress.jsonl"))
    lines = journals[0].read_text().split("\n")[:-1] if journals else []
    return json.loads(lines[-1])["videos_done"] if lines else 0


def _wait_until(is_so: Callable[[], bool], run: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while not is_so():
        assert run.poll() is None, run.stderr.read() if run.stderr else ""
        assert time.monotonic() < deadline
        time.sleep(0.05)
