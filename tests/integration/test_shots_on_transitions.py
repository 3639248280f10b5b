"""Transitions and disturbances made from real takes (`benchmarks/transitions.py`), with the real network."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.shots import FIRST_HELD_OUT_SEED, ShotFigures, compare, measure
from benchmarks.transitions import HELD_OUT, MAX_MIXED, MIN_MIXED, TRANSITIONS, Event, generate, read_takes
from headtrack.models.transnet import TransNetScorer
from headtrack.models.weights import weights_path
from headtrack.settings import Settings

DATA = Path(os.environ.get("HEADTRACK_DATA", Path(__file__).parents[3] / "shared" / "data"))
CLIPS = 3


@pytest.fixture(scope="module")
def takes() -> list[np.ndarray]:
    if not (DATA / "clips").is_dir():
        pytest.skip(f"no clips in {DATA}; set HEADTRACK_DATA")
    return read_takes(HELD_OUT, DATA)


def test_a_seed_always_gives_the_same_clip_with_each_kind_of_transition_once(takes: list[np.ndarray]) -> None:
    once, again = (generate(takes, seed=1) for _ in range(2))
    np.testing.assert_array_equal(once.thumbnails, again.thumbnails)
    assert sorted(e.kind for e in once.transitions) == sorted(TRANSITIONS)
    for event in once.transitions:
        length = event.end - event.begin
        assert length == 1 if "cut" in event.kind else MIN_MIXED <= length <= MAX_MIXED


def test_a_start_inside_a_dissolve_finds_it_once_and_any_other_is_false() -> None:
    events = (Event("dissolve", 10, 30), Event("cut", 80, 81), Event("flash", 50, 52))
    figures = compare(events, [12, 25, 51, 60])
    assert (figures.tp, dict(figures.missed)) == (1, {"cut": 1})
    assert dict(figures.false) == {"dissolve": 1, "flash": 1, "plain footage": 1}


@pytest.mark.heavy
def test_transitions_are_found_and_flashes_pans_and_shaking_are_not(takes: list[np.ndarray]) -> None:
    scorer, total = TransNetScorer(weights_path("transnetv2"), device="cpu"), ShotFigures()
    for seed in range(FIRST_HELD_OUT_SEED, FIRST_HELD_OUT_SEED + CLIPS):
        total += measure(generate(takes, seed=seed), scorer, Settings().shots)
    assert total.proposed == CLIPS * len(TRANSITIONS)
    assert total.counts.f1 >= 0.95, total
