"""Reads boxes in the MOTChallenge text format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from headtrack.errors import DatasetError
from headtrack.metrics.track_overlap import TrackedBoxes

# frame, id, left, top, width, height; more columns may follow.
COLUMNS = 6


def read_mot(path: Path) -> TrackedBoxes:
    """Read a MOT ground truth or result file.

    Args:
        path: of the file; frames count from 1 in it.

    Returns:
        Its boxes, frames from 0.

    Raises:
        DatasetError: the file is missing, or a line is malformed (file and line are named).
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as MOT text: {error}") from error
    rows = [_row(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    values = np.array(rows).reshape(-1, COLUMNS)
    xyxy = np.concatenate([values[:, 2:4], values[:, 2:4] + values[:, 4:6]], axis=1)
    try:
        return TrackedBoxes(values[:, 0].astype(np.int64) - 1, values[:, 1].astype(np.int64), xyxy)
    except ValueError as error:
        raise DatasetError(f"{path}: {error}") from error


def _row(path: Path, number: int, line: str) -> list[float]:
    try:
        values = [float(word) for word in line.split(",")[:COLUMNS]]
    except ValueError as error:
        raise DatasetError(f"{path}, line {number}: expected numbers with commas, got {line!r}") from error
    if len(values) < COLUMNS:
        raise DatasetError(
            f"{path}, line {number}: expected frame,id,left,top,width,height,..., got {line!r}"
        )
    if values[0] < 1 or values[0] % 1 or values[1] % 1:
        raise DatasetError(f"{path}, line {number}: frame (from 1) and id must be whole, got {line!r}")
    return values
