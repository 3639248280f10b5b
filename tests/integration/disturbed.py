"""Runs that are disturbed, and what they must give all the same."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil

from headtrack.settings import Settings
from tests.integration.database_content import content

BASE = Settings()
SETTINGS = replace(
    BASE,
    decode=replace(BASE.decode, backend="pyav", stall_s=5.0),
    detect=replace(BASE.detect, fps=2.0),  # what is disturbed need not be long
    run=replace(BASE.run, threads=1, workers=2, span_s=4.0),
)
OPTIONS = ["--set", "decode.backend=pyav", "--set", "decode.stall_s=5", "--set", "detect.fps=2"]
OPTIONS += ["--set", "run.threads=1", "--set", "run.workers=2", "--set", "run.span_s=4"]
READY_S = 180.0

Content = dict[str, list[tuple[object, ...]]]


def processes(title: str) -> Iterator[psutil.Process]:
    """Give the processes below this one whose command line holds some words."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it may have ended meanwhile
            if title in " ".join(process.cmdline()):
                yield process


def assert_undisturbed(db: Path, undisturbed: Content) -> None:
    """Compare with what a run gave that nothing disturbed; no part may be left."""
    found = content(db)
    for table, rows in undisturbed.items():
        assert found[table] == rows, table
    assert not list(db.parent.glob(f"{db.name}.runs/*/parts/*"))
