"""Finds the `sql` folder and reads its statements: SQL is written as SQL, its comment is its doc."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from headtrack.errors import StoreError

NAME_LINE = re.compile(r"^-- name: *(\w+) *$", re.MULTILINE)
PARAMETER = re.compile(r"\$(\w+)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One named SQL statement.

    Attributes:
        name: as its `-- name:` line says.
        doc: the comment lines under it, joined to one line.
        sql: the statement.
        parameters: names of its `$parameters`, in order of first use.
    """

    name: str
    doc: str
    sql: str
    parameters: tuple[str, ...]

    def pick(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Give those of `values` that the statement takes; DuckDB refuses any other."""
        return {name: values[name] for name in self.parameters}


def sql_folder() -> Traversable:
    """Give the folder of SQL files: inside the installed package, or at the top of the checkout.

    Raises:
        StoreError: there is neither; the installation is broken.
    """
    package = files("headtrack")
    installed = package / "sql"
    if installed.is_dir():
        return installed
    checkout = Path(str(package)).parent / "sql"
    if checkout.is_dir():
        return checkout
    raise StoreError(f"no SQL files in {installed} nor in {checkout}; install headtrack again")


def sql_files(folder: str) -> list[Traversable]:
    """List the `.sql` files of one folder under `sql`, by name."""
    found = [file for file in (sql_folder() / folder).iterdir() if file.name.endswith(".sql")]
    return sorted(found, key=lambda file: file.name)


@cache
def statements(folder: str) -> Mapping[str, Statement]:
    """Read every named statement of one folder under `sql`, in order of file and line.

    Args:
        folder: `queries`, `checks` or `store`.

    Raises:
        StoreError: two statements share a name.

    >>> statements("queries")["totals"].doc
    'How much the database holds.'
    """
    found: dict[str, Statement] = {}
    for file in sql_files(folder):
        for statement in file_statements(file):
            if statement.name in found:
                raise StoreError(f"{folder}/{file.name}: a second statement is named {statement.name!r}")
            found[statement.name] = statement
    return found


def file_statements(file: Traversable) -> list[Statement]:
    """Read the named statements of one file, in order."""
    text = file.read_text(encoding="utf-8")
    marks = list(NAME_LINE.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [_statement(mark.group(1), text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]


def leading_comment(text: str) -> str:
    r"""Join the comment lines at the beginning of a text to one line.

    >>> leading_comment("-- One.\n-- Two.\nSELECT 1")
    'One. Two.'
    """
    lines = []
    for line in text.strip().splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return " ".join(lines)


def _statement(name: str, body: str) -> Statement:
    lines = [line for line in body.strip().splitlines() if not line.startswith("--")]
    sql = "\n".join(lines).strip()
    return Statement(name, leading_comment(body), sql, tuple(dict.fromkeys(PARAMETER.findall(sql))))
