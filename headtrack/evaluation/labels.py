"""The truth: labelled heads, cuts, and people who occur in several media."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.errors import DatasetError
from headtrack.evaluation.csv_rows import CsvRow, read_csv
from headtrack.evaluation.protocol import SLIDE_FRAMES, SLIDES_CLIP
from headtrack.types.arrays import as_array
from headtrack.types.views import VIEW_NAMES

HEAD_COLUMNS = ("clip", "frame", "person", "x1", "y1", "x2", "y2", "view", "appearance", "ignore")
SHOT_COLUMNS = ("clip", "shot", "first_frame", "last_frame")
CROSS_MEDIA_COLUMNS = ("identity", "media", "person_in_media")
SLIDE_COLUMNS = ("image", "scene", "still", "persons")
# A frame without any head is labelled by a row of this person.
NOBODY = "NONE"
# The one person in a still.
ONLY = "only"
LABEL_VIEWS = (*VIEW_NAMES, "top", "")


@dataclass(frozen=True, slots=True)
class HeadLabels:
    """Labelled heads of one clip.

    Attributes:
        frame: (N,) int64 of each scored head.
        xyxy: (N, 4) float64 px.
        person: (N,) str.
        view: (N,) str, empty where not given.
        ignore_frame: (I,) int64 of each region that is not scored.
        ignore_xyxy: (I, 4) float64 px.
        labelled_frame: (F,) int64 every labelled frame once; one may hold no head at all.
    """

    frame: npt.NDArray[np.int64]
    xyxy: npt.NDArray[np.float64]
    person: npt.NDArray[np.str_]
    view: npt.NDArray[np.str_]
    ignore_frame: npt.NDArray[np.int64]
    ignore_xyxy: npt.NDArray[np.float64]
    labelled_frame: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        n, i = len(self.frame), len(self.ignore_frame)
        for name, dtype, shape in (
            ("frame", np.int64, (n,)),
            ("xyxy", np.float64, (n, 4)),
            ("person", np.str_, (n,)),
            ("view", np.str_, (n,)),
            ("ignore_frame", np.int64, (i,)),
            ("ignore_xyxy", np.float64, (i, 4)),
            ("labelled_frame", np.int64, (None,)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.frame)


@dataclass(frozen=True, slots=True)
class CutLabels:
    """Cuts of one clip.

    Attributes:
        cut: (C,) int64 first frame of each shot but the first.
        still_change: (S,) int64 frames inside a shot where one still gives way to another.
    """

    cut: npt.NDArray[np.int64]
    still_change: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in ("cut", "still_change"):
            object.__setattr__(self, name, as_array(name, getattr(self, name), np.int64, (None,)))


@dataclass(frozen=True, slots=True)
class Sighting:
    """One person in one medium.

    Attributes:
        identity: name over all media.
        media: path in the data folder, as `clips/a.mp4` or `stills/b.png`.
        person: name in that clip; `only` in a still.
    """

    identity: str
    media: str
    person: str


@dataclass(frozen=True, slots=True)
class Labels:
    """All that is known about a data folder.

    Attributes:
        heads: by clip.
        cuts: by clip.
        sightings: of people who occur in several media.
    """

    heads: dict[str, HeadLabels]
    cuts: dict[str, CutLabels]
    sightings: tuple[Sighting, ...]

    @property
    def media(self) -> list[str]:
        """Every file the labels speak of, as a path in the data folder, sorted."""
        clips = {clip_media(clip) for clip in (*self.heads, *self.cuts)}
        return sorted(clips | {sighting.media for sighting in self.sightings})


def clip_media(clip: str) -> str:
    """Give a clip's path in the data folder."""
    return f"clips/{clip}"


def read_labels(data_dir: Path) -> Labels:
    """Read `labels/` of a data folder.

    `heads.csv` and `shots.csv` must be there; `cross_media.csv` and `spy_stills.csv` may be.

    Raises:
        DatasetError: a file or a clip is missing, or a row is malformed (file and line are named).
    """
    folder = data_dir / "labels"
    if not folder.is_dir():
        raise DatasetError(
            f"{data_dir} has no folder `labels`; give --data a folder with labels/, clips/ and stills/"
        )
    cuts = _read_cuts(folder / "shots.csv")
    if (data_dir / clip_media(SLIDES_CLIP)).is_file() and (folder / "spy_stills.csv").is_file():
        cuts.setdefault(SLIDES_CLIP, _read_slides(folder / "spy_stills.csv"))
    labels = Labels(_read_heads(folder / "heads.csv"), cuts, _read_sightings(folder / "cross_media.csv"))
    for media in labels.media:
        if not (data_dir / media).is_file():
            raise DatasetError(f"{data_dir / media} is missing, but {folder} has labels for it; add the file")
    return labels


