"""Labelled stills as faces in video look: what the fits of `benchmarks/` are made from."""

from __future__ import annotations

import csv
from pathlib import Path

import cv2
import numpy as np

ORL_A_PERSON = 5  # of its ten faces, so that it does not outvote the colour photographs
SHRUNK_PX = (10, 14, 18, 24, 32, 48)  # face widths
JPEG_QUALITY = 40
BLURRED = (0.03, 0.06, 0.1, 0.15)  # sigma, in face widths
DARKENED, NOISE_LEVELS = 0.15, 4.0  # share of the light that is left, and the noise on it
SMEARED_PX, SMEARED_FACE_PX = 15, 48  # a motion blur of 15 px across a face of 48


def labelled_stills(data: Path, *, orl_a_person: int = ORL_A_PERSON) -> list[tuple[Path, str]]:
    """List (image, person) of every still that shows one labelled person."""
    stills = [
        (p, f"orl/{folder.name}")
        for folder in sorted(data.glob("stills/orl/*/"))
        for p in sorted(folder.glob("*.pgm"))[:orl_a_person]
    ]
    with (data / "labels/people.csv").open() as rows:
        stills += [(data / row["image"], f"people/{row['identity']}") for row in csv.DictReader(rows)]
    stills += [(p, f"gallery/{p.stem.split('_')[1]}") for p in sorted(data.glob("stills/gallery/*"))]
    return stills


def shown(rgb: np.ndarray, face_px: float) -> list[np.ndarray]:
    """Give a picture as it is and degraded in each way.

    Args:
        rgb: (H, W, 3) uint8.
        face_px: width of its face.
    """
    small = [_shrunk(rgb, px / face_px) for px in SHRUNK_PX if px < face_px]
    blurred = [cv2.GaussianBlur(rgb, (0, 0), share * face_px) for share in BLURRED]
    middle = _shrunk(rgb, SMEARED_FACE_PX / face_px)
    noise = np.random.default_rng(0).normal(0, NOISE_LEVELS, middle.shape)
    dark = np.clip(middle * DARKENED + noise, 0, 255).astype(np.uint8)
    line = np.zeros((SMEARED_PX, SMEARED_PX), np.float32)
    line[SMEARED_PX // 2] = 1 / SMEARED_PX
    return [rgb, *small, *map(_compressed, small), *blurred, dark, cv2.filter2D(middle, -1, line)]


def _shrunk(rgb: np.ndarray, scale: float) -> np.ndarray:
    return np.asarray(cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))


def _compressed(rgb: np.ndarray) -> np.ndarray:
    _, data = cv2.imencode(".jpg", rgb, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))
