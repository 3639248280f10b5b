"""Small random sequences, alike in every run."""

from __future__ import annotations

import numpy as np
import pytest

from headtrack.metrics.track_overlap import TrackedBoxes, TrackOverlap, overlap_tracks


def random_sequence(seed: int) -> TrackOverlap:
    """Move a few boxes about, and predict them with jitter, gaps, swapped ids and false boxes."""
    rng = np.random.default_rng(seed)
    frame, track = (a.ravel() for a in np.meshgrid(np.arange(8), np.arange(4), indexing="ij"))
    corner = rng.uniform(0, 25, (len(frame), 2))
    xyxy = np.concatenate([corner, corner + rng.uniform(5, 15, (len(frame), 2))], 1)
    present = rng.random(len(frame)) < 0.8
    seen = rng.random(len(frame)) < 0.8
    swapped = np.where(rng.random(len(frame)) < 0.2, track + 10, track)
    jittered = xyxy + rng.normal(0, 1.5, xyxy.shape)
    return overlap_tracks(
        TrackedBoxes(frame[present], track[present], xyxy[present]),
        TrackedBoxes(frame[seen], swapped[seen], jittered[seen]),
    )


@pytest.fixture(params=range(12))
def sequence(request: pytest.FixtureRequest) -> TrackOverlap:
    return random_sequence(request.param)


@pytest.fixture
def no_boxes() -> TrackedBoxes:
    return TrackedBoxes(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))


@pytest.fixture
def two_tracks() -> TrackedBoxes:
    """Two people over four frames, well apart."""
    frame = np.repeat(np.arange(4), 2)
    left = np.tile([0.0, 50.0], 4) + frame
    return TrackedBoxes(
        frame, np.tile([1, 2], 4), np.stack([left, left * 0, left + 10, left * 0 + 10], axis=1)
    )
