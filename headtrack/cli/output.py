"""Data on stdout, as a table for people or as JSON or CSV for programs; nothing else goes there."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headtrack.store.read import QueryRows

GAP = 3  # blanks between two columns
# Folding is slow, and nobody reads that many rows on a terminal.
MAX_FOLDED_ROWS = 1000
# Ids and names stay whole; sentences and paths are folded where a terminal is narrow.
NEVER_FOLDED_CHARS = 22


class Format(StrEnum):
    """How data is printed."""

    table = "table"
    json = "json"
    csv = "csv"


@dataclass(frozen=True, slots=True)
class Rows:
    """Named columns and their rows, ready to print; no rows is normal.

    Attributes:
        columns: names, in the order in which they are printed.
        rows: one tuple a row, as long as `columns`.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    @staticmethod
    def of_mappings(columns: Sequence[str], items: Iterable[Mapping[str, Any]]) -> Rows:
        """Take the named columns out of each item."""
        return Rows(tuple(columns), [tuple(item[c] for c in columns) for item in items])


def rows_of(found: QueryRows, limit: int | None = None) -> Rows:
    """Take what a query gave, at most `limit` rows of it, each column under a name of its own."""
    return Rows(distinct_names(found.columns), found.rows[:limit])


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Number the repetitions of a name, so that a row can be an object with one value a name.

    >>> distinct_names(["a", "a", "b", "a"])
    ('a', 'a_2', 'b', 'a_3')
    >>> distinct_names(["a", "a", "a_2"])
    ('a', 'a_3', 'a_2')
    """
    given: dict[str, None] = {}
    for name in names:
        number, distinct = 2, name
        while distinct in given or (distinct != name and distinct in names):
            distinct, number = f"{name}_{number}", number + 1
        given[distinct] = None
    return tuple(given)


def print_rows(data: Rows, form: Format) -> None:
    """Print rows to stdout: an aligned table, a JSON array of objects, or CSV with a header."""
    if form is Format.json:
        print_json([dict(zip(data.columns, row, strict=True)) for row in data.rows])
    elif form is Format.csv:
        write_stdout(csv_text(data))
    else:
        write_stdout(table_text(data, sys.stdout.isatty()))


def print_json(value: Any) -> None:
    """Print one JSON value; NaN and infinity become null, so that any reader takes it."""
    write_stdout(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def csv_text(data: Rows) -> str:
    r"""Give rows as CSV with a header.

    >>> csv_text(Rows(("person", "share"), [("P1", None)]))
    'person,share\nP1,\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(data.columns)
    for row in data.rows:
        values = [_plain(v) for v in row]
        writer.writerow(
            [json.dumps(v, ensure_ascii=False) if isinstance(v, list | dict) else v for v in values]
        )
    return text.getvalue()


def table_text(data: Rows, terminal: bool) -> str:
    """Give rows as an aligned table; on a terminal that is too narrow for it, cells are folded."""
    from rich.cells import cell_len

    cells = [[_cell(value) for value in row] for row in data.rows]
    numeric = [
        bool(data.rows) and all(isinstance(row[i], int | float | None) for row in data.rows)
        for i in range(len(data.columns))
    ]
    lengths = [[cell_len(text) for text in row] for row in [data.columns, *cells]]
    widths = [max(column) for column in zip(*lengths, strict=True)]
    wide = sum(widths) + GAP * (len(widths) - 1)
    if terminal and len(cells) <= MAX_FOLDED_ROWS and wide > shutil.get_terminal_size().columns:
        return _folded_text(data.columns, cells, numeric)
    lines = []
    for row, taken in zip([data.columns, *cells], lengths, strict=True):
        padding = [" " * (width - length) for width, length in zip(widths, taken, strict=True)]
        aligned = [
            pad + text if right else text + pad
            for text, pad, right in zip(row, padding, numeric, strict=True)
        ]
        lines.append((" " * GAP).join(aligned).rstrip())
    lines.insert(1, "─" * wide)
    return "\n".join(lines) + "\n"


def _folded_text(columns: Sequence[str], cells: list[list[str]], numeric: list[bool]) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for i, name in enumerate(columns):
        longest = max((len(row[i]) for row in cells), default=0)
        table.add_column(
            name,
            justify="right" if numeric[i] else "left",
            overflow="fold",
            no_wrap=longest <= NEVER_FOLDED_CHARS,
        )
    for row in cells:
        table.add_row(*map(Text, row))
    file = io.StringIO()
    Console(file=file, highlight=False, color_system=None).print(table)
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    return "\n".join(lines).rstrip() + "\n"


def write_stdout(text: str) -> None:
    """Write to stdout at once; a reader that closed the pipe has had enough, which is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes stdout once more at exit; it must find something that still takes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, "standard output") from error


def printable(text: str) -> str:
    r"""Show control characters as escapes: a file name must not steer the terminal.

    >>> printable("a\x1b[2Jb\n")
    'a\\x1b[2Jb\\n'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, most: int) -> str:
    """Leave the middle of a long text out, so that beginning and end still tell it from others.

    >>> shortened("a_very_long_film_name.mp4", 16)
    'a_very_l…ame.mp4'
    >>> shortened("film.mp4", 16)
    'film.mp4'
    """
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}…{text[len(text) - (most - most // 2 - 1) :]}"


def _cell(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{_utc(value):%Y-%m-%d %H:%M:%S}Z"
    value = _plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(_cell(v) for v in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return printable(str(value))


def _plain(value: Any) -> Any:
    """Give the JSON counterpart of a database or numpy value."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(v) for v in value]
    if isinstance(value, datetime):
        return _utc(value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _utc(value: datetime) -> datetime:
    """Give a time in UTC; one without a zone is in UTC already, as all times of the database are."""
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
