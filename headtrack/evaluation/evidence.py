"""What the main job knew when it linked and clustered: faces and looks of tracks, scores of links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.ops.face_evidence import FACE_SCALES, FaceScale
from headtrack.settings import IDENTITY_MODELS
from headtrack.store.database import open_reader
from headtrack.store.gallery import load_gallery
from headtrack.store.measure import gallery_rows, link_rows
from headtrack.types import TrackGallery
from headtrack.types.arrays import as_array

NO_ROW = -1
DEFAULT_SCALE = FACE_SCALES[IDENTITY_MODELS[0]]


@dataclass(frozen=True, slots=True)
class FoundLinks:
    """The tracklets of one file and how each joined the earlier part of its track.

    Attributes:
        tracklet: (T,) int64 number.
        track: (T,) int64.
        reason: (T,) str, `start` for the first of a track.
        score: (T,) float64 in 0..1.
    """

    tracklet: npt.NDArray[np.int64]
    track: npt.NDArray[np.int64]
    reason: npt.NDArray[np.str_]
    score: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = len(self.tracklet)
        for name, dtype in (
            ("tracklet", np.int64),
            ("track", np.int64),
            ("reason", np.str_),
            ("score", np.float64),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, (n,)))

    def __len__(self) -> int:
        return len(self.tracklet)

    @staticmethod
    def none() -> FoundLinks:
        """Give no tracklets."""
        number = np.zeros(0, np.int64)
        return FoundLinks(number, number, np.zeros(0, np.str_), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of a whole database.

    Attributes:
        gallery: every track, as clustering saw it.
        face_scale: of the network that made the faces.
        row: of the gallery, by path in the data folder and track.
        links: by path in the data folder.
    """

    gallery: TrackGallery
    face_scale: FaceScale = DEFAULT_SCALE
    row: dict[tuple[str, int], int] = field(default_factory=dict)
    links: dict[str, FoundLinks] = field(default_factory=dict)

    @staticmethod
    def none() -> Evidence:
        """Give that of an empty database."""
        vectors, weight = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)
        text, number, pairs = np.zeros(0, np.str_), np.zeros(0, np.int32), np.zeros((0, 2), np.int32)
        return Evidence(TrackGallery(text, number, vectors, weight, weight, vectors, pairs))

    def rows(self, media: npt.NDArray[np.str_], track: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Give the gallery row of each (medium, track); -1 where there is none."""
        keys = zip(media.tolist(), track.tolist(), strict=True)
        return np.array([self.row.get(key, NO_ROW) for key in keys], np.int64)

    def only(self, rows: npt.NDArray[np.integer]) -> TrackGallery:
        """Give some tracks of the gallery; pairs that may not be linked are left out."""
        none = np.zeros((0, 2), np.int32)
        g = self.gallery
        return TrackGallery(
            g.video_id[rows],
            g.track[rows],
            g.face[rows],
            g.face_weight[rows],
            g.face_recognisability[rows],
            g.look[rows],
            none,
        )


def read_evidence(db: Path, paths: Mapping[str, Path], face_scale: FaceScale) -> Evidence:
    """Read the evidence of some files.

    Args:
        db: the database of the main job.
        paths: absolute path of each file, by its path in the data folder.
        face_scale: of the network that made the faces.

    Raises:
        StoreError: the database cannot be read.
    """
    media = {str(path): name for name, path in paths.items()}
    with open_reader(db) as con:
        rows = gallery_rows(con)
        links = link_rows(con)
        gallery = load_gallery(con)
    return Evidence(
        gallery,
        face_scale,
        {(media[path], track): row for (path, track), row in rows.items() if path in media},
        {media[path]: _links(own) for path, own in links.items() if path in media},
    )


def _links(rows: list[tuple[int, int, str, float]]) -> FoundLinks:
    return FoundLinks(
        tracklet=np.array([row[0] for row in rows], np.int64),
        track=np.array([row[1] for row in rows], np.int64),
        reason=np.array([row[2] for row in rows], np.str_),
        score=np.array([row[3] for row in rows], np.float64),
    )
