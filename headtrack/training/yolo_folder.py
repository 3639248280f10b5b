"""Reads pictures with labelled heads in YOLO format, and says which line is wrong."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from headtrack.errors import DatasetError
from headtrack.types.pictures import LabelledPicture

IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")
COLUMNS = "class x_middle y_middle width height"
HEAD = 0  # the one class
# A share that a program rounded may lie this far outside the picture.
ROUNDING = 1e-3


def read_yolo_folder(data: Path) -> list[LabelledPicture]:
    """Read a folder with `images/` and `labels/`, which may have folders in them alike.

    Each picture `images/NAME.jpg` has its labels in `labels/NAME.txt`: a line a head, class 0, then
    the box in shares of the picture; an empty file where it shows no head.

    Args:
        data: the folder.

    Returns:
        The pictures, sorted by name.

    Raises:
        DatasetError: the folder holds no pictures, a label file is missing, or a line is malformed.
    """
    if not data.is_dir():
        what = "is a file" if data.exists() else "does not exist"
        raise DatasetError(f"{data} {what}; give --data a folder with images/ and labels/ in YOLO format")
    images, labels = data / "images", data / "labels"
    for folder in (images, labels):
        if not folder.is_dir():
            raise DatasetError(
                f"{data} has no folder `{folder.name}`; give --data a folder with images/ and labels/ in "
                "YOLO format"
            )
    paths = sorted(p for p in images.rglob("*") if p.suffix.lower() in IMAGE_SUFFIXES and p.is_file())
    if not paths:
        raise DatasetError(f"{images} holds no picture ({', '.join(IMAGE_SUFFIXES)})")
    pictures: dict[str, LabelledPicture] = {}
    for path in paths:
        relative = path.relative_to(images)
        name = relative.with_suffix("").as_posix()
        if name in pictures:
            raise DatasetError(
                f"{path} and {pictures[name].path.name} would share one label file; rename one of them"
            )
        label_path = (labels / relative).with_suffix(".txt")
        pictures[name] = LabelledPicture(name, path, label_path, read_boxes(label_path))
    return [pictures[name] for name in sorted(pictures)]


def read_boxes(path: Path) -> np.ndarray:
    """Read one label file.

    Returns:
        (N, 4) float64, see `LabelledPicture.xywh`.

    Raises:
        DatasetError: the file is missing or a line is malformed (the line is named).
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise DatasetError(
            f"{path} is missing; add it, empty where the picture of that name shows no head"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as text: {error}") from error
    rows = [_box(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    return np.array(rows, np.float64).reshape(-1, 4)


def _box(path: Path, number: int, line: str) -> list[float]:
    def wrong(problem: str) -> DatasetError:
        return DatasetError(f"{path}, line {number}: {problem}")

    words = line.split()
    try:
        values = [float(word) for word in words]
    except ValueError as error:
        raise wrong(f"expected numbers `{COLUMNS}`, got {line.strip()!r}") from error
    if len(values) != len(COLUMNS.split()):
        raise wrong(f"expected 5 numbers `{COLUMNS}`, got {len(values)}")
    if values[0] != HEAD:
        raise wrong(f"class {words[0]}; there is one class, 0, the head: leave the others out")
    x, y, width, height = box = values[1:]
    if not all(map(math.isfinite, box)):
        raise wrong(f"expected finite numbers `{COLUMNS}`, got {line.strip()!r}")
    if width <= 0 or height <= 0:
        raise wrong(f"a box needs a width and a height above 0, got {width:g} and {height:g}")
    edges = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    if min(edges) < -ROUNDING or max(edges) > 1 + ROUNDING:
        raise wrong(f"the box leaves the picture; give shares of its width and height, got {' '.join(words)}")
    return box
