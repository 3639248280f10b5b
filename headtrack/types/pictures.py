"""Pictures with labelled heads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """One picture of a YOLO folder and its heads; the pixels stay in the file.

    Attributes:
        name: path below `images/`, without suffix.
        path: of the picture.
        label_path: of its labels.
        xywh: (N, 4) float64 in 0..1: the box's middle, width and height in shares of the picture's
            width and height.
    """

    name: str
    path: Path
    label_path: Path
    xywh: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "xywh", as_array("xywh", self.xywh, np.float64, (None, 4)))

    def boxes_px(self, width: int, height: int) -> npt.NDArray[np.float64]:
        """Give (N, 4) boxes as x1, y1, x2, y2 in pixels of a picture of this size."""
        middle, half = self.xywh[:, :2], self.xywh[:, 2:] / 2
        return np.concatenate([middle - half, middle + half], axis=1) * ([width, height] * 2)
