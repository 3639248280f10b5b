"""The main job as a process of its own, timed."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Timed:
    """How long a run took.

    Attributes:
        wall_s: from the start of Python to its end, in seconds.
        working_s: of these, from the first video that a worker began to the last that was committed.
    """

    wall_s: float
    working_s: float


def timed_run(inputs: Sequence[Path], overrides: Sequence[str], *options: str) -> Timed:
    """Run the main job over some inputs into a new database."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            sys.executable,
            "-m",
            "headtrack",
            "run",
            *map(str, inputs),
            "--db",
            f"{scratch}/db.duckdb",
        ]
        command += [word for text in overrides for word in ("--set", text)]
        started = time.perf_counter()
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall_s = time.perf_counter() - started
        return Timed(wall_s, _working_s(next(Path(scratch).glob("db.duckdb.runs/*/progress.jsonl"))))


def _working_s(journal: Path) -> float:
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    begun = [w["since"] for line in lines for w in line["workers"] if w["doing"] not in ("loading", "idle")]
    return lines[-1]["at"] - min(begun)
