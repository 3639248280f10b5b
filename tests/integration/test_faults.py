"""What goes wrong on a cluster costs nothing that was done, and changes nothing of what is found."""

from __future__ import annotations

import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import ray
from ray.cluster_utils import Cluster

from headtrack.cluster.run import ray_worker
from headtrack.pipeline.archive import RunReport, run_archive
from headtrack.pipeline.progress import RunProgress, WorkerState
from headtrack.pipeline.status import run_in_progress
from headtrack.store.database import open_reader
from tests.integration.database_content import content
from tests.integration.disturbed import OPTIONS, READY_S, SETTINGS, Content, assert_undisturbed, processes
from tests.integration.made_film import make_film

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.ray,
    # Ray leaves sockets and log files to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    make_film(folder / "film.mp4")
    return folder


@pytest.fixture(scope="module")
def undisturbed(archive, tmp_path_factory) -> Content:
    db = tmp_path_factory.mktemp("undisturbed") / "people.duckdb"
    run_archive([archive / "film.mp4"], db, SETTINGS)
    return content(db)


def run_disturbed(archive: Path, db: Path, disturb: Callable[[], None]) -> RunReport:
    """Run on Ray and do something once, when the first span is done."""
    disturbed = []

    def on_progress(state: RunProgress) -> None:
        if state.seconds_done and not state.videos_done and not disturbed:
            disturbed.append(state)
            disturb()

    report = run_archive(
        [archive / "film.mp4"], db, SETTINGS, worker=ray_worker(SETTINGS), on_progress=on_progress
    )
    assert disturbed
    return report


def test_an_actor_that_is_killed_in_the_middle_of_a_span_is_replaced(archive, undisturbed, tmp_path):
    def kill_one() -> None:
        deadline = time.monotonic() + READY_S
        while not (busy := list(processes("Observer.observe_span"))):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        busy[0].kill()

    report = run_disturbed(archive, tmp_path / "people.duckdb", kill_one)
    assert (report.done, report.failures) == (1, ())
    assert_undisturbed(tmp_path / "people.duckdb", undisturbed)


def test_a_node_that_is_lost_costs_no_video(archive, undisturbed, tmp_path):
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        second = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False)
        lose = lambda: cluster.remove_node(second, allow_graceful=False)  # noqa: E731
        report = run_disturbed(archive, tmp_path / "people.duckdb", lose)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert (report.done, report.failures) == (1, ())
    assert_undisturbed(tmp_path / "people.duckdb", undisturbed)


def test_status_tells_what_each_worker_does_while_a_run_goes_on(archive, undisturbed, tmp_path):
    db = tmp_path / "people.duckdb"
    told = tmp_path / "stderr"
    with told.open("w") as stderr:
        run = subprocess.Popen(command(archive, db, "--ray"), stderr=stderr, stdout=subprocess.DEVNULL)
    seen: dict[str, WorkerState] = {}
    spans = 0
    while run.poll() is None:
        going_on = run_in_progress(db)
        for state in going_on.progress.workers if going_on else ():
            assert state.worker in (1, 2)
            seen[state.doing] = state
            spans = max(spans, state.spans)
        time.sleep(0.1)
    assert run.returncode == 0, told.read_text()
    assert {"loading", "watching"} <= seen.keys(), told.read_text()
    watching = seen["watching"]
    assert watching.path == str(archive / "film.mp4")
    assert watching.start_s is not None
    assert watching.stop_s is not None
    assert 0 <= watching.start_s < watching.stop_s
    assert watching.node == platform.node()
    assert watching.pid not in (0, run.pid)
    assert abs(time.time() - watching.since) < READY_S
    assert spans
    assert run_in_progress(db) is None
    assert_undisturbed(db, undisturbed)


def command(archive: Path, db: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "headtrack", "run", str(archive), "--db", str(db), *OPTIONS, *options]


def test_a_driver_that_is_killed_is_started_again_and_finishes(archive, undisturbed, tmp_path):
    db = tmp_path / "people.duckdb"
    driver = subprocess.Popen(command(archive, db, "--ray"), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + READY_S
    while not list(tmp_path.glob("people.duckdb.runs/*/spans/*/*.npz")):
        assert driver.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    actors = [
        p for p in psutil.Process(driver.pid).children(recursive=True) if "Observer" in " ".join(p.cmdline())
    ]
    driver.kill()
    driver.wait()
    _, alive = psutil.wait_procs(actors, timeout=60)
    assert not alive, "actors outlive their driver"
    again = subprocess.run(command(archive, db, "--ray"), capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert_undisturbed(db, undisturbed)


# Runs headtrack until the crops of the first video are in its transaction.
DIES_COMMITTING = """
import os, signal, sys
from headtrack.cli.main import main
from headtrack.store import ingest

insert = ingest._insert_crops

def insert_and_die(*given):
    insert(*given)
    os.kill(os.getpid(), signal.SIGKILL)

ingest._insert_crops = insert_and_die
main(sys.argv[1:])
"""


def test_a_committer_that_is_killed_inside_a_transaction_leaves_nothing_and_loses_nothing(
    archive, undisturbed, tmp_path
):
    db = tmp_path / "people.duckdb"
    words = command(archive, db)
    killed = subprocess.run(
        [sys.executable, "-c", DIES_COMMITTING, *words[3:]], stderr=subprocess.DEVNULL, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    with open_reader(db) as con:
        assert con.execute("SELECT count(*) FROM head").fetchall() == [(0,)]
    again = subprocess.run(words, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "1" in again.stdout.split("skipped")[1]  # it was in a part, and is not analysed again
    assert_undisturbed(db, undisturbed)


def test_two_runs_at_once_into_one_database_do_each_video_once(archive, undisturbed, tmp_path):
    db = tmp_path / "people.duckdb"
    runs = [subprocess.Popen(command(archive, db), stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [run.communicate(timeout=600)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], told
    assert_undisturbed(db, undisturbed)


def test_a_video_that_is_deleted_meanwhile_is_a_failure_and_the_others_are_done(
    archive, undisturbed, tmp_path
):
    both = tmp_path / "both"
    both.mkdir()
    for name in ("film.mp4", "other.mp4"):
        shutil.copy(archive / "film.mp4", both / name)
    with (both / "other.mp4").open("ab") as other:
        other.write(b"\0")  # another content
    report = run_archive(
        sorted(both.iterdir()),
        tmp_path / "people.duckdb",
        SETTINGS,
        worker=ray_worker(SETTINGS),
        on_progress=lambda state: (both / "other.mp4").unlink(missing_ok=True),
    )
    (failure,) = report.failures
    assert failure.path.endswith("other.mp4")
    assert "other.mp4" in failure.message
    assert report.done == 1
    with open_reader(tmp_path / "people.duckdb") as con:
        assert con.execute("SELECT count(*) FROM head").fetchall() == [(len(undisturbed["head"]),)]
