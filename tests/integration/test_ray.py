"""The same work on real Ray actors: equal results, and no failure that stops or hangs the run."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from headtrack.cluster import session
from headtrack.cluster.run import ray_worker
from headtrack.cluster.session import LOCAL, connect, ray_session
from headtrack.errors import HeadtrackError, ModelError
from headtrack.pipeline.plan import Batch
from headtrack.settings import Settings
from headtrack.types import Video, VideoFailure
from tests.integration.observers import DiesAtStart, LacksModel, OtherVersion, Scripted

pytestmark = [
    pytest.mark.ray,
    # Ray leaves sockets and log files to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # The actors import this folder's stand-ins.
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]), prepend=os.pathsep)
        with ray_session(LOCAL, cpus=4):
            yield


def video(name: str) -> Video:
    return Video(
        name, f"/{name}.mp4", 64, 48, 10, Fraction(1, 25), 0.4, 25.0, 0, Fraction(1), "h264", "pyav", ""
    )


def settings(workers: int) -> Settings:
    base = Settings()
    return replace(base, run=replace(base.run, workers=workers, threads=1))


def outcomes(
    names: list[str], run_dir: Path, *, workers: int = 2, observer: type = Scripted
) -> dict[str, object]:
    work = ray_worker(settings(workers), observer=observer)
    found = {}
    for outcome in work([Batch([video(name) for name in names], last=True)], run_dir):
        if isinstance(outcome, tuple):  # what the actors do
            continue
        name = outcome.video_id if isinstance(outcome, VideoFailure) else outcome.name
        assert name not in found
        found[name] = outcome
    return found


def test_every_video_gives_one_outcome_whatever_the_number_of_workers(local_ray, tmp_path):
    names = [f"v{k}" for k in range(7)]
    for workers in (1, 3):
        assert outcomes(names, tmp_path, workers=workers) == {n: tmp_path / "parts" / n for n in names}


def test_no_video_starts_no_cluster(tmp_path):
    assert list(ray_worker(settings(2), "nowhere:1")([], tmp_path)) == []


def test_actors_live_as_long_as_the_run_and_a_batch_is_asked_for_when_the_one_before_is_given_out(
    local_ray, tmp_path
):
    done, done_when_asked = list[str](), list[int]()

    def batches() -> Iterator[Batch]:
        for number in range(3):
            done_when_asked.append(len(done))
            yield Batch([video(f"v{number}{k}") for k in range(4)], last=False)

    for outcome in ray_worker(settings(2), observer=Scripted)(batches(), tmp_path):
        if isinstance(outcome, Path):
            done.append(outcome.name)
    assert sorted(done) == [f"v{number}{k}" for number in range(3) for k in range(4)]
    assert len({note.suffix for note in tmp_path.glob("v*.*")}) <= 2  # each note bears a process id
    # Two of four may still be at work.
    assert done_when_asked[0] == 0
    assert 2 <= done_when_asked[1] <= 4
    assert 6 <= done_when_asked[2] <= 8


def test_a_video_that_kills_its_worker_once_is_done_by_the_next(local_ray, tmp_path):
    assert outcomes(["once", "v1"], tmp_path)["once"] == tmp_path / "parts" / "once"
    assert len(list(tmp_path.glob("once.*"))) == 2


def test_a_video_that_kills_its_worker_twice_is_a_failure_and_the_others_are_done(local_ray, tmp_path):
    found = outcomes(["die", "v1", "v2", "v3"], tmp_path, workers=1)
    failure = found.pop("die")
    assert isinstance(failure, VideoFailure)
    assert (failure.path, failure.step, failure.error) == ("/die.mp4", "worker", "WorkerLost")
    assert "died 2 times" in failure.message
    assert set(found) == {"v1", "v2", "v3"}


def test_an_unexpected_error_is_a_failure_of_one_line(local_ray, tmp_path):
    found = outcomes(["break", "v1"], tmp_path)
    failure = found["break"]
    assert isinstance(failure, VideoFailure)
    assert failure.error == "ZeroDivisionError"
    assert failure.message == "unexpected error in the analysis: division by zero"
    assert found["v1"] == tmp_path / "parts" / "v1"


def test_a_model_error_ends_the_run_as_itself(local_ray, tmp_path):
    with pytest.raises(ModelError, match="altered; pull it again"):
        outcomes(["model", "v1"], tmp_path)
    with pytest.raises(ModelError, match="no model; run"):
        outcomes(["v1"], tmp_path, observer=LacksModel)


def test_workers_that_die_at_the_start_end_the_run(local_ray, tmp_path):
    with pytest.raises(HeadtrackError, match="workers die while they start"):
        outcomes(["v1", "v2"], tmp_path, observer=DiesAtStart)


def test_another_version_on_a_node_is_refused(local_ray, tmp_path):
    with pytest.raises(HeadtrackError, match=r"the cluster runs headtrack 0\.0\.0"):
        outcomes(["v1"], tmp_path, observer=OtherVersion)


def test_closing_the_worker_ends_its_actors_at_once(local_ray, tmp_path):
    running = ray_worker(settings(2), observer=Scripted)(
        [Batch([video(n) for n in ("v1", "hang")], last=True)], tmp_path
    )
    assert next(outcome for outcome in running if isinstance(outcome, Path)) == tmp_path / "parts" / "v1"
    while not list(tmp_path.glob("hang.*")):
        time.sleep(0.05)
    (note,) = tmp_path.glob("hang.*")
    started = time.monotonic()
    running.close()
    while Path(f"/proc/{note.suffix[1:]}").exists():
        assert time.monotonic() - started < 2, "the hung actor outlives its run by two seconds"
        time.sleep(0.02)


def test_a_gpu_that_is_demanded_and_not_there_is_said_at_once(local_ray, tmp_path):
    import ray

    if ray.cluster_resources().get("GPU"):
        pytest.skip("this machine has a GPU")
    cuda = replace(settings(1), run=replace(settings(1).run, device="cuda"))
    with pytest.raises(HeadtrackError, match=r"run\.device=cuda, but this machine has no GPU"):
        list(ray_worker(cuda)([Batch([video("v1")], last=True)], tmp_path))


def test_an_address_where_nobody_listens_is_refused_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = time.monotonic()
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
        with pytest.raises(HeadtrackError, match=r"nothing listens at .* start one"):
            connect(address, cpus=1)
    assert time.monotonic() - started < 5


def test_an_address_where_something_else_listens_does_not_hang(monkeypatch):
    monkeypatch.setattr(session, "CONNECT_S", 4.0)
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(HeadtrackError, match=r"no Ray cluster answers at .* within 4 s"),
    ):
        connect(f"127.0.0.1:{other.getsockname()[1]}", cpus=1)


def test_a_malformed_address_is_refused():
    with pytest.raises(HeadtrackError, match=r"'nonsense'.* Invalid address"):
        connect("nonsense", cpus=1)
