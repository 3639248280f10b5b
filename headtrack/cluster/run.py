"""Work spread over Ray actors: each has one video or span at a time, and a lost actor is replaced."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from headtrack import __version__
from headtrack.cluster.agenda import ATTEMPTS, Agenda, Outcome, Task
from headtrack.cluster.crew import WAIT_S, Crew
from headtrack.cluster.observer import Observer
from headtrack.cluster.placement import Placement, place
from headtrack.cluster.session import LOCAL, ray_session
from headtrack.errors import HeadtrackError
from headtrack.log import LOGGER
from headtrack.models.detector_file import with_absolute_detector
from headtrack.pipeline.plan import Batch
from headtrack.pipeline.progress import Workers
from headtrack.settings import Settings
from headtrack.store.span_spool import remove_all_spans
from headtrack.types import Video, VideoFailure

# Until the first worker is ready: models may have to be fetched, and a cluster to start a node.
START_S = 900.0
TELL_WAITING_S = 30.0


def ray_worker(
    settings: Settings, address: str | None = None, *, observer: type = Observer
) -> Callable[[Iterable[Batch], Path], Generator[Outcome | Workers, None, None]]:
    """Give a worker for `run_archive` that analyses videos on a Ray cluster.

    Args:
        settings: `run.workers` actors are started, on `run.device`.
        address: as in `ray_session`; None starts a cluster on this machine for the run.
        observer: what the actors are; anything that is made, prepared and asked as `Observer` is.

    Returns:
        A function of batches of videos and the run folder that yields, as each video is done, the folder
        of its part or its failure, before that the spans of a long one, and twice a second what each actor
        does. Closing it (Ctrl-C) ends the actors.

    Raises:
        HeadtrackError: from the function, where the cluster or the models cannot be had.
    """

    def work(batches: Iterable[Batch], run_dir: Path) -> Generator[Outcome | Workers, None, None]:
        further = iter(batches)
        first = next(further, None)
        if first is None:
            return
        cpus = max(len(os.sched_getaffinity(0)), settings.run.workers)
        with ray_session(address, cpus=cpus):
            elastic = address not in (None, LOCAL)
            span_s = settings.run.span_s if settings.run.workers > 1 else 0.0
            agenda = Agenda.of(first.videos, span_s=span_s)
            tasks = len(agenda.waiting) if first.last else settings.run.workers
            placement = place(settings.run, tasks=tasks, elastic=elastic)
            crew = Crew(with_absolute_detector(settings), run_dir.resolve(), placement, observer)
            try:
                more = (Agenda.of(batch.videos, span_s=span_s) for batch in further)
                yield from _spread(crew, agenda, more)
            finally:
                crew.dismiss()
                remove_all_spans(run_dir)

    return work


@dataclass(frozen=True, slots=True)
class _Lost:
    """The actor died over its task."""

    reason: str


def _spread(crew: Crew, agenda: Agenda, more: Iterator[Agenda]) -> Iterator[Outcome | Workers]:
    patience, lost_at_start, shown, ended = _Patience(crew.placement), 0, -math.inf, False
    for _ in range(crew.placement.workers):
        crew.hire()
    while agenda.waiting or crew.has_tasks or not ended:
        if not agenda.waiting and not ended:  # fetched while the actors are at their last tasks
            further = next(more, None)
            ended = further is None
            if further is not None:
                agenda.join(further)
                crew.give_all(agenda.waiting)
        if not crew.busy:  # all is done, unless more comes
            continue
        if time.monotonic() - shown >= WAIT_S:
            shown = time.monotonic()
            yield crew.states()
        done = crew.next_done()
        if done is None:
            patience.check()
            continue
        ref, member = done
        task, answer = member.task, _answer(ref, member.task)
        outcome: Outcome | None = None
        if task is None and isinstance(answer, _Lost):
            lost_at_start += 1
            if lost_at_start >= ATTEMPTS * crew.placement.workers:
                raise HeadtrackError(_start_message(answer.reason))
            crew.hire()
        elif task is None:
            _check_version(answer.version)
            patience.end()
            member.ready = answer
            crew.rest(member)
        elif isinstance(answer, _Lost):
            crew.hire()
            outcome = agenda.lose(task, answer.reason)
        else:
            if isinstance(answer, Path):
                member.count(task)
            crew.rest(member)
            outcome = agenda.end(task, answer)
        crew.give_all(agenda.waiting)
        if ended and not agenda.open_spans:  # nothing will come that they could do
            crew.dismiss_idle()
        if outcome is not None:
            yield outcome


def _answer(ref: Any, task: Task | None) -> Any:
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


def _start_message(reason: str) -> str:
    return (
        f"workers die while they start: {reason}; every node needs the same headtrack and Python, "
        "and memory for the models"
    )


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")
