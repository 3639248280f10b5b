"""What the main job found, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array, select


@dataclass(frozen=True, slots=True)
class FoundHeads:
    """Heads found in one file, as the view `head_by_frame` gives them.

    Attributes:
        frame: (N,) int64.
        xyxy: (N, 4) float64 px.
        score: (N,) float64.
        view: (N,) str.
        track: (N,) int64.
        person: (N,) str, empty where there is none.
        appearance: (N,) str look of that person, empty where there is none.
        tracklet: (N,) int64.
    """

    frame: npt.NDArray[np.int64]
    xyxy: npt.NDArray[np.float64]
    score: npt.NDArray[np.float64]
    view: npt.NDArray[np.str_]
    track: npt.NDArray[np.int64]
    person: npt.NDArray[np.str_]
    appearance: npt.NDArray[np.str_]
    tracklet: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        n = len(self.frame)
        for name, dtype, shape in (
            ("frame", np.int64, (n,)),
            ("xyxy", np.float64, (n, 4)),
            ("score", np.float64, (n,)),
            ("view", np.str_, (n,)),
            ("track", np.int64, (n,)),
            ("person", np.str_, (n,)),
            ("appearance", np.str_, (n,)),
            ("tracklet", np.int64, (n,)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, index: Any) -> FoundHeads:
        return select(self, index)

    @property
    def largest(self) -> FoundHeads:
        """The one head with the largest box; none where there is none."""
        sides = self.xyxy[:, 2:] - self.xyxy[:, :2]
        return self[np.argsort(-sides[:, 0] * sides[:, 1], kind="stable")[:1]]

    @staticmethod
    def empty() -> FoundHeads:
        """Give no heads."""
        number, word = np.zeros(0, np.int64), np.zeros(0, np.str_)
        return FoundHeads(number, np.zeros((0, 4)), np.zeros(0), word, number, word, word, number)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one file.

    Attributes:
        heads: in any order.
        cut: (C,) int64 first frame of each shot but the first.
    """

    heads: FoundHeads
    cut: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cut", as_array("cut", self.cut, np.int64, (None,)))


NOTHING = Found(FoundHeads.empty(), np.zeros(0, np.int64))
