"""Real photographs of people that installed packages carry, and the test material's stills."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import ultralytics
from skimage import data

DATA = Path(os.environ.get("HEADTRACK_DATA", Path(__file__).parents[3] / "shared" / "data"))


def astronaut() -> npt.NDArray[np.uint8]:
    return data.astronaut()


def zidane() -> npt.NDArray[np.uint8]:
    return read(Path(ultralytics.__file__).parent / "assets" / "zidane.jpg")


def bus() -> npt.NDArray[np.uint8]:
    return read(Path(ultralytics.__file__).parent / "assets" / "bus.jpg")


def people(count: int) -> list[npt.NDArray[np.uint8]]:
    """Stills of the test material; none where it is not there."""
    return [read(path) for path in sorted((DATA / "stills" / "people").glob("*.jpg"))[:count]]


def read(path: Path) -> npt.NDArray[np.uint8]:
    image = cv2.imread(str(path))
    assert image is not None, path
    return np.ascontiguousarray(image[:, :, ::-1])
