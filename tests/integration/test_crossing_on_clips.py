"""Two people of a real clip who hide each other, with the real networks, against the labels drawn by eye."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from headtrack.evaluation.labels import read_labels
from headtrack.metrics.detection import MISSED, match_frame
from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.models import load_models
from headtrack.settings import Settings
from headtrack.types import VideoResult
from headtrack.video.probe import probe

DATA = Path(os.environ.get("HEADTRACK_DATA", Path(__file__).parents[3] / "shared" / "data"))
SETTINGS = Settings()

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not (DATA / "labels").is_dir(), reason=f"no labels in {DATA}; set HEADTRACK_DATA"),
]


def test_the_head_that_hides_another_in_silent_keeps_its_id_and_so_does_the_hidden_one():
    video = probe(DATA / "clips" / "silent.mp4", SETTINGS.decode)
    result = analyze_video(video, load_models(SETTINGS), SETTINGS)
    assert isinstance(result, VideoResult)
    truth = read_labels(DATA).heads["silent.mp4"]
    tracklets: dict[str, list[int]] = {"P1": [], "P2": []}
    for frame in truth.labelled_frame:
        rows = np.flatnonzero(truth.frame == frame)
        found = np.flatnonzero((result.heads.frame == frame) & (result.tracklets.tracklet_of_head >= 0))
        match = match_frame(
            truth.xyxy[rows],
            result.heads.xyxy[found],
            ignore=truth.ignore_xyxy[truth.ignore_frame == frame],
            min_iou=0.4,
        )
        for row, of in zip(rows, match.predicted_of_truth, strict=True):
            if of != MISSED:
                tracklets[truth.person[row]].append(int(result.tracklets.tracklet_of_head[found[of]]))
    assert len(tracklets["P1"]) == 9
    assert len(tracklets["P2"]) == 9
    assert len(set(tracklets["P1"])) == len(set(tracklets["P2"])) == 1
    assert set(tracklets["P1"]) != set(tracklets["P2"])
