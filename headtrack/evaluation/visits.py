"""Whether a person who passes by is one track from coming to leaving."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headtrack.evaluation.csv_rows import read_csv
from headtrack.evaluation.predictions import Found

VISITS_FILE = "corridor_visits.csv"
VISIT_COLUMNS = ("clip", "person", "first_frame_pm10", "last_frame_pm10")
SLACK_FRAMES = 10  # the labelled first and last frames are good to this
MIN_COVERED = 0.95  # of the frames of a visit that its track must have a head in


@dataclass(frozen=True, slots=True)
class Visit:
    """One person in view, from the first frame to the last.

    Attributes:
        media: path of the clip in the data folder.
        first: frame, within 10.
        last: frame, within 10.
    """

    media: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class VisitScore:
    """How many visits are one track.

    Attributes:
        unbroken: those of which one track covers nearly every frame and no other any.
        visits: all.
    """

    unbroken: int
    visits: int


def read_visits(data_dir: Path) -> tuple[Visit, ...]:
    """Read the visits of a data folder; none where it has no file of them.

    Raises:
        DatasetError: the file is not as expected.
    """
    path = data_dir / "labels" / VISITS_FILE
    if not path.exists():
        return ()
    return tuple(
        Visit(f"clips/{row.text('clip')}", row.whole("first_frame_pm10"), row.whole("last_frame_pm10"))
        for row in read_csv(path, VISIT_COLUMNS)
    )


def score_visits(visits: Iterable[Visit], found: Mapping[str, Found]) -> VisitScore:
    """Count the visits that are one track, leaving out the frames about which the labels are unsure."""
    unbroken = [visit.media in found and _is_unbroken(visit, found[visit.media]) for visit in visits]
    return VisitScore(sum(unbroken), len(unbroken))


def _is_unbroken(visit: Visit, found: Found) -> bool:
    first, last = visit.first + SLACK_FRAMES, visit.last - SLACK_FRAMES
    here = (found.heads.frame >= first) & (found.heads.frame <= last)
    tracks = np.unique(found.heads.track[here])
    covered = len(np.unique(found.heads.frame[here])) / max(last - first + 1, 1)
    return len(tracks) == 1 and covered >= MIN_COVERED
