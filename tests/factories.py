"""Small hand-made results for tests that need no pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
from duckdb import DuckDBPyConnection

from headtrack.identity.ids import name_people
from headtrack.models.registry import model_id
from headtrack.store.corrections import NewCorrection, add_correction, tracks_of
from headtrack.store.database import open_writer
from headtrack.store.gallery import load_gallery
from headtrack.store.ingest import Clustering, ingest_identities, ingest_video
from headtrack.store.read import previous_people
from headtrack.store.spool import run_folder, write_parts
from headtrack.types import (
    BoxTrack,
    HeadEmbeddings,
    Heads,
    IdentityTree,
    Provenance,
    Shots,
    Tracklets,
    Tracks,
    Video,
    VideoResult,
)
from headtrack.types.corrections import NAME
from headtrack.types.tracks import LINK_SHOT_CHANGE, LINK_START
from headtrack.types.views import FRONT, REAR

FACE_DIM, LOOK_DIM, COLOUR_BINS = 8, 6, 4
TOP_PX = 30.0
PROVENANCE = Provenance(
    "0123456789abcdef", ("head@bbbbbbbb", model_id("sface")), "0.1.0", "fedcba98", "76543210"
)


@dataclass(frozen=True)
class Seen:
    """One tracklet: a head of 20 x 20 px standing still.

    Attributes:
        first: first frame.
        last: last frame, inclusive.
        track: number of its track.
        x: left edge, px.
        face: which face, a basis vector; None where none is visible.
        look: which look, a basis vector.
        view: as in `VIEW_NAMES`.
        every: a detection each so many frames, the rest interpolated.
        y: top edge, px.
    """

    first: int
    last: int
    track: int
    x: float = 10.0
    face: int | None = 0
    look: int = 0
    view: int = FRONT
    every: int = 2
    y: float = TOP_PX


def basis(index: int, dim: int) -> npt.NDArray[np.float32]:
    """Give the unit vector along one axis."""
    return np.eye(dim, dtype=np.float32)[index]


def make_video(video_id: str = "a" * 16, path: str = "/archive/a.mp4") -> Video:
    """Give a video as `probe` would."""
    return Video(
        video_id,
        path,
        320,
        180,
        0,
        Fraction(1, 1000),
        0.0,
        10.0,
        0,
        Fraction(1),
        "h264",
        "pyav",
        "made for a test",
    )


def make_result(
    seen: list[Seen],
    *,
    video: Video | None = None,
    frame_time_s: npt.ArrayLike | None = None,
    cuts: tuple[int, ...] = (),
    loose_frames: tuple[int, ...] = (),
) -> VideoResult:
    """Give the result of a video in which each tracklet of `seen` was found.

    Args:
        seen: its tracklets.
        video: as probed.
        frame_time_s: of every frame; by default 20 frames, 0.1 s apart.
        cuts: frames at which a new shot begins.
        loose_frames: frames with one detection at x = 250 that no tracklet keeps.
    """
    time_s = np.arange(20) / 10 if frame_time_s is None else np.asarray(frame_time_s, np.float64)
    shots = _shots(cuts, len(time_s))
    seen = sorted(seen, key=lambda s: (s.first, s.x))
    detected = [
        (frame, s.x, s.y, s.view, number, s)
        for number, s in enumerate(seen)
        for frame in sorted({*range(s.first, s.last + 1, s.every), s.last})
    ]
    rows = sorted(
        [*detected, *[(frame, 250.0, TOP_PX, FRONT, -1, None) for frame in loose_frames]],
        key=lambda row: row[:2],
    )
    crops = [i for i, row in enumerate(rows) if row[5] is not None]
    return VideoResult(
        video=video or make_video(),
        provenance=PROVENANCE,
        frame_time_s=time_s,
        shots=shots,
        looked_at=np.arange(len(time_s), dtype=np.int32),
        heads=_heads([row[:4] for row in rows]),
        tracklets=Tracklets([row[4] for row in rows], shots.of_frame([s.first for s in seen])),
        colour=np.full((len(seen), COLOUR_BINS), 1 / COLOUR_BINS, np.float32),
        boxes=_boxes(seen, {(row[0], row[4]) for row in detected}),
        embeddings=_embeddings(crops, [(rows[i][4], seen[rows[i][4]]) for i in crops]),
        tracks=_tracks(seen),
    )


def still(video_id: str, path: str, seen: list[Seen]) -> VideoResult:
    """Give the result of a still image: one frame."""
    return make_result(seen, video=make_video(video_id, path), frame_time_s=[0.0])


def broken(result: VideoResult, at: int) -> VideoResult:
    """Give the same result as of a video whose decoding failed after frame `at`."""
    return replace(result, broken_at=at, broken_reason="corrupt packet")


def store(db: Path, *results: VideoResult) -> None:
    """Put results into a database the way a run does."""
    for result in results:
        part = write_parts(run_folder(db, "test"), result)
        with open_writer(db) as con:
            ingest_video(con, part)


def cluster_by_basis(db: Path) -> None:
    """Make people of equal faces, and looks of equal looks; a track without a face is a person alone."""
    with open_writer(db) as con:
        cluster_opened(con)


def cluster_opened(con: DuckDBPyConnection) -> None:
    """Do the same on a database that is already open for writing."""
    gallery = load_gallery(con)
    face = np.where(gallery.has_face, _axis(gallery.face), 100 + np.arange(len(gallery)))
    _, identity = np.unique(face, return_inverse=True)
    _, appearance = np.unique(face * 100_000 + _axis(gallery.look), return_inverse=True)
    tree = IdentityTree(identity, appearance, np.full(len(gallery), 0.9))
    ids = name_people(tree, gallery, previous_people(con))
    ingest_identities(con, gallery, tree, ids, Clustering("by hand", {"min_probability": 0.5}))


def _axis(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    known = np.nan_to_num(vectors)
    return known.argmax(1) if known.size else np.zeros(len(known), np.int64)


def _shots(cuts: tuple[int, ...], frames: int) -> Shots:
    starts = [0, *cuts] if frames else []
    return Shots(starts, [*starts[1:], frames] if frames else [], [1.0, *[0.9] * len(cuts)][: len(starts)])


def _heads(rows: list[tuple[int, float, float, int]]) -> Heads:
    n = len(rows)
    frame, x, y, view = (np.array([row[i] for row in rows]) for i in range(4))
    return Heads(
        frame=frame,
        xyxy=_boxes_at(x, y),
        score=np.full(n, 0.9),
        view=view,
        yaw_deg=np.where(view == REAR, np.nan, 12.0),
        face_score=np.full(n, np.nan),
        face_xyxy=np.full((n, 4), np.nan),
        landmarks=np.full((n, 5, 2), np.nan),
        body_xyxy=np.full((n, 4), np.nan),
    )


def _boxes(seen: list[Seen], detected: set[tuple[int, int]]) -> BoxTrack:
    rows = [(frame, number) for number, s in enumerate(seen) for frame in range(s.first, s.last + 1)]
    return BoxTrack(
        frame=np.array([frame for frame, _ in rows]),
        xyxy=_boxes_at(
            np.array([seen[number].x for _, number in rows]), np.array([seen[number].y for _, number in rows])
        ),
        score=np.full(len(rows), 0.9),
        view=np.array([seen[number].view for _, number in rows]),
        interpolated=np.array([row not in detected for row in rows]),
        tracklet=np.array([number for _, number in rows]),
    )


def _boxes_at(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.stack([x, y, x + 20, y + 20], axis=1).reshape(-1, 4)


def _embeddings(head_row: list[int], of: list[tuple[int, Seen]]) -> HeadEmbeddings:
    none = np.full(FACE_DIM, np.nan, np.float32)
    return HeadEmbeddings(
        head_row=np.array(head_row),
        tracklet=np.array([number for number, _ in of]),
        quality=np.full(len(of), 0.5),
        identity=np.array([none if s.face is None else basis(s.face, FACE_DIM) for _, s in of]).reshape(
            -1, FACE_DIM
        ),
        appearance=np.array([basis(s.look, LOOK_DIM) for _, s in of]).reshape(-1, LOOK_DIM),
        recognisability=np.array([0.0 if s.face is None else 1.0 for _, s in of]),
    )


def _tracks(seen: list[Seen]) -> Tracks:
    known: set[int] = set()
    reasons = []
    for s in seen:
        reasons.append(LINK_SHOT_CHANGE if s.track in known else LINK_START)
        known.add(s.track)
    return Tracks([s.track for s in seen], reasons, [1.0 if r == LINK_START else 0.7 for r in reasons])


def name_person(con: DuckDBPyConnection, person: str, name: str) -> None:
    """Name a person as `headtrack name` does, without clustering everybody anew."""
    add_correction(con, NewCorrection(NAME, f"{person} has a name", tracks_of(con, person), name=name))
    con.execute("UPDATE person SET name = $name WHERE person = $person", {"name": name, "person": person})
