"""Videos that harm whoever watches them, and disks that are full: the others are done, and as ever."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from headtrack.cluster.observer import Observer
from headtrack.cluster.run import ray_worker
from headtrack.errors import StoreError
from headtrack.pipeline.archive import RunReport, run_archive
from headtrack.pipeline.progress import RunProgress
from headtrack.store.database import open_reader
from headtrack.store.spool import run_folder
from headtrack.types import Span, Video, VideoFailure
from tests.integration.database_content import content
from tests.integration.disturbed import READY_S, SETTINGS, Content, assert_undisturbed, processes
from tests.integration.made_film import make_film

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.ray,
    # Ray leaves sockets and log files to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

DECODER = "headtrack.video.decode_worker"


@pytest.fixture(scope="module")
def film(tmp_path_factory) -> Path:
    return make_film(tmp_path_factory.mktemp("archive") / "film.mp4")


@pytest.fixture(scope="module")
def undisturbed(film, tmp_path_factory) -> Content:
    db = tmp_path_factory.mktemp("undisturbed") / "people.duckdb"
    run_archive([film], db, SETTINGS)
    return content(db)


def on_ray(inputs: list[Path], db: Path, observer: type = Observer) -> RunReport:
    return run_archive(inputs, db, SETTINGS, worker=ray_worker(SETTINGS, observer=observer))


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Let a folder be a disk of 128 kB, which one span fills."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_ends_the_run_with_the_remedy_and_the_next_one_goes_on(film, undisturbed, tmp_path):
    db = tmp_path / "people.duckdb"
    runs = run_folder(db, "x").parent
    with small_disk(runs):
        with pytest.raises(StoreError, match=r"disk is full.*free some space and run again"):
            on_ray([film], db)
        assert [path for path in runs.rglob("*") if path.suffix in (".npz", ".parquet", ".new")] == []
    report = on_ray([film], db)
    assert (report.done, report.failures) == (1, ())
    assert_undisturbed(db, undisturbed)


@pytest.mark.parametrize("harm", [signal.SIGSTOP, signal.SIGSEGV])
def test_a_decoder_that_hangs_or_crashes_once_changes_nothing(film, undisturbed, tmp_path, harm):
    db, harmed = tmp_path / "people.duckdb", list[int]()

    def decoders_of_actors() -> list[psutil.Process]:
        return [d for d in processes(DECODER) if "Observer.observe_span" in " ".join(d.parent().cmdline())]

    def harm_one() -> None:
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline:
            for decoder in decoders_of_actors():
                decoder.send_signal(harm)
                harmed.append(decoder.pid)
                return
            time.sleep(0.01)

    watcher = threading.Thread(target=harm_one)
    watcher.start()
    report = on_ray([film], db)
    watcher.join()
    assert harmed
    assert (report.done, report.failures) == (1, ())
    assert_undisturbed(db, undisturbed)


class Dies(Observer):
    """Is killed by one video."""

    def analyze(self, video: Video) -> Path | VideoFailure:
        if "poison" in video.path:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().analyze(video)

    def observe_span(self, video: Video, span: Span) -> Path | VideoFailure:
        if "poison" in video.path:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().observe_span(video, span)


def test_a_video_that_kills_its_workers_is_a_failure_and_the_others_are_done(film, undisturbed, tmp_path):
    poison, db = tmp_path / "poison.mp4", tmp_path / "people.duckdb"
    poison.write_bytes(film.read_bytes() + b"\0")  # another content
    report = on_ray([film, poison], db, Dies)
    (failure,) = report.failures
    assert (failure.path, failure.error) == (str(poison), "WorkerLost")
    assert "died 2 times" in failure.message
    assert report.done == 1
    assert_undisturbed(db, undisturbed)
    with open_reader(db) as con:
        assert con.execute("SELECT path FROM video_failure").fetchall() == [(str(poison),)]


def test_the_same_video_twice_is_watched_once_and_known_by_both_names(film, undisturbed, tmp_path):
    twice, db, told = tmp_path / "twice.mp4", tmp_path / "people.duckdb", list[RunProgress]()
    shutil.copy(film, twice)
    report = run_archive([film, twice], db, SETTINGS, worker=ray_worker(SETTINGS), on_progress=told.append)
    assert (report.done, report.skipped, report.failures) == (1, 1, ())
    assert told[-1].seconds_total == pytest.approx(told[-1].seconds_done)
    found = content(db)
    names = {Path(str(row[1])).name for row in found["video_path"]}
    assert names == {"film.mp4", "twice.mp4"}
    for table, rows in undisturbed.items():
        assert table == "video_path" or found[table] == rows, table
