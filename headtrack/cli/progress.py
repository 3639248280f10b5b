"""How far a run is: a bar on a terminal, a plain line every few seconds elsewhere; always stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from headtrack.cli.output import printable

if TYPE_CHECKING:
    from headtrack.pipeline.progress import RunProgress

PLAIN_LINE_EVERY_S = 10.0
BYTES_A_MB = 1e6


@dataclass(frozen=True, slots=True)
class Step:
    """How far some long work is, in units that take about equally long.

    Attributes:
        done: units done, skipped ones included.
        total: units to do; 0 where unknown.
        words: what is done, in words: "3 of 12 videos".
        current: what is being worked on; may be empty.
    """

    done: float
    total: float
    words: str = ""
    current: str = ""


def rate_and_left(step: Step, elapsed_s: float) -> tuple[float | None, float | None]:
    """Give units per second so far and the seconds left; None where nothing tells yet.

    >>> rate_and_left(Step(done=30, total=90), elapsed_s=10.0)
    (3.0, 20.0)
    >>> rate_and_left(Step(done=0, total=90), elapsed_s=10.0)
    (None, None)
    """
    if step.done <= 0 or elapsed_s <= 0:
        return None, None
    rate = step.done / elapsed_s
    return rate, max(step.total - step.done, 0.0) / rate if step.total else None


def duration_text(seconds: float | None) -> str:
    """Write a duration as h:mm:ss.

    >>> duration_text(3671.6), duration_text(None)
    ('1:01:11', '-:--:--')
    """
    if seconds is None:
        return "-:--:--"
    minutes, second = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{second:02d}"


def plain_line(step: Step, elapsed_s: float, rate_words: Callable[[float], str]) -> str:
    """Give the line that is written where there is no terminal."""
    rate, left_s = rate_and_left(step, elapsed_s)
    parts = [step.words]
    if step.total:
        parts.append(f"{100 * min(step.done / step.total, 1):.0f} %")
    if rate is not None:
        parts += [rate_words(rate), f"{duration_text(left_s)} left"]
    if step.current:
        parts.append(printable(step.current))
    return ", ".join(p for p in parts if p)


def video_step(progress: RunProgress) -> Step:
    """Describe where a run stands; its units are seconds of footage."""
    handled = progress.videos_done + progress.videos_skipped + progress.videos_failed
    notes = [
        f"{count} {word}"
        for count, word in ((progress.videos_skipped, "already there"), (progress.videos_failed, "failed"))
        if count
    ]
    words = f"{handled} of {progress.videos_total} videos" + (f" ({', '.join(notes)})" if notes else "")
    current = PurePath(progress.current).name
    return Step(progress.seconds_done, progress.seconds_total, words=words, current=current)


@contextmanager
def run_progress() -> Iterator[Callable[[RunProgress], None]]:
    """Show a run's progress; call what is given with each `RunProgress`."""
    with step_progress("analysing", lambda rate: f"{rate:.2f} x real time") as show:
        yield lambda progress: show(video_step(progress))


@contextmanager
def download_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show the fetching of model files; call what is given with package, bytes so far, bytes in all."""
    with ExitStack() as stack:
        shows: dict[str, Callable[[Step], None]] = {}

        def on_bytes(package: str, done: int, total: int) -> None:
            if package not in shows:
                stack.close()
                bar = step_progress("fetching", lambda rate: f"{rate:.1f} MB/s")
                shows[package] = stack.enter_context(bar)
            words = f"{package}: {done / BYTES_A_MB:.1f} of {total / BYTES_A_MB:.1f} MB"
            shows[package](Step(done / BYTES_A_MB, total / BYTES_A_MB, words))

        yield on_bytes


@contextmanager
def step_progress(title: str, rate_words: Callable[[float], str]) -> Iterator[Callable[[Step], None]]:
    """Show the progress of long work; call what is given with each `Step`."""
    if sys.stderr.isatty():
        with _bar(title, rate_words) as show:
            yield show
    else:
        yield _lines(rate_words)


def _lines(rate_words: Callable[[float], str]) -> Callable[[Step], None]:
    start_s = time.monotonic()
    last = {"time": start_s, "words": ""}

    def show(step: Step) -> None:
        now_s = time.monotonic()
        finished = bool(step.total) and step.done >= step.total
        due = now_s - last["time"] >= PLAIN_LINE_EVERY_S
        if due or (finished and step.words != last["words"]):
            last.update(time=now_s, words=step.words)
            print(plain_line(step, now_s - start_s, rate_words), file=sys.stderr, flush=True)

    return show


@contextmanager
def _bar(title: str, rate_words: Callable[[float], str]) -> Iterator[Callable[[Step], None]]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TextColumn("{task.fields[words]}  {task.fields[rate]}  {task.fields[left]}  {task.fields[current]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, words="", rate="", left="", current="")
        start_s = time.monotonic()

        def show(step: Step) -> None:
            rate, left_s = rate_and_left(step, time.monotonic() - start_s)
            bar.update(
                task,
                completed=step.done,
                total=step.total or None,
                words=escape(step.words),
                rate=rate_words(rate) if rate is not None else "",
                left=f"{duration_text(left_s)} left" if left_s is not None else "",
                current=escape(printable(step.current)),
            )

        yield show
