"""`headtrack suggest`: what to ask a person, the most useful first."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headtrack.cli.options import (
    DEFAULT_DB,
    ConfigOption,
    DbOption,
    FormatOption,
    SetOption,
    VerboseOption,
)
from headtrack.cli.output import Format, Rows, print_rows, printable, shortened, write_stdout
from headtrack.settings_file import load_settings

if TYPE_CHECKING:
    from headtrack.pipeline.suggest import Suggestions

COLUMNS = (
    "question", "person_a", "name_a", "person_b", "name_b", "probability", "gain_s",
    "video_a", "at_a_s", "video_b", "at_b_s", "if_yes", "if_no",
)  # fmt: skip
SHORT_COLUMNS = ("nr", "question", "person_a", "person_b", "probability", "gain_s", "at_a", "at_b")
MOST_CHARS = 16  # of a name or a file name in the table, which then has at most 120 columns


def suggest(
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="QUESTIONS", help="List at most so many questions.")
    ] = 10,
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """List the questions whose answers would put most right, so that few are needed.

    `same?` asks whether two people are one; `one?` whether one person is not two, by the weakest join
    of their tracks. `probability` is that both sides show one person; `gain_s` the seconds on screen
    that an answer puts right in the mean (a still counts as one second). Look at both sides at the times
    given, then run what `if_yes` or `if_no` says. People seen in one frame are not asked about. The
    table shortens names and paths and prints the commands below; JSON and CSV hold everything.

    \b
    Examples:
      headtrack suggest
      headtrack suggest --db people.duckdb --limit 3 --format json
    """  # noqa: D301 (click's paragraph mark)
    settings = load_settings(config, overrides or [])
    from headtrack.pipeline.suggest import suggest as find_questions

    found = find_questions(db, settings)
    rows = [_row(found, k, db) for k in range(min(limit, len(found.doubts)))]
    if form is Format.table:
        _print_short(rows)
    else:
        print_rows(Rows(COLUMNS, rows), form)
    if not len(found.doubts):
        print("nothing to ask: nobody's face can be compared with another", file=sys.stderr)


def _print_short(rows: list[tuple[Any, ...]]) -> None:
    """Print questions that fit a terminal, then the commands in full, unfolded, to be copied."""
    asked: list[dict[str, Any]] = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    table = [
        (
            number,
            row["question"],
            *(shortened(row[f"name_{side}"] or row[f"person_{side}"] or "", MOST_CHARS) for side in "ab"),
            row["probability"],
            row["gain_s"],
            *(_moment(row[f"video_{side}"], row[f"at_{side}_s"]) for side in "ab"),
        )
        for number, row in enumerate(asked, 1)
    ]
    print_rows(Rows(SHORT_COLUMNS, table), Format.table)
    answers = [
        f"{number} {answer:>3}: {printable(row[f'if_{answer}'])}\n"
        for number, row in enumerate(asked, 1)
        for answer in ("yes", "no")
    ]
    if answers:
        write_stdout("\n" + "".join(answers))


def _moment(video: str, at_s: float) -> str:
    return f"{shortened(Path(video).name, MOST_CHARS)} {at_s:.1f}"


def _row(found: Suggestions, k: int, db: Path) -> tuple[Any, ...]:
    doubts, seen, gallery = found.doubts, found.archive.sightings, found.archive.gallery
    a, b = int(doubts.track_a[k]), int(doubts.track_b[k])
    person_a, person_b = str(seen.person[a]), str(seen.person[b])

    def track(row: int) -> str:
        return f"{seen.video[row] or gallery.video_id[row]}:{gallery.track[row]}"

    at = [] if db == DEFAULT_DB else ["--db", str(db)]
    if doubts.is_split[k]:
        side = [track(row) for row in doubts.side[k].tolist()]
        yes, no = ["assign", track(b), person_a], ["split", person_a, *side]
    else:
        yes, no = ["merge", person_a, person_b], ["reject", person_a, person_b]
    return (
        "one?" if doubts.is_split[k] else "same?",
        person_a,
        str(seen.name[a]) or None,
        None if doubts.is_split[k] else person_b,
        (None if doubts.is_split[k] else str(seen.name[b])) or None,
        float(doubts.probability[k]),
        float(doubts.gain_s[k]),
        str(seen.video[a]),
        float(seen.time_s[a]),
        str(seen.video[b]),
        float(seen.time_s[b]),
        shlex.join(["headtrack", *yes, *at]),
        shlex.join(["headtrack", *no, *at]),
    )
