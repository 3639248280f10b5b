"""Runs commands as a user does, and makes the odd files that they are given."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import av
import numpy as np

from headtrack.cli.main import exit_code_of
from headtrack.store.database import open_reader
from headtrack.store.read import named_query, run_checks
from tests.factories import Seen, cluster_by_basis, make_result, store


@dataclass(frozen=True)
class Outcome:
    """What a command gave."""

    returncode: int
    stdout: str
    stderr: str


def headtrack(*words: object, cwd: Path, env: dict[str, str] | None = None) -> Outcome:
    """Run a command as a user does, but in this process, which has loaded the libraries already."""
    out, err = io.StringIO(), io.StringIO()
    with (
        chdir(cwd),
        patch.dict(os.environ, env or {}),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = exit_code_of([str(word) for word in words])
    return Outcome(code, out.getvalue(), err.getvalue())


def spawn(*words: object, cwd: Path, limit: Callable[[], None] | None = None) -> Outcome:
    """Run a command in a process of its own."""
    done = subprocess.run(
        command(*words), cwd=cwd, preexec_fn=limit, capture_output=True, text=True, timeout=600
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "headtrack", *map(str, words)]


def error_line(done: Outcome, code: int) -> str:
    """Give the one line that says what is wrong, after checking the exit code."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    return lines[0]


def write_video(path: Path, frames: int, seed: int) -> Path:
    """Write a video of a drifting texture, 10 frames a second, without anybody in it."""
    rng = np.random.default_rng(seed)
    wide = rng.integers(0, 255, (12, 40, 3), np.uint8).repeat(20, 0).repeat(20, 1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.time_base = Fraction(1, 10)
        for i in range(frames):
            x = i % 400
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(wide[:, x : x + 320]), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def write_sound(path: Path) -> Path:
    """Write a file with sound and no picture."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16_000)
        for start in range(0, 16_000, 1024):
            samples = np.zeros((1, 1024), np.float32)
            frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
            frame.sample_rate, frame.pts = 16_000, start
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def states(db: Path) -> dict[str, tuple[str, str | None]]:
    """Give name → (state, reason) of every file a database knows, after checking that it is sound."""
    with open_reader(db) as con:
        assert run_checks(con) == []
        found = named_query(con, "status", {})
    return {Path(row[0]).name: (row[1], row[2]) for row in found.rows}


def fill(db: Path) -> None:
    """Put one video with one person into a new database."""
    store(db, make_result([Seen(0, 9, 0)]))
    cluster_by_basis(db)
