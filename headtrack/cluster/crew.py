"""The actors of a run: hired, given one task each, asked, dismissed."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray

from headtrack.cluster.agenda import Step, Task
from headtrack.cluster.observer import Ready
from headtrack.cluster.placement import Placement
from headtrack.pipeline.progress import Doing, Workers, WorkerState
from headtrack.settings import Settings

# Often enough that Ctrl-C is obeyed at once: Ray's wait holds it back.
WAIT_S = 0.5
DOING: dict[Step, Doing] = {"analyze": "analysing", "observe_span": "watching", "stitch": "stitching"}


@dataclass(slots=True)
class Member:
    """One actor, what it does and has done.

    Attributes:
        actor: Ray's handle of it.
        number: from 1, in the order of hiring.
        ready: where it is; None until it has its models.
        task: what it does; None where it waits or is not ready.
        since: seconds since the epoch at which it began to do so.
        videos: finished.
        spans: finished.
        seconds: footage watched.
    """

    actor: Any
    number: int
    ready: Ready | None = None
    task: Task | None = None
    since: float = field(default_factory=time.time)
    videos: int = 0
    spans: int = 0
    seconds: float = 0.0

    def begin(self, task: Task | None) -> None:
        """Note what it does from now on."""
        self.task, self.since = task, time.time()

    def count(self, task: Task) -> None:
        """Note that it finished something."""
        self.seconds += task.watched_s
        if task.step == "observe_span":
            self.spans += 1
        else:
            self.videos += 1

    def state(self) -> WorkerState:
        """Say it all."""
        task = self.task
        watched = task is not None and task.step != "stitch"
        start_s, stop_s = task.stretch_s if task and watched else (None, None)
        return WorkerState(
            worker=self.number,
            node=self.ready.node if self.ready else "",
            pid=self.ready.pid if self.ready else 0,
            doing=DOING[task.step] if task else "idle" if self.ready else "loading",
            path=task.video.path if task else "",
            start_s=start_s,
            stop_s=stop_s,
            since=self.since,
            videos=self.videos,
            spans=self.spans,
            seconds=self.seconds,
        )


@dataclass(slots=True)
class Crew:
    """The actors: those that wait, and those that load their models or do their one task.

    Attributes:
        settings: of the run.
        run_dir: absolute folder of the run.
        placement: what each asks for.
        observer: class of the actors.
        busy: by the reference to the answer.
        idle: without a task.
        hired: how many there ever were.
    """

    settings: Settings
    run_dir: Path
    placement: Placement
    observer: type
    busy: dict[Any, Member] = field(default_factory=dict)
    idle: list[Member] = field(default_factory=list)
    hired: int = 0

    def hire(self) -> None:
        """Ask for one more."""
        remote: Any = ray.remote(self.observer)
        share = {"num_cpus": 1, "num_gpus": self.placement.gpus, "scheduling_strategy": "SPREAD"}
        actor = remote.options(**share).remote(self.settings, self.run_dir, self.placement)
        self.hired += 1
        self.busy[actor.prepare.remote()] = Member(actor, self.hired)

    def give(self, task: Task) -> None:
        """Give a task to one that waits."""
        member = self.idle.pop()
        member.begin(task)
        self.busy[getattr(member.actor, task.step).remote(*task.arguments)] = member

    def give_all(self, waiting: deque[Task]) -> None:
        """Give tasks, the first first, until none or nobody waits."""
        while self.idle and waiting:
            self.give(waiting.popleft())

    def rest(self, member: Member) -> None:
        """Let one wait for its next task."""
        member.begin(None)
        self.idle.append(member)

    def next_done(self) -> tuple[Any, Member] | None:
        """Give a reference to an answer, and whose it is; None where none came for a while."""
        done, _ = ray.wait(list(self.busy), num_returns=1, timeout=WAIT_S)
        return (done[0], self.busy.pop(done[0])) if done else None

    def dismiss_idle(self) -> None:
        """End those that wait."""
        while self.idle:
            ray.kill(self.idle.pop().actor)

    def dismiss(self) -> None:
        """End all of them, whatever they do."""
        self.dismiss_idle()
        for member in self.busy.values():
            ray.kill(member.actor)
        self.busy.clear()

    @property
    def has_tasks(self) -> bool:
        """One of them does something."""
        return any(member.task is not None for member in self.busy.values())

    def states(self) -> Workers:
        """Say what each does."""
        return tuple(m.state() for m in sorted([*self.busy.values(), *self.idle], key=lambda m: m.number))
