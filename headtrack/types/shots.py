"""Shots: the stretches of frames between two transitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array


@dataclass(frozen=True, slots=True)
class Shots:
    """Shots of one video, in order; together they cover every frame once.

    Attributes:
        start: (S,) int32 first frame.
        stop: (S,) int32 one past the last frame.
        p_cut: (S,) float32 probability of the transition that opens the shot; 1 for the first.
    """

    start: npt.NDArray[np.int32]
    stop: npt.NDArray[np.int32]
    p_cut: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.start)
        object.__setattr__(self, "start", as_array("start", self.start, np.int32, (n,)))
        object.__setattr__(self, "stop", as_array("stop", self.stop, np.int32, (n,)))
        object.__setattr__(self, "p_cut", as_array("p_cut", self.p_cut, np.float32, (n,)))
        if np.any(self.stop <= self.start) or np.any(self.start[1:] != self.stop[:-1]):
            raise ValueError("shots must be non-empty and follow one another without a gap")

    def __len__(self) -> int:
        return len(self.start)

    def of_frame(self, frame: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Give the shot number of each frame, by the shots' starts."""
        return (np.searchsorted(self.start, np.asarray(frame), side="right") - 1).astype(np.int32)
