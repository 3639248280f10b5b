"""Videos spread over Ray actors: each has one video at a time, and a lost actor is replaced."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from headtrack import __version__
from headtrack.cluster.observer import Observer
from headtrack.cluster.placement import Placement, place
from headtrack.cluster.session import LOCAL, ray_session
from headtrack.errors import HeadtrackError
from headtrack.log import LOGGER
from headtrack.models.detector_file import with_absolute_detector
from headtrack.settings import Settings
from headtrack.types import Video, VideoFailure

# Until the first worker is ready: models may have to be fetched, and a cluster to start a node.
START_S = 900.0
TELL_WAITING_S = 30.0
# Often enough that Ctrl-C is obeyed at once: Ray's wait holds it back.
WAIT_S = 0.5
# A video that kills its worker twice is given up, and so is a run whose workers die at the start.
ATTEMPTS = 2

Outcome = Path | VideoFailure


def ray_worker(
    settings: Settings, address: str | None = None, *, observer: type = Observer
) -> Callable[[list[Video], Path], Iterator[Outcome]]:
    """Give a worker for `run_archive` that analyses videos on a Ray cluster.

    Args:
        settings: `run.workers` actors are started, on `run.device`.
        address: as in `ray_session`; None starts a cluster on this machine for the run.
        observer: what the actors are; anything that is made, prepared and asked as `Observer` is.

    Returns:
        A function of the videos and the run folder that yields, as each video is done, the folder
        of its part or its failure. Closing it (Ctrl-C) ends the actors.

    Raises:
        HeadtrackError: from the function, where the cluster or the models cannot be had.
    """

    def work(videos: list[Video], run_dir: Path) -> Iterator[Outcome]:
        if not videos:
            return
        cpus = max(len(os.sched_getaffinity(0)), settings.run.workers)
        with ray_session(address, cpus=cpus):
            elastic = address not in (None, LOCAL)
            placement = place(settings.run, videos=len(videos), elastic=elastic)
            crew = _Crew(with_absolute_detector(settings), run_dir.resolve(), placement, observer)
            try:
                yield from _spread(crew, videos)
            finally:
                crew.dismiss()

    return work


@dataclass(frozen=True, slots=True)
class _Task:
    """One video at its n-th attempt."""

    video: Video
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class _Lost:
    """The actor died over its task."""

    reason: str


@dataclass(slots=True)
class _Crew:
    """The actors, and what each does: a task, or None while it loads its models."""

    settings: Settings
    run_dir: Path
    placement: Placement
    observer: type
    busy: dict[Any, tuple[Any, _Task | None]] = field(default_factory=dict)

    def hire(self) -> None:
        remote: Any = ray.remote(self.observer)
        share = {"num_cpus": 1, "num_gpus": self.placement.gpus, "scheduling_strategy": "SPREAD"}
        actor = remote.options(**share).remote(self.settings, self.run_dir, self.placement)
        self.busy[actor.prepare.remote()] = (actor, None)

    def give(self, actor: Any, task: _Task) -> None:
        self.busy[actor.analyze.remote(task.video)] = (actor, task)

    def next_done(self) -> tuple[Any, Any, _Task | None] | None:
        done, _ = ray.wait(list(self.busy), num_returns=1, timeout=WAIT_S)
        return (done[0], *self.busy.pop(done[0])) if done else None

    def dismiss(self) -> None:
        for actor, _ in self.busy.values():
            ray.kill(actor)
        self.busy.clear()

    @property
    def has_tasks(self) -> bool:
        return any(task is not None for _, task in self.busy.values())


def _spread(crew: _Crew, videos: list[Video]) -> Iterator[Outcome]:
    waiting = deque(_Task(video) for video in videos)
    patience, lost_at_start = _Patience(crew.placement), 0
    for _ in range(crew.placement.workers):
        crew.hire()
    while waiting or crew.has_tasks:
        done = crew.next_done()
        if done is None:
            patience.check()
            continue
        ref, actor, task = done
        answer = _answer(ref, task)
        if task is None and isinstance(answer, _Lost):
            lost_at_start += 1
            if lost_at_start >= ATTEMPTS * crew.placement.workers:
                raise HeadtrackError(_start_message(answer.reason))
            crew.hire()
            continue
        if task is None:
            _check_version(answer)
            patience.end()
        elif isinstance(answer, _Lost):
            crew.hire()
            if task.attempt < ATTEMPTS:
                LOGGER.warning("the worker of %s died; it is tried again", task.video.path)
                waiting.append(_Task(task.video, task.attempt + 1))
            else:
                yield _given_up(task.video, answer.reason)
            continue
        if waiting:
            crew.give(actor, waiting.popleft())
        else:
            ray.kill(actor)
        if task is not None:
            yield answer


def _answer(ref: Any, task: _Task | None) -> Any:
    """Give what an actor's method returned, or why it returned nothing.

    Raises:
        HeadtrackError: as the method raised it, or about whatever else kept a worker from starting.
    """
    try:
        return ray.get(ref)
    except RayTaskError as error:
        cause = error.cause
        if isinstance(cause, HeadtrackError):
            raise cause from error
        if task is None:
            raise HeadtrackError(f"a worker cannot start: {type(cause).__name__}: {cause}") from error
        LOGGER.debug("the analysis of %s broke", task.video.path, exc_info=error)
        return _failure(task.video, type(cause).__name__, f"unexpected error in the analysis: {cause}")
    except RayError as error:
        return _Lost(_first_line(str(error)))


@dataclass(slots=True)
class _Patience:
    """Waits long for the first worker, but not for ever, and says what it waits for."""

    placement: Placement
    since: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)
    over: bool = False

    def end(self) -> None:
        self.over = True

    def check(self) -> None:
        now = time.monotonic()
        if self.over or now - self.told < TELL_WAITING_S:
            return
        self.told = now
        wish = f"1 CPU and {self.placement.gpus:g} GPU"
        has = ray.cluster_resources()
        state = f"it needs {wish}; the cluster has {has.get('CPU', 0):g} CPU and {has.get('GPU', 0):g} GPU"
        if now - self.since > START_S:
            raise HeadtrackError(
                f"no worker started within {START_S:.0f} s: {state}; free or add resources, lower "
                "run.workers, or see `ray status`"
            )
        LOGGER.warning("waiting for the first worker: %s", state)


def _check_version(version: str) -> None:
    if version != __version__:
        raise HeadtrackError(
            f"the cluster runs headtrack {version}, this process {__version__}; install the same version "
            "on every node"
        )


def _failure(video: Video, error: str, message: str) -> VideoFailure:
    return VideoFailure(video.path, video.video_id, "worker", error, _first_line(message))


def _given_up(video: Video, reason: str) -> VideoFailure:
    advice = "a crash in a decoder or too little memory: try fewer run.workers"
    return _failure(video, "WorkerLost", f"its process died {ATTEMPTS} times ({reason}); {advice}")


def _start_message(reason: str) -> str:
    return (
        f"workers die while they start: {reason}; every node needs the same headtrack and Python, "
        "and memory for the models"
    )


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")
