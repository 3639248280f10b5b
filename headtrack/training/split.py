"""Which labelled pictures are learnt from and which are kept to measure with."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from headtrack.types.pictures import LabelledPicture

HELD_OUT_PARTS = 5  # one part in so many is held out
RULE = f"held out where crc32(file name without suffix) % {HELD_OUT_PARTS} == 0"


@dataclass(frozen=True, slots=True)
class Split:
    """Labelled pictures in two parts.

    Attributes:
        train: learnt from.
        held_out: measured with.
    """

    train: tuple[LabelledPicture, ...]
    held_out: tuple[LabelledPicture, ...]


def split_pictures(pictures: Iterable[LabelledPicture], together: Sequence[str] = ()) -> Split:
    """Hold out a fifth of the pictures, chosen by a hash of their names: the same ones ever again.

    Args:
        pictures: all.
        together: shell patterns of file names without suffix; pictures that match one are never held
            out. For frames of one fixed camera, which are too alike to be on both sides.
    """
    parts: dict[bool, list[LabelledPicture]] = {True: [], False: []}
    for picture in pictures:
        parts[is_held_out(picture.path.stem, together)].append(picture)
    return Split(tuple(parts[False]), tuple(parts[True]))


def is_held_out(stem: str, together: Sequence[str] = ()) -> bool:
    """Say whether a picture is held out.

    >>> is_held_out("a"), is_held_out("PartA_1", ["PartA_*"])
    (False, False)
    """
    if any(fnmatchcase(stem, pattern) for pattern in together):
        return False
    return zlib.crc32(stem.encode()) % HELD_OUT_PARTS == 0
