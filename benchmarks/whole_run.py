"""The main job as a process of its own, timed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path


def run_s(inputs: Sequence[Path], overrides: Sequence[str], *options: str) -> float:
    """Run the main job over some inputs into a new database; give the seconds it took."""
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
        return time.perf_counter() - started
