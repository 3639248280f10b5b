"""`headtrack status`: what is stored, what failed and why, how far a run is."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from headtrack.cli.options import DEFAULT_DB, DbOption, FormatOption, VerboseOption
from headtrack.cli.output import Format, Rows, print_json, print_rows, rows_of
from headtrack.cli.progress import rate_and_left, video_step

if TYPE_CHECKING:
    from headtrack.pipeline.status import RunningRun


def status(
    db: DbOption = DEFAULT_DB, form: FormatOption = Format.table, verbose: VerboseOption = False
) -> None:
    """Print the state of each video, or of the run that goes on.

    A video is complete, partial (only its beginning could be read) or failed, with the reason;
    each path once, as it was found last. Times are UTC. While a run goes on, only its own journal
    is read, so that asking never holds it up. JSON is one object: `run` (null where none goes on)
    and `videos` (null while one does).

    \b
    Examples:
      headtrack status --db people.duckdb
      headtrack status --format json
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline.status import run_in_progress
    from headtrack.store.database import open_reader
    from headtrack.store.read import named_query

    run = run_in_progress(db)
    if run is not None:
        row = _run_row(run)
        if form is Format.json:
            print_json({"run": row, "videos": None})
        else:
            print_rows(Rows(tuple(row), [tuple(row.values())]), form)
        return
    with open_reader(db) as con:
        videos = rows_of(named_query(con, "status", {}))
    if form is Format.json:
        items = [dict(zip(videos.columns, row, strict=True)) for row in videos.rows]
        print_json({"run": None, "videos": items})
    else:
        print_rows(videos, form)


def _run_row(run: RunningRun) -> dict[str, Any]:
    elapsed_s = run.said_at - run.started_at
    _, left_s = rate_and_left(video_step(run.progress), elapsed_s)
    return {"run": run.run_id, **asdict(run.progress), "elapsed_s": elapsed_s, "left_s": left_s}
