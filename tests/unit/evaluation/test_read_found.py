from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import StoreError
from headtrack.evaluation.evaluate import evaluate
from headtrack.evaluation.read_found import read_found
from headtrack.evaluation.report import evaluation_object
from headtrack.identity.ids import name_people
from headtrack.store.database import open_writer
from headtrack.store.ingest import Clustering, ingest_identities, ingest_video
from headtrack.store.read import load_gallery
from headtrack.store.spool import write_parts
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
from headtrack.types.views import VIEW_NAMES

# Per file: shot starts, number of frames, and one tracklet a row: its boxes as (frame, x1, view).
ARCHIVE = {
    "clips/a.mp4": (
        [0, 10],
        30,
        [[(0, 10, "front"), (9, 10, "front")], [(0, 60, "rear")], [(10, 12, "front")]],
    ),
    "clips/b.mp4": ([0], 10, [[(5, 10, "rear"), (6, 10, "rear"), (7, 10, "profile")]]),
    "stills/one.png": ([0], 1, [[(0, 0, "front")]]),
    "stills/two.png": ([0], 1, []),
}
# Track of each tracklet, and who each track is, in order of video and track.
TRACKS = {"clips/a.mp4": [0, 1, 0], "clips/b.mp4": [0], "stills/one.png": [0], "stills/two.png": []}
PEOPLE = {("clips/a.mp4", 0): 0, ("clips/a.mp4", 1): 1, ("clips/b.mp4", 0): 2, ("stills/one.png", 0): 0}


def _result(media: str, path: Path) -> VideoResult:
    starts, frames, tracklets = ARCHIVE[media]
    rows = [(frame, t, x, view) for t, boxes in enumerate(tracklets) for frame, x, view in boxes]
    rows.sort()
    n = len(rows)
    frame = np.array([r[0] for r in rows], int)
    x = np.array([r[2] for r in rows], float)
    xyxy = np.stack([x, x * 0 + 10, x + 20, x * 0 + 30], axis=1)
    view = np.array([VIEW_NAMES.index(r[3]) for r in rows], int)
    unknown = np.full(n, np.nan)
    shots = Shots(starts, [*starts[1:], frames], np.ones(len(starts)))
    return VideoResult(
        video=Video(
            media,
            str(path),
            200,
            90,
            frames,
            Fraction(1, 10),
            frames / 10,
            10.0,
            0,
            Fraction(1),
            "x",
            "pyav",
            "x",
        ),
        provenance=Provenance("s", ("m@0",), "0"),
        frame_time_s=np.arange(frames) / 10,
        shots=shots,
        heads=Heads(
            frame,
            xyxy,
            np.ones(n),
            view,
            unknown,
            unknown,
            np.full((n, 4), np.nan),
            np.full((n, 5, 2), np.nan),
            np.full((n, 4), np.nan),
        ),
        tracklets=Tracklets([r[1] for r in rows], shots.of_frame([boxes[0][0] for boxes in tracklets])),
        boxes=BoxTrack(frame, xyxy, np.ones(n), view, np.zeros(n), [r[1] for r in rows]),
        embeddings=HeadEmbeddings.empty(2, 2),
        tracks=Tracks(TRACKS[media], np.zeros(len(tracklets)), np.ones(len(tracklets))),
    )


@pytest.fixture
def run_archive(tmp_path: Path):
    """Give a job that writes the hand-made archive, through the store as the real one does."""

    def run(paths: list[Path], db: Path) -> None:
        media_of = {path: f"{path.parent.name}/{path.name}" for path in paths}
        with open_writer(db) as con:
            for path, media in media_of.items():
                ingest_video(con, write_parts(tmp_path / "run", _result(media, path)))
            gallery = load_gallery(con)
            person = [
                PEOPLE[key] for key in zip(gallery.video_id.tolist(), gallery.track.tolist(), strict=True)
            ]
            tree = IdentityTree(person, person, np.ones(len(person)))
            ids = name_people(tree, gallery, {})
            ingest_identities(con, gallery, tree, ids, Clustering("average", {}))

    return run


def test_heads_and_cuts_come_back_as_the_views_have_them(data_dir: Path, tmp_path: Path, run_archive):
    paths = {media: (data_dir / media).resolve() for media in ARCHIVE}
    run_archive(list(paths.values()), tmp_path / "found.duckdb")
    found = read_found(tmp_path / "found.duckdb", paths)
    assert found["clips/a.mp4"].cut.tolist() == [10]
    heads = found["clips/a.mp4"].heads
    assert heads.frame.tolist() == [0, 0, 9, 10]
    assert heads.view.tolist() == ["front", "rear", "front", "front"]
    assert heads.xyxy[1].tolist() == [60, 10, 80, 30]
    assert heads.person[0] == heads.person[3] != heads.person[1]


def test_a_still_without_heads_was_analysed_and_a_file_without_shots_was_not(
    data_dir: Path, tmp_path: Path, run_archive
):
    paths = {media: (data_dir / media).resolve() for media in ARCHIVE}
    run_archive([paths["stills/two.png"]], tmp_path / "found.duckdb")
    found = read_found(tmp_path / "found.duckdb", paths)
    assert list(found) == ["stills/two.png"]
    assert len(found["stills/two.png"].heads) == 0


def test_a_whole_evaluation_of_a_database_gives_the_scores_of_what_is_in_it(
    data_dir: Path, tmp_path: Path, run_archive
):
    report = evaluation_object(evaluate(data_dir, run_archive=run_archive, db=tmp_path / "found.duckdb"))
    assert report["heads"]["recall"] == report["heads"]["rear_recall"] == report["shots"]["f1"] == 1
    assert report["identity"]["bcubed_f1"] == report["identity"]["over_clips"]["bcubed_f1"] == 1
    assert report["cross_media"]["found"] == 1  # nobody was found in the second still
    assert report["not_analysed"] == []


def test_a_database_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(StoreError, match=r"none\.duckdb does not exist"):
        read_found(tmp_path / "none.duckdb", {})
