"""What is to be done, in which order, and what becomes of it: whole videos, spans of long ones, stitching."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from headtrack.log import LOGGER
from headtrack.types import Span, SpanDone, Video, VideoFailure
from headtrack.video.spans import split

# What kills its worker twice is given up.
ATTEMPTS = 2

Outcome = Path | VideoFailure | SpanDone
Step = Literal["analyze", "observe_span", "stitch"]


@dataclass(frozen=True, slots=True)
class Task:
    """One call of an actor, at its n-th attempt.

    Attributes:
        step: method of the actor.
        video: to work on.
        span: of the video, for `observe_span`.
        attempt: counted from 1.
    """

    step: Step
    video: Video
    span: Span | None = None
    attempt: int = 1

    @property
    def arguments(self) -> tuple[Video] | tuple[Video, Span]:
        """What the method takes."""
        return (self.video,) if self.span is None else (self.video, self.span)

    @property
    def stretch_s(self) -> tuple[float, float]:
        """Where in the video it begins and ends, in seconds, as far as key frames tell."""
        video, span = self.video, self.span
        if span is None:
            return 0.0, video.duration_s
        pts = {entry.frame: entry.pts for entry in video.entries}.get(span.stop or -1)
        stop_s = video.duration_s if pts is None else float((pts - span.origin_pts) * video.time_base)
        return float((span.start.pts - span.origin_pts) * video.time_base), stop_s

    @property
    def watched_s(self) -> float:
        """Seconds of footage that it watches; stitching watches none."""
        start_s, stop_s = self.stretch_s
        return 0.0 if self.step == "stitch" else max(stop_s - start_s, 0.0)


@dataclass(slots=True)
class Agenda:
    """Tasks that wait: the longest videos first, so that none is left alone to the last.

    Attributes:
        waiting: tasks nobody has begun.
        open_spans: spans not yet watched, of each video that is shared out.
    """

    waiting: deque[Task] = field(default_factory=deque)
    open_spans: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def of(videos: list[Video], *, span_s: float) -> Agenda:
        """Plan the work on some videos.

        Args:
            videos: each once.
            span_s: as for `split`; 0 shares no video out.
        """
        agenda = Agenda()
        for video in sorted(videos, key=lambda v: -v.duration_s):
            spans = split(video, span_s)
            agenda.open_spans |= {video.video_id: len(spans)} if spans else {}
            agenda.waiting += [Task("observe_span", video, span) for span in spans] or [
                Task("analyze", video)
            ]
        return agenda

    def join(self, further: Agenda) -> None:
        """Put the work of another agenda, on other videos, behind that of this one."""
        self.waiting += further.waiting
        self.open_spans |= further.open_spans

    def end(self, task: Task, answer: Path | VideoFailure | None) -> Outcome | None:
        """Take in an actor's answer.

        Args:
            task: what it was asked.
            answer: what its method returned.

        Returns:
            What the run is to be told; None where there is nothing to tell.
        """
        video = task.video
        if task.step == "analyze" or (task.step == "stitch" and answer is not None):
            return answer
        if video.video_id not in self.open_spans and task.step == "observe_span":
            return None  # of a video that is watched whole, or given up
        if not isinstance(answer, Path):
            self._drop_spans(video)
            why = answer.message if answer else "its spans do not fit together"
            LOGGER.warning("%s is watched by one worker: %s", video.path, why)
            self.waiting.append(Task("analyze", video))
            return None
        self.open_spans[video.video_id] -= 1
        if not self.open_spans[video.video_id]:
            del self.open_spans[video.video_id]
            self.waiting.appendleft(Task("stitch", video))
        return SpanDone(video.video_id, video.path, task.watched_s)

    def lose(self, task: Task, reason: str) -> VideoFailure | None:
        """Try again what a worker died of; at the last attempt, give the video up and say so."""
        video = task.video
        if task.step == "observe_span" and video.video_id not in self.open_spans:
            return None
        if task.attempt < ATTEMPTS:
            LOGGER.warning("the worker of %s died; it is tried again", video.path)
            self.waiting.append(Task(task.step, video, task.span, task.attempt + 1))
            return None
        self._drop_spans(video)
        advice = "a crash in a decoder or too little memory: try fewer run.workers"
        message = f"its process died {ATTEMPTS} times ({reason}); {advice}"
        return VideoFailure(video.path, video.video_id, "worker", "WorkerLost", message)

    def _drop_spans(self, video: Video) -> None:
        self.open_spans.pop(video.video_id, None)
        self.waiting = deque(task for task in self.waiting if task.video.video_id != video.video_id)
