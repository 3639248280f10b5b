"""Prints how well shots are found, and how often TransNetV2 is asked for it.

    python -m benchmarks.shots DATA [--seeds 8]

One line for each labelled clip of the data folder, for carphone (no cut in it), and for the clips of
`transitions.py`: those that constants are fitted on (`tuning`), and those held out. A transition is found
if a shot begins in it, give or take two frames.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchmarks.transitions import (
    CARPHONE,
    HELD_OUT,
    TRANSITIONS,
    TUNING,
    Event,
    GeneratedClip,
    generate,
    read_takes,
)
from headtrack.evaluation.labels import read_labels
from headtrack.evaluation.protocol import CUT_TOLERANCE_FRAMES, SHOT_CLIPS
from headtrack.metrics.counts import MatchCounts
from headtrack.models.transnet import TransNetScorer
from headtrack.models.weights import weights_path
from headtrack.protocols import ShotScorer
from headtrack.settings import DecodeSettings, ShotSettings
from headtrack.shots.candidates import LAG_FRAMES, ChangeState, change_scores
from headtrack.shots.cascade import ShotState, finish, push
from headtrack.shots.judge import TILE_FRAMES, WINDOW_FRAMES
from headtrack.video.decode import decode
from headtrack.video.probe import probe
from headtrack.video.thumbnails import thumbnails

BATCH_FRAMES = 16
FIRST_HELD_OUT_SEED = 100


@dataclass
class ShotFigures:
    """What was found in some clips; they add up (`+`)."""

    frames: int = 0
    tiles: int = 0
    second_looks: int = 0
    tp: int = 0
    proposed: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    seconds: float = 0

    def __add__(self, other: ShotFigures) -> ShotFigures:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return ShotFigures(*(a + b for a, b in pairs))

    @property
    def counts(self) -> MatchCounts:
        """Give right, false and missed transitions."""
        return MatchCounts(self.tp, self.false.total(), self.missed.total())


@dataclass
class CountingScorer:
    """Passes windows on and counts them: the first look at a tile, and second looks."""

    inner: ShotScorer
    tiles: int = 0
    second_looks: int = 0

    @property
    def model_id(self) -> str:
        """That of the scorer inside."""
        return self.inner.model_id

    def score(self, thumbnails: np.ndarray) -> np.ndarray:
        """Ask the scorer inside."""
        whole = len(thumbnails) == WINDOW_FRAMES
        self.tiles += whole
        self.second_looks += not whole
        return self.inner.score(thumbnails)


def measure(clip: GeneratedClip, scorer: ShotScorer, settings: ShotSettings) -> ShotFigures:
    """Find the shots of a clip and compare them with its events."""
    begin_s = time.perf_counter()
    state, asked = ShotState.start(), CountingScorer(scorer)
    for k in range(0, len(clip.thumbnails), BATCH_FRAMES):
        state = push(state, clip.thumbnails[k : k + BATCH_FRAMES], asked, settings)
    starts = finish(state, asked, settings).start[1:]
    seconds = time.perf_counter() - begin_s
    figures = compare(clip.events, starts.tolist())
    score = change_scores(ChangeState.start(), clip.thumbnails).score
    reach = [score[e.begin : e.end + LAG_FRAMES] for e in clip.transitions]
    return replace(
        figures,
        frames=len(clip.thumbnails),
        tiles=asked.tiles,
        second_looks=asked.second_looks,
        proposed=sum(bool((s >= settings.min_candidate).any()) for s in reach),
        seconds=seconds,
    )


def compare(events: tuple[Event, ...], starts: list[int]) -> ShotFigures:
    """Count transitions found and missed, and false starts by what happened there."""
    open_ones = [e for e in events if e.kind in TRANSITIONS]
    figures = ShotFigures()
    for start in starts:
        here = [e for e in events if _touches(e, start)]
        found = next((e for e in here if e in open_ones), None)
        if found is None:
            figures.false[here[-1].kind if here else "plain footage"] += 1
        else:
            open_ones.remove(found)
            figures.tp += 1
    figures.missed.update(e.kind for e in open_ones)
    return figures


def _touches(event: Event, start: int) -> bool:
    return event.begin - CUT_TOLERANCE_FRAMES <= start <= event.end - 1 + CUT_TOLERANCE_FRAMES


def labelled_clips(data: Path) -> dict[str, GeneratedClip]:
    """Read the labelled clips as thumbnails with their cuts."""
    cuts = {name: label.cut.tolist() for name, label in read_labels(data).cuts.items()}
    paths = {name: data / "clips" / name for name in SHOT_CLIPS if name in cuts}
    paths[CARPHONE] = weights_path(CARPHONE)
    settings, clips = DecodeSettings(), {}
    for name, path in paths.items():
        small = [thumbnails(batch.rgb) for batch in decode(probe(path, settings), settings)]
        events = tuple(Event("cut", cut, cut + 1) for cut in cuts.get(name, []))
        clips[name] = GeneratedClip(np.concatenate(small), events)
    return clips


def print_figures(name: str, figures: ShotFigures) -> None:
    """Print one line of the table."""
    counts, told = figures.counts, []
    for word, kinds in (("missed", figures.missed), ("false", figures.false)):
        told += [f"{word} {n} x {kind}" for kind, n in sorted(kinds.items())]
    transitions = counts.tp + counts.fn
    print(
        f"{name:<14} {figures.frames:>6} {figures.tiles * TILE_FRAMES / max(figures.frames, 1):>7.1%} "
        f"{figures.tiles:>5} {figures.second_looks:>6} "
        f"{figures.proposed:>4}/{transitions:<4} {counts.f1:>6.3f} {figures.seconds:>7.1f}  {', '.join(told)}"
    )


def main() -> None:
    """Measure every clip and set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with clips/ and labels/")
    parser.add_argument("--seeds", type=int, default=8, help="clips a generated set")
    args = parser.parse_args()
    run(args.data, args.seeds, TransNetScorer(weights_path("transnetv2"), device="cpu"), ShotSettings())


def run(data: Path, seeds: int, scorer: ShotScorer, settings: ShotSettings) -> None:
    """Print the table."""
    print(
        f"{'clip or set':<14} {'frames':>6} {'judged':>7} {'tiles':>5} {'second':>6} {'proposed':>9} "
        f"{'F1':>6} {'seconds':>7}"
    )
    for name, clip in labelled_clips(data).items():
        print_figures(name, measure(clip, scorer, settings))
    for name, plan, first in (("tuning", TUNING, 0), ("held out", HELD_OUT, FIRST_HELD_OUT_SEED)):
        takes = read_takes(plan, data)
        total = ShotFigures()
        for seed in range(first, first + seeds):
            total += measure(generate(takes, seed=seed), scorer, settings)
        print_figures(name, total)


if __name__ == "__main__":
    main()
