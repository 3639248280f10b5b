"""Heads on the labelled frames of real clips: every other test of the detector is about its parts."""

from __future__ import annotations

import os
from pathlib import Path

import av
import numpy as np
import pytest

from headtrack.evaluation.labels import HeadLabels, read_labels
from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.detection import MISSED, match_frame
from headtrack.models.head_detector import PoseFaceDetector
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, Heads
from headtrack.types.views import FRONT, REAR

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("HEADTRACK_DATA", ROOT.parent / "shared" / "data"))
MIN_IOU = 0.4
Matched = tuple[MatchCounts, list[tuple[str, int]]]

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(
        not (DATA / "labels").is_dir(), reason=f"no labelled clips in {DATA}; set HEADTRACK_DATA"
    ),
]


def frames_of(path: Path, wanted: np.ndarray) -> list[FrameBatch]:
    """Decode the wanted frames, counted from 0 in decode order."""
    batches = []
    with av.open(str(path)) as container:
        for i, frame in enumerate(container.decode(video=0)):
            if i in wanted:
                batches.append(FrameBatch(frame.to_ndarray(format="rgb24")[None], [i], [0.0]))
            if i >= wanted.max():
                break
    return batches


@pytest.fixture(scope="module")
def labels() -> dict[str, HeadLabels]:
    return read_labels(DATA).heads


@pytest.fixture(scope="module")
def found(labels: dict[str, HeadLabels]) -> dict[str, Heads]:
    """Detect once on every labelled frame, by clip."""
    detector = PoseFaceDetector(DetectSettings(), device="cpu", threads=2)
    return {
        clip: Heads.join(
            [detector.detect(batch) for batch in frames_of(DATA / "clips" / clip, truth.labelled_frame)]
        )
        for clip, truth in labels.items()
    }


@pytest.fixture(scope="module")
def matched(
    labels: dict[str, HeadLabels], found: dict[str, Heads]
) -> tuple[MatchCounts, list[tuple[str, int]]]:
    """Give the counts over all clips, and of each labelled head its view and the view found (-1: missed)."""
    counts, views = MatchCounts(), []
    for clip, truth in labels.items():
        for frame in truth.labelled_frame:
            rows, heads = truth.frame == frame, found[clip][found[clip].frame == frame]
            match = match_frame(
                truth.xyxy[rows],
                heads.xyxy,
                ignore=truth.ignore_xyxy[truth.ignore_frame == frame],
                min_iou=MIN_IOU,
            )
            counts += match.counts
            for view, row in zip(truth.view[rows], match.predicted_of_truth, strict=True):
                views.append((str(view), MISSED if row == MISSED else int(heads.view[row])))
    return counts, views


def test_at_least_19_of_20_labelled_heads_are_found(matched):
    counts, _ = matched
    assert counts.recall >= 0.95


def test_at_most_12_of_100_found_heads_are_false(matched):
    counts, _ = matched
    assert counts.precision >= 0.88


def test_heads_seen_from_behind_are_found_and_called_rear(matched):
    _, views = matched
    rear = [seen for view, seen in views if view == "rear"]
    assert np.mean([seen != MISSED for seen in rear]) >= 0.9
    assert np.mean([seen == REAR for seen in rear]) >= 0.9


def test_heads_seen_from_the_front_are_not_called_rear(matched):
    _, views = matched
    front = [seen for view, seen in views if view == "front"]
    assert np.mean([seen == REAR for seen in front]) <= 0.05
    assert np.mean([seen == FRONT for seen in front]) >= 0.6


def test_an_empty_corridor_has_no_heads(labels, found):
    truth = labels["corridor.mp4"]
    empty = np.setdiff1d(truth.labelled_frame, truth.frame)
    assert len(empty) > 0
    assert not np.isin(found["corridor.mp4"].frame, empty).any()
