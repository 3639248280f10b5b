from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from headtrack.cli.main import app, exit_code_of
from headtrack.models.registry import MODELS
from tests.factories import Seen, cluster_by_basis, make_result, store

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def test_the_readme_gives_every_model_with_its_licence_source_and_limits() -> None:
    for spec in MODELS.values():
        assert f"| {spec.name} | {spec.role} | {spec.licence} | {spec.source} | {spec.limits} |" in README


def test_the_exit_codes_in_the_readme_are_those_of_the_command_line_page() -> None:
    table = re.compile(r"\| code \| meaning \|\n(?:\|.*\n)+")
    ours = table.search(README)
    theirs = table.search((ROOT / "docs" / "cli.md").read_text())
    assert ours is not None
    assert theirs is not None
    number = re.compile(r"^\| (\d+) \|", re.MULTILINE)
    assert number.findall(ours[0]) == number.findall(theirs[0])


def test_every_command_that_a_page_shows_exists_and_takes_the_options_shown() -> None:
    program = typer.main.get_command(app)
    shown = [
        (page.name, line.strip())
        for page in PAGES
        for block in re.findall(r"```(?:sh|console)\n(.*?)```", page.read_text(), re.DOTALL)
        for line in re.findall(r'^headtrack (?:[^"\n]|"[^"]*")*', block, re.MULTILINE)
    ]
    assert len(shown) >= 5
    for page, line in shown:
        words = shlex.split(line, comments=True)[1:]
        command = program
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]  # pyright: ignore[reportAttributeAccessIssue]
        assert command is not program, f"{page}: {line}"
        known = {opt for param in command.params for opt in param.opts}
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert options <= known, f"{page}: {line}"


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_make_targets_in_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`?make ([a-z-]+)", README)) <= targets


def test_the_sql_in_the_readme_gives_the_columns_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0), Seen(0, 19, 1, x=100.0, face=1, look=1)]))
    cluster_by_basis(db)
    shown = re.findall(r"```sh\n(headtrack query [^`]*)```\n```text\n(.*?)```", README, re.DOTALL)
    assert len(shown) >= 2
    for command, output in shown:
        words = shlex.split(command)[1:]
        words[words.index("--db") + 1] = str(db)
        assert exit_code_of(words) == 0, capsys.readouterr().err
        columns = re.split(r"[\s,]+", capsys.readouterr().out.splitlines()[0].strip())
        assert columns == re.split(r"[\s,]+", output.splitlines()[0].strip())