def _read_heads(path: Path) -> dict[str, HeadLabels]:
    by_clip: dict[str, list[CsvRow]] = defaultdict(list)
    seen: set[tuple[str, int, str]] = set()
    for row in read_csv(path, HEAD_COLUMNS):
        _check_head(row)
        key = (row.text("clip"), row.whole("frame"), row.text("person"))
        if key in seen and not _is_ignored(row):
            raise row.error(f"{key[2]} is labelled twice in frame {key[1]} of {key[0]}; keep one box")
        seen.add(key)
        by_clip[key[0]].append(row)
    return {clip: _clip_heads(rows) for clip, rows in sorted(by_clip.items())}


def _check_head(row: CsvRow) -> None:
    row.choice("view", LABEL_VIEWS)
    row.choice("ignore", ("0", "1"))
    x1, y1, x2, y2 = _box(row)
    if row.text("person") == NOBODY:
        if not _is_ignored(row):
            raise row.error(f"person {NOBODY} marks a frame without heads; its ignore must be 1")
    elif not (x1 < x2 and y1 < y2):
        raise row.error(f"the box must have x1 < x2 and y1 < y2, got {x1:g},{y1:g},{x2:g},{y2:g}")


def _clip_heads(rows: list[CsvRow]) -> HeadLabels:
    heads = [row for row in rows if not _is_ignored(row)]
    ignored = [row for row in rows if _is_ignored(row) and row.text("person") != NOBODY]
    return HeadLabels(
        frame=np.array([row.whole("frame") for row in heads]),
        xyxy=np.array([_box(row) for row in heads]).reshape(-1, 4),
        person=np.array([row.text("person") for row in heads]),
        view=np.array([row.values["view"].strip() for row in heads]),
        ignore_frame=np.array([row.whole("frame") for row in ignored]),
        ignore_xyxy=np.array([_box(row) for row in ignored]).reshape(-1, 4),
        labelled_frame=np.unique([row.whole("frame") for row in rows]),
    )


def _is_ignored(row: CsvRow) -> bool:
    return row.values["ignore"].strip() == "1"


def _box(row: CsvRow) -> list[float]:
    return [row.number(column) for column in ("x1", "y1", "x2", "y2")]


def _read_cuts(path: Path) -> dict[str, CutLabels]:
    cuts: dict[str, list[int]] = defaultdict(list)
    next_frame: dict[str, int] = {}
    for row in read_csv(path, SHOT_COLUMNS):
        clip, first, last = row.text("clip"), row.whole("first_frame"), row.whole("last_frame")
        expected = next_frame.get(clip, 0)
        if first != expected or last < first:
            raise row.error(
                f"shots of {clip} must follow one another from frame 0; expected first_frame {expected} "
                f"and a last_frame from there on, got {first} to {last}"
            )
        if clip in next_frame:
            cuts[clip].append(first)
        next_frame[clip] = last + 1
    return {clip: CutLabels(np.array(cuts[clip], np.int64), np.zeros(0, np.int64)) for clip in next_frame}


def _read_slides(path: Path) -> CutLabels:
    scenes = [row.text("scene") for row in read_csv(path, SLIDE_COLUMNS)]
    starts = np.arange(len(scenes)) * SLIDE_FRAMES
    new_scene = np.array([a != b for a, b in zip([*scenes[:1], *scenes], scenes, strict=False)], bool)
    return CutLabels(starts[new_scene], starts[1:][~new_scene[1:]])


def _read_sightings(path: Path) -> tuple[Sighting, ...]:
    if not path.is_file():
        return ()
    rows = read_csv(path, CROSS_MEDIA_COLUMNS)
    return tuple(Sighting(*(row.text(column) for column in CROSS_MEDIA_COLUMNS)) for row in rows)
