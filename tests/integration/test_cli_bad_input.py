"""Every kind of bad input: one clear message, the documented exit code, nothing half-written."""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import av
import duckdb
import numpy as np
import pytest

from headtrack.cli.main import exit_code_of
from headtrack.models.registry import MODELS
from headtrack.models.weights import models_folder
from headtrack.store.database import open_reader
from headtrack.store.read import named_query, run_checks
from tests.factories import Seen, cluster_by_basis, make_result, store

# Promised are two seconds; the rest is slack for a busy machine.
STOP_BOUND_S = 5.0
DISK_BYTES = 16 * 2**20

HOLD = """
import sys
from pathlib import Path
from headtrack.store.database import open_writer
with open_writer(Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.read()
"""


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


# Paths


def test_a_path_that_does_not_exist_stops_before_anything_is_made(tmp_path: Path) -> None:
    done = headtrack("run", "no/such/film.mp4", "--db", "people.duckdb", cwd=tmp_path)
    assert "no/such/film.mp4" in error_line(done, 3)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_any_video_stops_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "notes.txt").write_text("none yet")
    done = headtrack("run", "films", "--db", "people.duckdb", cwd=tmp_path)
    assert "films" in error_line(done, 3)
    assert not (tmp_path / "people.duckdb").exists()


def test_a_manifest_without_a_path_column_stops_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("film,year\na.mp4,1999\n")
    done = headtrack("run", "list.csv", "--db", "people.duckdb", cwd=tmp_path)
    message = error_line(done, 6)
    assert "list.csv" in message
    assert "path" in message
    assert not (tmp_path / "people.duckdb").exists()


def test_a_database_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mp4", 3, seed=0)
    done = headtrack("run", film, "--db", "no/such/people.duckdb", cwd=tmp_path)
    assert "no/such" in error_line(done, 5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["film.mp4"]


def test_asking_a_database_that_is_not_there_makes_none(tmp_path: Path) -> None:
    for words in (["people"], ["status"], ["timeline", "p_x"], ["query", "SELECT 1"], ["cluster"]):
        done = headtrack(*words, "--db", "people.duckdb", cwd=tmp_path)
        assert "people.duckdb does not exist" in error_line(done, 5)
    assert list(tmp_path.iterdir()) == []


# Files that hold no video: recorded with their reason, and the run goes on


def test_files_without_video_are_recorded_with_a_reason_and_the_exit_code_is_7(tmp_path: Path) -> None:
    films = tmp_path / "films"
    films.mkdir()
    (films / "zero.mp4").touch()
    (films / "text.mp4").write_text("this is no film\n" * 50)
    (films / "noise.mp4").write_bytes(np.random.default_rng(0).bytes(5000))
    write_sound(films / "sound.mp4")
    names = ["noise.mp4", "sound.mp4", "text.mp4", "zero.mp4"]
    if os.geteuid() != 0:  # root may read everything
        write_video(films / "locked.mp4", 3, seed=0).chmod(0)
        names.append("locked.mp4")
    done = headtrack("run", "films", "--db", "people.duckdb", cwd=tmp_path)
    assert f"{len(names)} of {len(names)} videos failed" in error_line(done, 7)
    found = states(tmp_path / "people.duckdb")
    assert sorted(found) == sorted(names)
    for name in names:
        state, reason = found[name]
        assert state == "failed"
        assert reason
        assert name in done.stderr


def test_one_bad_file_among_good_ones_is_a_failure_and_the_good_ones_are_kept_as_before(
    tmp_path: Path,
) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0)]))
    cluster_by_basis(db)
    (tmp_path / "zero.mp4").touch()
    done = headtrack("run", "zero.mp4", "--db", db, "--format", "json", cwd=tmp_path)
    error_line(done, 7)
    (report,) = json.loads(done.stdout)
    assert (report["failed"], report["people"]) == (1, 1)
    assert {name: state for name, (state, _) in states(db).items()} == {
        "a.mp4": "complete",
        "zero.mp4": "failed",
    }


# Settings


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--set", "detect.fsp=5"], "detect.fps"),
        (["--set", "detect.fps=-1"], "-1"),
        (["--set", "identity.method=magic"], "average"),
        (["--config", "no.toml"], "no.toml"),
        (["--config", "bad.toml"], "bad.toml"),
        (["--detektor", "x"], "--detektor"),
    ],
)
def test_a_wrong_setting_stops_before_anything_is_made(words: list[str], named: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[detect\nfps = 5")
    write_video(tmp_path / "film.mp4", 3, seed=0)
    done = headtrack("run", "film.mp4", "--db", "people.duckdb", *words, cwd=tmp_path)
    assert named in error_line(done, 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.toml", "film.mp4"]


# The database


@pytest.mark.parametrize("kind", ["duckdb", "text", "folder"])
def test_a_foreign_database_is_refused_and_left_as_it_is(kind: str, tmp_path: Path) -> None:
    db = tmp_path / "theirs.duckdb"
    if kind == "duckdb":
        with duckdb.connect(str(db)) as con:
            con.execute("CREATE TABLE accounts AS SELECT 1 AS id")
    elif kind == "text":
        db.write_text("our notes")
    else:
        db.mkdir()
    before = None if kind == "folder" else db.read_bytes()
    write_video(tmp_path / "film.mp4", 3, seed=0)
    for words in (["run", "film.mp4"], ["people"], ["status"], ["cluster"]):
        done = headtrack(*words, "--db", db, cwd=tmp_path)
        assert "theirs.duckdb" in error_line(done, 5)
    assert before is None or db.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["film.mp4", "theirs.duckdb"]


def test_a_database_that_another_process_holds_is_named_with_its_holder(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0)]))
    write_video(tmp_path / "film.mp4", 3, seed=0)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(db)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        try:
            for words in (["run", "film.mp4"], ["people"]):
                message = error_line(headtrack(*words, "--db", db, cwd=tmp_path), 5)
                assert str(holder.pid) in message
        finally:
            holder.communicate()
    assert states(db)["a.mp4"][0] == "complete"


