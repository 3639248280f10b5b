"""Clips whose transitions are known, cut together from real takes, as the thumbnails that shots are found in.

Two sets of takes: constants are fitted on `TUNING`, figures come from `HELD_OUT`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from headtrack.models.weights import weights_path
from headtrack.settings import DecodeSettings
from headtrack.video.decode import decode
from headtrack.video.probe import probe
from headtrack.video.thumbnails import thumbnails

CARPHONE = "carphone"  # comes with a package; everything else lies in `clips/`
# First and last + 1 frame of takes without a cut in them.
TUNING = {
    "stage.mp4": ((20, 82), (82, 211), (211, 275)),
    "plaza.avi": ((0, 150),),
    CARPHONE: ((0, 120),),
}
HELD_OUT = {
    "ship.mp4": ((0, 58), (58, 211), (211, 361)),
    "silent.mp4": ((0, 150),),
    "corridor.mp4": ((100, 250),),
}
WIDTH, HEIGHT = 384, 216  # eight thumbnails wide and high: room for crops and pans

CUT, LIKE_CUT, DISSOLVE, WIPE, FADE_BLACK, FADE_WHITE = TRANSITIONS = (
    "cut", "like cut", "dissolve", "wipe", "fade black", "fade white",
)  # fmt: skip
FLASH, WHIP_PAN, HAND_HELD = DISTURBANCES = ("flash", "whip pan", "hand-held")
MIN_MIXED, MAX_MIXED = 5, 30  # frames of a gradual transition
TAIL_FRAMES = (35, 60)  # undisturbed frames of a shot around what happens in it


@dataclass(frozen=True)
class Event:
    """A transition or a disturbance: half-open frames that it touches, for a cut the first new one."""

    kind: str
    begin: int
    end: int


@dataclass(frozen=True)
class GeneratedClip:
    """Thumbnails (N, 27, 48, 3) uint8, and what happens in them."""

    thumbnails: np.ndarray
    events: tuple[Event, ...]

    @property
    def transitions(self) -> list[Event]:
        """Give what must be found."""
        return [e for e in self.events if e.kind in TRANSITIONS]


@dataclass(frozen=True)
class Window:
    """The part of a frame that is shown: centre and size in shares of the frame."""

    x: float
    y: float
    size: float


def read_takes(plan: dict[str, tuple[tuple[int, int], ...]], data: Path) -> list[np.ndarray]:
    """Decode the takes of a plan as (N, 216, 384, 3) uint8; clips that are not there are left out."""
    takes = []
    for name, ranges in plan.items():
        path = weights_path(CARPHONE) if name == CARPHONE else data / "clips" / name
        if not path.is_file():
            continue
        last = max(end for _, end in ranges)
        frames = np.stack([small for _, small in zip(range(last), _frames(path), strict=False)])
        takes += [frames[begin:end] for begin, end in ranges]
    return takes


def _frames(path: Path) -> Iterator[np.ndarray]:
    settings = DecodeSettings()
    for batch in decode(probe(path, settings), settings):
        for rgb in batch.rgb:
            yield cv2.resize(rgb, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)


def generate(takes: list[np.ndarray], *, seed: int) -> GeneratedClip:
    """Cut shots together: each transition and each disturbance once, in random order and place."""
    rng = np.random.default_rng(seed)
    joins = [str(kind) for kind in rng.permutation(TRANSITIONS)]
    inside = [str(kind) for kind in rng.permutation([*DISTURBANCES, *[""] * 4])]
    frames, events, take = [], [], -1
    for k, what in enumerate(inside):
        like = k > 0 and joins[k - 1] == LIKE_CUT
        take = take if like else int(rng.choice([i for i in range(len(takes)) if i != take]))
        shot, event = _shot(takes[take], what, rng, punched_in=like)
        if k:
            frames, event_of_join, shift = _join(frames, shot, joins[k - 1], rng)
            events.append(event_of_join)
        else:
            frames, shift = shot, 0
        if event is not None:
            events.append(replace(event, begin=event.begin + shift, end=event.end + shift))
    return GeneratedClip(thumbnails(np.stack(frames)), tuple(events))


def _shot(
    take: np.ndarray, what: str, rng: np.random.Generator, *, punched_in: bool
) -> tuple[list[np.ndarray], Event | None]:
    """Give the frames of one shot and what happens in its middle."""
    before, after = rng.integers(*TAIL_FRAMES, 2)
    middle = {FLASH: rng.integers(1, 4), WHIP_PAN: rng.integers(5, 15), HAND_HELD: 60}.get(what, 0)
    count = int(before + middle + after)
    index = np.arange(count) + rng.integers(max(len(take) - count, 0) + 1)
    index = np.abs((index + len(take) - 1) % max(2 * len(take) - 2, 1) - (len(take) - 1))  # there and back
    begin, end = int(before), int(before + middle)
    size = 0.45 if what == WHIP_PAN or punched_in else rng.uniform(0.75, 1)
    x, y = rng.uniform(size / 2, 1 - size / 2, 2)
    path = [Window(x, y, size)] * count
    blur = 1
    if what == WHIP_PAN:
        left, right = (size / 2, 1 - size / 2) if rng.random() < 0.5 else (1 - size / 2, size / 2)
        right = left + (right - left) * rng.uniform(0.7, 1)
        at = np.clip((np.arange(count) - begin) / middle, 0, 1)
        eased = at * at * (3 - 2 * at)
        path = [Window(left + (right - left) * e, y, size) for e in eased]
        blur = 6
    elif what == HAND_HELD:
        size = 0.7
        path = [Window(0.5 + dx, 0.5 + dy, size * (1 + dz)) for dx, dy, dz in _shake(count, rng)]
        begin, end = 0, count
    frames = [
        _view(take[i], path[k], path[min(k + 1, count - 1)], exposures=blur) for k, i in enumerate(index)
    ]
    if what == FLASH:
        strength = rng.uniform(0.5, 1) * np.linspace(1, rng.uniform(0.4, 1), middle)
        for k, share in zip(range(begin, end), strength, strict=True):
            lit = frames[k].astype(np.float32) * (1 + share)
            frames[k] = np.clip(lit + share * (255 - lit) * 0.6, 0, 255).astype(np.uint8)
    return frames, Event(what, begin, end) if what else None


def _shake(count: int, rng: np.random.Generator) -> np.ndarray:
    """Give (count, 3) of a held camera's wandering and shaking, in shares of the frame."""
    tremble, wander = rng.normal(0, 1, (2, count, 3))
    for k in range(1, count):
        tremble[k] = 0.6 * tremble[k - 1] + 0.8 * tremble[k]
        wander[k] = 0.97 * wander[k - 1] + 0.24 * wander[k]
    return np.clip(0.006 * tremble + 0.06 * wander, -0.14, 0.14) * [1, 1, 0.5]


