from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from headtrack.models.registry import MODELS
from headtrack.settings import Settings, setting_rows
from headtrack.store.describe import describe_database

DOCS = Path(__file__).resolve().parents[2] / "docs"


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_generate"] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()


@pytest.mark.parametrize("page", list(GENERATOR.PAGES))
def test_every_generated_page_is_up_to_date(page: str) -> None:
    assert (DOCS / page).read_text() == GENERATOR.PAGES[page](), (
        f"docs/{page} is out of date: run `make docs`"
    )


def test_every_command_and_option_is_on_the_command_line_page() -> None:
    text = (DOCS / "cli.md").read_text()
    for command in GENERATOR.commands():
        section = text.partition(f"## `{command.name}`\n")[2].partition("\n## ")[0]
        assert section, f"{command.name} is missing"
        for option in command.options:
            assert option in section, f"{command.name} {option} is missing"


def test_every_command_shows_an_example() -> None:
    leaves = [c for c in GENERATOR.commands() if "Commands:" not in c.help]
    assert len(leaves) >= 9
    for command in leaves:
        assert re.search(rf"\n +{command.name}( |\n)", command.help), command.name
        assert "Examples:" in command.help, command.name


def test_every_setting_is_on_the_settings_page() -> None:
    text = (DOCS / "settings.md").read_text()
    for row in setting_rows(Settings()):
        assert f"| `{row.name}` |" in text


def test_every_view_query_and_parameter_is_on_the_sql_page() -> None:
    text = (DOCS / "sql.md").read_text()
    described = describe_database()
    assert {"head_by_frame", "shot_by_video", "person_summary"} <= {d.name for d in described}
    for relation in described:
        if relation.kind == "check":
            assert f"- `{relation.name}`: {relation.comment}" in text
            continue
        section = text.partition(f"### {relation.name}\n")[2].partition("\n### ")[0]
        assert relation.comment in section
        for name in (*(c.name for c in relation.columns), *relation.parameters):
            assert f"`{name}`" in section, f"{relation.name}.{name} is missing"


def test_every_column_of_every_view_and_table_says_what_it_means() -> None:
    relations = [d for d in describe_database() if d.kind in ("view", "table")]
    silent = [f"{r.name}.{c.name}" for r in relations for c in r.columns if not c.comment]
    assert silent == []


def test_every_model_and_its_licence_is_on_the_models_page() -> None:
    text = (DOCS / "models.md").read_text()
    for spec in MODELS.values():
        section = text.partition(f"## {spec.name}\n")[2].partition("\n## ")[0]
        for fact in (spec.licence, spec.limits, spec.sha256):
            assert fact in section