# A full disk


def test_a_full_disk_says_so_and_keeps_what_was_stored(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("only root may mount a small disk here; the test with a limit on file size runs")
    try:
        db = disk / "people.duckdb"
        _fill(db)
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        (tmp_path / "zero.mp4").touch()
        done = headtrack("run", "zero.mp4", "--db", db, cwd=tmp_path)
        assert "free some space" in error_line(done, 5)
        filler.unlink()
        assert states(db) == {"a.mp4": ("complete", None)}
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_limit_on_file_size_says_so_and_keeps_what_was_stored(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    _fill(db)
    (tmp_path / "zero.mp4").touch()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    done = spawn("run", "zero.mp4", "--db", db, cwd=tmp_path, limit=limit)
    assert "free some space" in error_line(done, 5)
    assert states(db) == {"a.mp4": ("complete", None)}


def _fill(db: Path) -> None:
    store(db, make_result([Seen(0, 9, 0)]))
    cluster_by_basis(db)


# Models


def test_models_that_are_missing_and_cannot_be_fetched_stop_the_run_and_name_the_remedy(
    tmp_path: Path,
) -> None:
    write_video(tmp_path / "film.mp4", 3, seed=0)
    cut_off = {
        "HEADTRACK_MODELS": str(tmp_path / "models"),
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": os.devnull,
    }
    done = headtrack("run", "film.mp4", "--db", "people.duckdb", cwd=tmp_path, env=cut_off)
    message = error_line(done, 4)
    assert "yolo11n-pose" in message
    assert "HEADTRACK_MODELS" in message
    assert not (tmp_path / "people.duckdb").exists()
    assert not [p for p in (tmp_path / "models").iterdir() if not p.name.endswith(".lock")]


def test_an_altered_model_file_is_refused_and_not_replaced(tmp_path: Path) -> None:
    altered = _linked_models(tmp_path / "models") / MODELS["centerface"].filename
    altered.unlink()
    altered.write_bytes(b"not a network")
    write_video(tmp_path / "film.mp4", 3, seed=0)
    folder = {"HEADTRACK_MODELS": str(tmp_path / "models")}
    done = headtrack("run", "film.mp4", "--db", "people.duckdb", cwd=tmp_path, env=folder)
    message = error_line(done, 4)
    assert altered.name in message
    assert "headtrack models pull --force centerface" in message
    assert altered.read_bytes() == b"not a network"
    listed = headtrack("models", "list", "--format", "json", cwd=tmp_path, env=folder)
    states_of = {row["name"]: row["state"] for row in json.loads(listed.stdout)}
    assert states_of["centerface"] == "altered"


def test_an_unknown_model_is_named_with_the_known_ones(tmp_path: Path) -> None:
    message = error_line(headtrack("models", "pull", "resnet9000", cwd=tmp_path), 4)
    assert "resnet9000" in message
    assert "centerface" in message


def _linked_models(folder: Path) -> Path:
    """Give a folder with links to the model files of this machine."""
    missing = [s.filename for s in MODELS.values() if not (models_folder() / s.filename).is_file()]
    if missing:
        pytest.skip(f"model files are missing: {', '.join(missing)}; run `headtrack models pull`")
    shutil.copytree(
        models_folder(),
        folder,
        copy_function=os.symlink,
        ignore=lambda _, names: [n for n in names if n.startswith(".")],
    )
    return folder


# Labels


def test_eval_on_a_folder_without_labels_says_what_is_missing(tmp_path: Path) -> None:
    assert "no-data" in error_line(headtrack("eval", "--data", "no-data", cwd=tmp_path), 6)
    (tmp_path / "data").mkdir()
    assert "labels" in error_line(headtrack("eval", "--data", "data", cwd=tmp_path), 6)


# Ctrl-C


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
        run.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        code = run.wait(timeout=60)
        took_s = time.monotonic() - pressed
        said = run.stderr.read()
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


def test_a_database_that_is_open_for_reading_elsewhere_can_still_be_read(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    _fill(db)
    with open_reader(db):
        done = headtrack("people", "--db", db, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 1
