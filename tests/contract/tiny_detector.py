"""Detectors of heads to test with: one trained on a few photographs, and one that a user wrote."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from headtrack.models.head_detector import PoseFaceDetector
from headtrack.settings import DetectSettings, TrainSettings
from headtrack.training.detector import TrainedDetector, train_detector
from headtrack.training.split import is_held_out
from headtrack.types import FrameBatch
from tests.contract.photographs import astronaut, bus, zidane

PAGE = Path(__file__).resolve().parents[2] / "docs" / "detectors.md"
# Enough to find the heads of the very pictures that it learns from.
TINY = TrainSettings(epochs=20, image_px=160, batch=8, learning_rate=0.003)


def write_photographs(folder: Path, *, train: int, held_out: int) -> Path:
    """Write photographs, mirrored and cropped, with the heads that the built-in networks find in them."""
    detector = PoseFaceDetector(DetectSettings(min_score=0.5), device="cpu", threads=1)
    (folder / "images").mkdir(parents=True)
    (folder / "labels").mkdir()
    left = {False: train, True: held_out}
    number = 0
    while any(left.values()):
        stem = f"photograph{number}"
        number += 1
        part = is_held_out(stem)
        if not left[part]:
            continue
        left[part] -= 1
        rgb = _variant(number)
        heads = detector.detect(FrameBatch(rgb[None], [0], [0.0])).xyxy / np.tile(rgb.shape[1::-1], 2)
        rows = [
            f"0 {(x1 + x2) / 2:.6f} {(y1 + y2) / 2:.6f} {x2 - x1:.6f} {y2 - y1:.6f}\n"
            for x1, y1, x2, y2 in heads
        ]
        cv2.imwrite(str(folder / "images" / f"{stem}.jpg"), rgb[..., ::-1])
        (folder / "labels" / f"{stem}.txt").write_text("".join(rows))
    return folder


def train_tiny(data: Path, out: Path) -> TrainedDetector:
    return train_detector(data, out, TINY, device="cpu")


def written_by_hand() -> str:
    """Give the Python file that docs/detectors.md shows, so that the page is known to be right."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return code


def _variant(number: int) -> npt.NDArray[np.uint8]:
    """Give a photograph, or at times a blank picture: it must be learnt that there is no head in one."""
    if number % 4 == 0:
        return np.full((240, 320, 3), (number - 4) * 16 % 256, np.uint8)
    rgb = (astronaut, zidane, bus)[number % 3]()
    if number % 2:
        rgb = rgb[:, ::-1]
    height, width = rgb.shape[:2]
    left, top = (number * 7 % 40, number * 3 % 40)
    return np.ascontiguousarray(rgb[top : height - top // 2, left : width - left // 2])
