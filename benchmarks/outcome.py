"""What a benchmark found, as one JSON object that says where it was measured."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from headtrack import __version__

ROOT = Path(__file__).resolve().parents[1]


def print_outcome(figures: dict[str, Any]) -> None:
    """Print figures, with the machine, the commit and the time, as JSON."""
    stamp = {"machine": machine(), "commit": commit(), "at": datetime.now(UTC).isoformat(timespec="seconds")}
    print(json.dumps({**figures, **stamp}, indent=1))


def machine() -> dict[str, Any]:
    """Describe this machine, without its name."""
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if "model name" in line] if info.exists() else []
    return {
        "cpu": names[0].partition(":")[2].strip() if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "headtrack": __version__,
    }


def commit() -> str:
    """Give the commit of this checkout, with a + where something in it was changed since."""
    git = ("git", "-C", str(ROOT))
    try:
        head = subprocess.run(
            [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        )
        changed = subprocess.run([*git, "status", "--short"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "none: no git checkout"
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")
