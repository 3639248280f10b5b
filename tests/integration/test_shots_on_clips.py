"""Shots of real clips, with the real network, against the labels drawn by eye."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from headtrack.models.transnet import TransNetScorer
from headtrack.models.weights import weights_path
from headtrack.settings import Settings
from headtrack.shots.cascade import ShotState, finish, push
from headtrack.video.decode import decode
from headtrack.video.probe import probe
from headtrack.video.thumbnails import thumbnails

DATA = Path(os.environ.get("HEADTRACK_DATA", Path(__file__).parents[3] / "shared" / "data"))
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not (DATA / "labels").is_dir(), reason=f"no labels in {DATA}; set HEADTRACK_DATA"),
]
SETTINGS = Settings()


@pytest.fixture(scope="module")
def scorer() -> TransNetScorer:
    return TransNetScorer(weights_path("transnetv2"), device="cpu")


@pytest.mark.parametrize("clip", ["stage.mp4", "ship.mp4", "silent.mp4"])
def test_every_labelled_cut_is_found_within_two_frames_and_nothing_else(
    clip: str, scorer: TransNetScorer
) -> None:
    with (DATA / "labels" / "shots.csv").open() as file:
        labelled = [int(row["first_frame"]) for row in csv.DictReader(file) if row["clip"] == clip]
    video = probe(DATA / "clips" / clip, SETTINGS.decode)
    state = ShotState.start()
    for batch in decode(video, SETTINGS.decode):
        state = push(state, thumbnails(batch.rgb), scorer, SETTINGS.shots)
    found = finish(state, scorer, SETTINGS.shots).start.tolist()
    assert len(found) == len(labelled)
    assert max(abs(a - b) for a, b in zip(found, labelled, strict=True)) <= 2
