from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from headtrack.cluster.agenda import ATTEMPTS, Agenda, Task
from headtrack.types import Entry, SpanDone, Video, VideoFailure

SHORT = Video(
    "short", "/short.mp4", 64, 48, 50, Fraction(1, 10), 5.0, 10.0, 0, Fraction(1), "h264", "pyav", ""
)
ENTRIES = tuple(Entry(10 * k, 10 * k, 10 * k - 1 if k else None) for k in range(30))
LONG = replace(SHORT, video_id="long", path="/long.mp4", duration_s=30.0, entries=ENTRIES)
BROKEN = VideoFailure("/long.mp4", "long", "decode", "VideoError", "frame 7 is missing")


def done(task: Task) -> Path:
    return Path(task.video.video_id)


def test_the_longest_is_begun_first_and_a_long_one_is_shared_out_and_stitched():
    agenda = Agenda.of([SHORT, LONG], span_s=10)
    tasks = list(agenda.waiting)
    assert [(t.step, t.video.video_id) for t in tasks] == [("observe_span", "long")] * 3 + [
        ("analyze", "short")
    ]
    agenda.waiting.clear()
    told = [agenda.end(task, done(task)) for task in reversed(tasks[:3])]
    assert told == [SpanDone("long", "/long.mp4", 10.0)] * 3
    (stitching,) = agenda.waiting
    assert stitching == Task("stitch", LONG)
    assert agenda.end(stitching, Path("long")) == Path("long")
    assert not agenda.open_spans


def test_without_spans_every_video_is_watched_whole():
    assert [t.step for t in Agenda.of([LONG, SHORT], span_s=0).waiting] == ["analyze", "analyze"]


@given(st.permutations(range(3)), st.integers(0, 2))
def test_a_span_that_does_not_decode_makes_the_video_be_watched_whole_once(order, broken):
    agenda = Agenda.of([LONG], span_s=10)
    tasks = list(agenda.waiting)
    agenda.waiting.clear()
    told = [agenda.end(tasks[k], BROKEN if k == broken else done(tasks[k])) for k in order]
    assert list(agenda.waiting) == [Task("analyze", LONG)]
    assert sum(isinstance(outcome, SpanDone) for outcome in told) == order.index(broken)
    assert agenda.end(Task("analyze", LONG), Path("long")) == Path("long")


def test_spans_that_do_not_fit_together_make_the_video_be_watched_whole():
    agenda = Agenda()
    assert agenda.end(Task("stitch", LONG), None) is None
    assert list(agenda.waiting) == [Task("analyze", LONG)]


def test_a_span_whose_workers_die_is_tried_again_and_then_the_video_is_given_up_once():
    agenda = Agenda.of([LONG, SHORT], span_s=10)
    first, second, third = (agenda.waiting.popleft() for _ in range(3))
    assert agenda.lose(first, "killed") is None
    again = agenda.waiting.pop()
    assert again == replace(first, attempt=ATTEMPTS)
    failure = agenda.lose(again, "killed")
    assert isinstance(failure, VideoFailure)
    assert "died 2 times (killed)" in failure.message
    assert agenda.end(second, done(second)) is None
    assert agenda.lose(third, "killed") is None
    assert [t.video for t in agenda.waiting] == [SHORT]
