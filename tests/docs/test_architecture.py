from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ARCHITECTURE.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.heavy
def test_the_walk_of_one_video_runs_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    names: dict[str, Any] = {}
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= 7
    for block in blocks:
        # Blank lines in front make an error name the line of the page.
        source = "\n" * text[: block.start(1)].count("\n") + block[1]
        exec(compile(source, str(PAGE), "exec"), names)


def test_the_layers_on_the_page_are_those_of_the_contract() -> None:
    contract = (PAGE.parents[1] / "pyproject.toml").read_text().partition("layers = [")[2].partition("]")[0]
    layers = re.findall(r"headtrack\.(\w+)", contract)
    table = PAGE.read_text().partition("## Layers")[2]
    assert layers == re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)))
