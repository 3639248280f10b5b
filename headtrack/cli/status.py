"""`headtrack status`: what is stored, what failed and why, how far a run is."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from headtrack.cli.options import DEFAULT_DB, DbOption, FormatOption, VerboseOption
from headtrack.cli.output import Format, Rows, print_json, print_rows, rows_of, shortened, write_stdout
from headtrack.cli.progress import duration_text, rate_and_left, video_step

if TYPE_CHECKING:
    from headtrack.pipeline.progress import Workers, WorkerState
    from headtrack.pipeline.status import RunningRun

# A line for each worker, also where films have long names.
NAME_CHARS = 32


def status(
    db: DbOption = DEFAULT_DB, form: FormatOption = Format.table, verbose: VerboseOption = False
) -> None:
    """Print the state of each video, or of the run that goes on.

    A video is complete, partial (only its beginning could be read) or failed, with the reason;
    each path once, as it was found last. Times are UTC. While a run goes on, only its own journal
    is read, so that asking never holds it up: how many videos are done, failed and waiting (those
    that are being analysed included), its pace since it began, the time left by the footage known
    so far, and of each worker where it is, what it does and since when, and what it has done.

    JSON is one object: `run` (null where none goes on) and `videos` (null while one does). `run` has
    the counts `videos_done`, `videos_failed`, `videos_skipped`, `videos_waiting`, `videos_total`;
    `seconds_done` and `seconds_total` of footage; `times_real_time`, `elapsed_s` and `left_s`; and
    `workers`, each with `worker`, `node`, `pid`, `doing` (loading, analysing a video, watching a
    span, stitching spans, or idle), `path`, `start_s` and `stop_s` of what it watches, `since`, and
    `videos`, `spans` and `seconds` of footage that it has done. CSV has the run without workers.

    \b
    Examples:
      headtrack status --db people.duckdb
      watch headtrack status --db people.duckdb
      headtrack status --format json
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline.status import run_in_progress
    from headtrack.store.database import open_reader
    from headtrack.store.read import named_query

    run = run_in_progress(db)
    if run is not None:
        _print_run(run, form)
        return
    with open_reader(db) as con:
        videos = rows_of(named_query(con, "status", {}))
    if form is Format.json:
        items = [dict(zip(videos.columns, row, strict=True)) for row in videos.rows]
        print_json({"run": None, "videos": items})
    else:
        print_rows(videos, form)


def _print_run(run: RunningRun, form: Format) -> None:
    if form is Format.table:
        print_rows(_run_table(run), form)
        if run.progress.workers:
            write_stdout("\n")
            print_rows(_worker_table(run.progress.workers), form)
        return
    row = _run_row(run)
    if form is Format.json:
        workers = [asdict(state) | {"since": _time_of(state)} for state in run.progress.workers]
        print_json({"run": row | {"workers": workers}, "videos": None})
    else:
        print_rows(Rows(tuple(row), [tuple(row.values())]), form)


def _run_row(run: RunningRun) -> dict[str, Any]:
    said = run.progress
    rate, left_s = _pace(run)
    return {
        "run": run.run_id,
        "videos_done": said.videos_done,
        "videos_failed": said.videos_failed,
        "videos_skipped": said.videos_skipped,
        "videos_waiting": said.videos_waiting,
        "videos_total": said.videos_total,
        "seconds_done": said.seconds_done,
        "seconds_total": said.seconds_total,
        "times_real_time": rate,
        "elapsed_s": run.said_at - run.started_at,
        "left_s": left_s,
        "current": said.current,
    }


def _pace(run: RunningRun) -> tuple[float | None, float | None]:
    """Give seconds of footage a second, and seconds left; None where nothing tells yet."""
    return rate_and_left(video_step(run.progress), run.said_at - run.started_at)


def _run_table(run: RunningRun) -> Rows:
    said = run.progress
    rate, left_s = _pace(run)
    row = {
        "run": run.run_id,
        "done": said.videos_done,
        "failed": said.videos_failed,
        "skipped": said.videos_skipped,
        "waiting": said.videos_waiting,
        "footage": f"{duration_text(said.seconds_done)} of {duration_text(said.seconds_total)}",
        "pace": f"{rate:.2f} x real time" if rate is not None else "",
        "left": duration_text(left_s),
    }
    return Rows(tuple(row), [tuple(row.values())])


def _worker_table(workers: Workers) -> Rows:
    columns = ("worker", "node", "pid", "doing", "video", "from-to", "since", "videos", "spans", "footage")
    return Rows(
        columns,
        [
            (
                str(state.worker),
                state.node,
                str(state.pid or ""),
                state.doing,
                shortened(PurePath(state.path).name, NAME_CHARS),
                f"{duration_text(state.start_s)}-{duration_text(state.stop_s)}"
                if state.start_s is not None
                else "",
                _time_of(state),
                state.videos,
                state.spans,
                duration_text(state.seconds),
            )
            for state in workers
        ],
    )


def _time_of(state: WorkerState) -> datetime:
    return datetime.fromtimestamp(state.since, UTC)
