"""The folder that ultralytics works in: links to the pictures, copies of the labels, nothing else's."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from headtrack.training.split import Split
from headtrack.types.pictures import LabelledPicture

TRAIN, HELD_OUT = "train", "val"  # as ultralytics calls them


def lay_out(split: Split, folder: Path) -> Path:
    """Lay the pictures out as ultralytics wants them; it writes caches beside the labels, so not in place.

    Args:
        split: the pictures.
        folder: emptied and made anew.

    Returns:
        The `data.yaml` that names both parts.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for part, pictures in ((TRAIN, split.train), (HELD_OUT, split.held_out)):
        _link(pictures, folder / "images" / part, folder / "labels" / part)
    listing = folder / "data.yaml"
    listing.write_text(
        f"path: {_quoted(folder.absolute())}\ntrain: images/{TRAIN}\nval: images/{HELD_OUT}\nnames: [head]\n"
    )
    return listing


def _link(pictures: Iterable[LabelledPicture], images: Path, labels: Path) -> None:
    for picture in pictures:
        image = images / f"{picture.name}{picture.path.suffix}"
        label = labels / f"{picture.name}.txt"
        for path in (image, label):
            path.parent.mkdir(parents=True, exist_ok=True)
        image.symlink_to(picture.path.absolute())
        shutil.copyfile(picture.label_path, label)


def _quoted(path: Path) -> str:
    """Write a path as a YAML string."""
    return "'" + str(path).replace("'", "''") + "'"
