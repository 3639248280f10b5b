"""The main job gives the same database in one process, on Ray actors, and as a submitted Ray job."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from headtrack.cluster.run import ray_worker
from headtrack.errors import ModelError
from headtrack.models.weights import weights_path
from headtrack.pipeline.archive import run_archive
from headtrack.settings import Settings
from tests.integration.database_content import TABLES, content

REPO = Path(__file__).parents[2]
# One CPU thread each: sums of floats depend on how they are shared out.
ONE_THREAD = replace(Settings(), run=replace(Settings().run, threads=1, workers=2))
READY_S, JOB_S = 120.0, 600.0

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.ray,
    # Ray leaves sockets and log files to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> list[Path]:
    """Give a moving picture, a photograph, and a file that is no video."""
    folder = tmp_path_factory.mktemp("archive")
    spec = find_spec("ultralytics")
    assert spec is not None
    photograph = Path(next(iter(spec.submodule_search_locations or []))) / "assets/bus.jpg"
    try:
        shutil.copy(weights_path("carphone"), folder / "passenger.mp4")
    except ModelError as error:
        pytest.skip(f"the sample footage cannot be had: {error}")
    shutil.copy(photograph, folder / "street.jpg")
    (folder / "broken.mp4").write_bytes(b"no video")
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def local(archive, tmp_path_factory) -> dict[str, list[tuple[object, ...]]]:
    db = tmp_path_factory.mktemp("local") / "people.duckdb"
    run_archive(archive, db, ONE_THREAD)
    return content(db)


def test_ray_actors_give_exactly_what_one_process_gives(archive, local, tmp_path):
    db = tmp_path / "people.duckdb"
    report = run_archive(archive, db, ONE_THREAD, worker=ray_worker(ONE_THREAD))
    assert (report.done, len(report.failures)) == (2, 1)
    on_ray = content(db)
    for table in TABLES:
        assert on_ray[table] == local[table], table
    assert len(local["head"]) > 100
    assert len(local["crop_embedding"]) > 3


@pytest.fixture(scope="module")
def head_node() -> Iterator[str]:
    """Start a Ray head as a user does, and give the address of its job server."""
    job_port, gcs_port = free_port(), free_port()
    # Ray's sockets lie below; their paths may have 107 characters at most.
    temp = tempfile.mkdtemp(prefix="ht")
    command = ["start", "--head", "--block", "--node-ip-address", "127.0.0.1", "--num-cpus", "2"]
    ports = ["--port", gcs_port, "--dashboard-host", "127.0.0.1", "--dashboard-port", job_port]
    head = subprocess.Popen(
        [*RAY, *command, *ports, "--temp-dir", temp, "--disable-usage-stats"],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{job_port}"
    try:
        deadline = time.monotonic() + READY_S
        while ray("job", "list", "--address", address).returncode:
            assert head.poll() is None, "ray start ended"
            assert time.monotonic() < deadline, "the job server does not answer"
            time.sleep(1)
        yield address
    finally:
        head.terminate()
        head.wait(30)
        shutil.rmtree(temp, ignore_errors=True)


def test_a_submitted_job_gives_exactly_what_one_process_gives(head_node, archive, local, tmp_path):
    db = tmp_path / "people.duckdb"
    options = ["--db", str(db), "--set", "run.threads=1", "--set", "run.workers=2"]
    words = ["python", "jobs/process_archive.py", *map(str, archive), *options]
    done = ray("job", "submit", "--address", head_node, "--working-dir", staged(tmp_path), "--", *words)
    assert done.returncode == 1, done.stdout + done.stderr  # Ray's own code for a job that did not end with 0
    assert "exit code 7" in done.stdout + done.stderr, done.stdout + done.stderr
    from_job = content(db)
    for table in TABLES:
        assert from_job[table] == local[table], table


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_on_ray_within_two_seconds_and_leaves_no_process(
    archive, tmp_path, number, exit_code
):
    options = [
        "--ray",
        "--db",
        str(tmp_path / "people.duckdb"),
        "--set",
        "run.threads=1",
        "--set",
        "detect.fps=0",
    ]
    command = [sys.executable, "-m", "headtrack", "run", str(archive[1]), *options]
    run = subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + READY_S
    while not any("Observer.analyze" in title for title in titles(run.pid)):
        assert run.poll() is None, run.communicate()[1]
        assert time.monotonic() < deadline, "no actor works"
        time.sleep(0.1)
    children = psutil.Process(run.pid).children(recursive=True)
    started = time.monotonic()
    run.send_signal(number)
    _, told = run.communicate(timeout=30)
    assert time.monotonic() - started < 2.5  # two seconds, and the end of the process on a busy machine
    assert run.returncode == exit_code
    assert "run the same command again" in told
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []


def titles(pid: int) -> list[str]:
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it may have ended meanwhile
            found.append(" ".join(process.cmdline()))
    return found


RAY = (sys.executable, "-m", "ray.scripts.scripts")


def ray(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RAY, *words], env=environment(), capture_output=True, text=True, check=False, timeout=JOB_S
    )


def environment() -> dict[str, str]:
    """Give what a shell with the environment active has; both ends must agree on authentication."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    own = {k: v for k, v in os.environ.items() if k not in ("RAY_ADDRESS", "VIRTUAL_ENV")}
    return {**own, "PATH": path, "RAY_AUTH_MODE": "disabled", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}


def staged(folder: Path) -> str:
    """Copy what a job needs of the checkout, as large files may lie in it."""
    target = folder / "checkout"
    for name in ("headtrack", "jobs", "sql"):
        shutil.copytree(REPO / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    return str(target)


def free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])
