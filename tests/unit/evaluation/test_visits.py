from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.predictions import Found
from headtrack.evaluation.visits import Visit, VisitScore, read_visits, score_visits

MEDIA = "clips/a.mp4"
VISIT = Visit(MEDIA, 0, 60)


def found(make_found, *tracks: tuple[int, range]) -> dict[str, Found]:
    rows = [(frame, 0, 0, 10, 10, "rear", track, "p") for track, frames in tracks for frame in frames]
    return {MEDIA: Found(make_found(*rows), np.zeros(0, int))}


def test_a_visit_that_one_track_covers_is_unbroken(make_found):
    assert score_visits([VISIT], found(make_found, (3, range(5, 58)))) == VisitScore(1, 1)


def test_a_visit_of_two_tracks_or_with_a_gap_is_broken(make_found):
    for tracks in (((3, range(30)), (4, range(30, 61))), ((3, range(25)), (3, range(45, 61)))):
        assert score_visits([VISIT], found(make_found, *tracks)) == VisitScore(0, 1)


def test_what_is_found_at_the_unsure_ends_does_not_count(make_found):
    tracks = found(make_found, (3, range(10, 51)), (4, range(0, 9)), (5, range(52, 60)))
    assert score_visits([VISIT], tracks) == VisitScore(1, 1)


def test_a_visit_of_which_nothing_is_known_is_broken(make_found):
    assert score_visits([VISIT], {}) == VisitScore(0, 1)
    assert score_visits([VISIT], found(make_found)) == VisitScore(0, 1)
    assert score_visits([], {}) == VisitScore(0, 0)


def test_visits_are_read_and_a_wrong_frame_is_told(data_dir: Path):
    assert read_visits(data_dir) == ()
    file = data_dir / "labels" / "corridor_visits.csv"
    file.write_text("clip,person,first_frame_pm10,last_frame_pm10\na.mp4,P1,3,70\n")
    assert read_visits(data_dir) == (Visit(MEDIA, 3, 70),)
    file.write_text("clip,person,first_frame_pm10,last_frame_pm10\na.mp4,P1,x,70\n")
    with pytest.raises(DatasetError, match="line 2"):
        read_visits(data_dir)