def _view(frame: np.ndarray, start: Window, stop: Window, *, exposures: int) -> np.ndarray:
    """Show a window of a frame, blurred along its way to the next."""
    out = np.zeros((HEIGHT // 2, WIDTH // 2, 3), np.float32)
    for share in np.arange(exposures) / exposures:
        x, y, size = (
            a + share * (b - a) for a, b in zip(_values(start), _values(stop), strict=True)
        )  # the shutter is open all the time
        left, top = (x - size / 2) * WIDTH, (y - size / 2) * HEIGHT
        matrix = np.array([[2 * size, 0, left], [0, 2 * size, top]])
        out += cv2.warpAffine(
            frame, matrix, (WIDTH // 2, HEIGHT // 2), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )  # fmt: skip
    return (out / exposures).round().astype(np.uint8)


def _values(window: Window) -> tuple[float, float, float]:
    return window.x, window.y, window.size


def _join(
    frames: list[np.ndarray], shot: list[np.ndarray], kind: str, rng: np.random.Generator
) -> tuple[list[np.ndarray], Event, int]:
    """Put a shot behind the frames so far; give all, the transition, and the shot's first frame."""
    if kind in (CUT, LIKE_CUT):
        return frames + shot, Event(kind, len(frames), len(frames) + 1), len(frames)
    n = int(rng.integers(MIN_MIXED, min(MAX_MIXED, len(shot) - 1, len(frames) - 1) + 1))
    old, new = (np.stack(part).astype(np.float32) for part in (frames[-n:], shot[:n]))
    weight = (np.arange(1, n + 1) / (n + 1)).astype(np.float32)[:, None, None, None]  # of the new shot
    if kind == DISSOLVE:
        mixed = old * (1 - weight) + new * weight
    elif kind == WIPE:
        place = np.linspace(0, 1, old.shape[2], dtype=np.float32)[None, None, :, None]
        if rng.random() < 0.5:
            place = np.linspace(0, 1, old.shape[1], dtype=np.float32)[None, :, None, None]
        place = place if rng.random() < 0.5 else 1 - place
        shown = np.clip((weight - place) / 0.02 + 0.5, 0, 1)
        mixed = old * (1 - shown) + new * shown
    else:
        level = 0.0 if kind == FADE_BLACK else 255.0
        colour = np.abs(1 - 2 * weight)  # 1: the picture; 0: the level
        mixed = np.where(weight < 0.5, old, new) * colour + level * (1 - colour)
    begin = len(frames) - n
    joined = frames[:begin] + list(mixed.round().astype(np.uint8)) + shot[n:]
    return joined, Event(kind, begin, begin + n), begin
