"""Who each track of a gallery is, and where it is best looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array, select


@dataclass(frozen=True, slots=True)
class Sightings:
    """One row a track, aligned with a `TrackGallery`.

    Attributes:
        person: (M,) str id; empty where the track was not clustered yet.
        name: (M,) str that a user gave to the person; empty where nobody did.
        appearance: (M,) str id of the look; empty where the track was not clustered yet.
        video: (M,) str path.
        time_s: (M,) float64 of the moment at which the track is best looked at.
        xy: (M, 2) float64 px, middle of the head at that moment.
        shown_s: (M,) float64 seconds on screen; 0 in a still.
    """

    person: npt.NDArray[np.str_]
    name: npt.NDArray[np.str_]
    appearance: npt.NDArray[np.str_]
    video: npt.NDArray[np.str_]
    time_s: npt.NDArray[np.float64]
    xy: npt.NDArray[np.float64]
    shown_s: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = len(self.person)
        for name, dtype, shape in (
            ("person", np.str_, (n,)),
            ("name", np.str_, (n,)),
            ("appearance", np.str_, (n,)),
            ("video", np.str_, (n,)),
            ("time_s", np.float64, (n,)),
            ("xy", np.float64, (n, 2)),
            ("shown_s", np.float64, (n,)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.person)

    def __getitem__(self, index: Any) -> Sightings:
        return select(self, index)
