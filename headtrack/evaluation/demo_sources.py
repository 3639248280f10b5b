"""What the demo clip is made of: its photographs, the heads in them, and the plan of its shots.

All boxes were drawn by eye, hair top to chin, in pixels of the source. People are named by what
one sees of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

PASSENGER = "passenger"
# Sample aspect ratio of the footage, width to height of one of its pixels.
PASSENGER_PIXEL_ASPECT = 128 / 117


class Window(NamedTuple):
    """A part of a source, in its pixels."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Still:
    """One photograph inside an installed package, and the head boxes in it."""

    distribution: str
    package: str
    file: str
    heads: dict[str, tuple[float, float, float, float]]


@dataclass(frozen=True, slots=True)
class ShotPlan:
    """One shot: a window that moves over a source.

    Attributes:
        source: a key of `STILLS`, or `PASSENGER`.
        frames: length.
        start: left, top and width of the first window, in source pixels.
        stop: the same of the last window.
        first: first frame of the footage.
    """

    source: str
    frames: int
    start: tuple[float, float, float]
    stop: tuple[float, float, float]
    first: int = 0


_ULTRALYTICS = ("ultralytics-opencv-headless", "ultralytics")
_SKIMAGE = ("scikit-image", "skimage")

STILLS: dict[str, Still] = {
    "portrait": Still(*_SKIMAGE, "data/astronaut.png", {"astronaut": (155, 16, 300, 179)}),
    "street": Still(
        *_ULTRALYTICS, "assets/bus.jpg", {"fleece": (103, 398, 158, 471), "dark coat": (263, 407, 308, 471)}
    ),
    "touchline": Still(
        *_ULTRALYTICS, "assets/zidane.jpg", {"bald": (480, 203, 664, 453), "grey": (893, 42, 1072, 290)}
    ),
    "coffee": Still(*_SKIMAGE, "data/coffee.png", {}),
}

# Frame of the footage -> head box; linear between them.
PASSENGER_BOXES: dict[int, tuple[float, float, float, float]] = {
    0: (60, 13, 114, 98),
    10: (54, 13, 110, 98),
    20: (60, 13, 113, 98),
    30: (53, 14, 109, 100),
    40: (44, 16, 103, 104),
    50: (47, 15, 105, 103),
    60: (49, 11, 106, 101),
    70: (46, 4, 107, 99),
    80: (31, 7, 96, 97),
    90: (23, 17, 86, 101),
    100: (29, 16, 89, 100),
    119: (39, 9, 98, 100),
}

SHOT_PLANS: tuple[ShotPlan, ...] = (
    ShotPlan("portrait", 75, (70, 0, 340), (0, 0, 512)),
    ShotPlan("street", 75, (10, 340, 480), (60, 350, 420)),
    ShotPlan(PASSENGER, 60, (0, 2, 172), (4, 1, 168), first=0),
    ShotPlan("touchline", 75, (0, 0, 1280), (160, 0, 1000)),
    ShotPlan("coffee", 50, (0, 20, 600), (60, 60, 450)),
    ShotPlan("street", 60, (40, 375, 210), (30, 385, 190)),
    ShotPlan("portrait", 60, (0, 8, 420), (92, 0, 420)),
    ShotPlan("touchline", 60, (720, 0, 540), (700, 0, 560)),
    ShotPlan(PASSENGER, 60, (2, 1, 170), (0, 0, 174), first=60),
    ShotPlan("street", 60, (200, 375, 200), (215, 380, 185)),
    ShotPlan("touchline", 60, (320, 180, 540), (300, 165, 560)),
)
