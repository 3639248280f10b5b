from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import StoreError
from headtrack.evaluation.evaluate import evaluate
from headtrack.evaluation.evidence import DEFAULT_SCALE, read_evidence
from headtrack.evaluation.read_found import read_found
from headtrack.evaluation.report import evaluation_object
from headtrack.types.views import PROFILE, REAR
from tests.factories import Seen, cluster_by_basis, make_result, make_video, store

# Per file: content id, number of frames, cuts, and what is seen, as the labels have it; face 0 is in two.
ARCHIVE = {
    "clips/a.mp4": (
        "a" * 16,
        30,
        (10,),
        [Seen(0, 9, 0, y=10), Seen(0, 0, 1, x=60, y=10, face=None, view=REAR), Seen(10, 10, 0, x=12, y=10)],
    ),
    "clips/b.mp4": (
        "b" * 16,
        10,
        (),
        [Seen(5, 6, 0, y=10, face=2, view=REAR), Seen(7, 7, 0, y=10, face=2, view=PROFILE)],
    ),
    "stills/one.png": ("c" * 16, 1, (), [Seen(0, 0, 0)]),
    "stills/two.png": ("d" * 16, 1, (), []),
}


@pytest.fixture
def run_archive():
    """Give a job that writes the hand-made archive, through the store as the real one does."""

    def run(paths: list[Path], db: Path) -> None:
        for path in paths:
            video_id, frames, cuts, seen = ARCHIVE[f"{path.parent.name}/{path.name}"]
            video = make_video(video_id, str(path))
            store(db, make_result(seen, video=video, frame_time_s=np.arange(frames) / 10, cuts=cuts))
        cluster_by_basis(db)

    return run


def test_heads_and_cuts_come_back_as_the_views_have_them(data_dir: Path, tmp_path: Path, run_archive):
    paths = {media: (data_dir / media).resolve() for media in ARCHIVE}
    run_archive(list(paths.values()), tmp_path / "found.duckdb")
    found = read_found(tmp_path / "found.duckdb", paths)
    assert found["clips/a.mp4"].cut.tolist() == [10]
    heads = found["clips/a.mp4"].heads
    assert heads.frame.tolist() == [0, *range(11)]
    assert heads.view.tolist() == ["front", "rear", *["front"] * 10]
    assert heads.xyxy[1].tolist() == [60, 10, 80, 30]
    assert heads.person[0] == heads.person[11] != heads.person[1]


def test_faces_looks_and_links_come_back_by_file_and_track(data_dir: Path, tmp_path: Path, run_archive):
    paths = {media: (data_dir / media).resolve() for media in ARCHIVE}
    run_archive(list(paths.values()), tmp_path / "found.duckdb")
    evidence = read_evidence(tmp_path / "found.duckdb", paths, DEFAULT_SCALE)
    rows = evidence.rows(np.array(["stills/one.png", "clips/a.mp4", "stills/two.png"]), np.array([0, 1, 0]))
    assert rows[2] == -1
    assert evidence.only(rows[:2]).has_face.tolist() == [True, False]
    links = evidence.links["clips/a.mp4"]
    assert (links.track.tolist(), links.reason.tolist()) == ([0, 1, 0], ["start", "start", "shot_change"])
    assert "stills/two.png" not in evidence.links


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
    assert report["tracks"]["over_cuts"]["one_track_share"] == 1
    assert (report["link_calibration"]["links"], report["link_calibration"]["right"]) == (2, 2)
    assert report["identity_calibration"]["right"] == 1  # of a.mp4 and the first still
    assert (report["identity"]["people"], report["identity"]["persons"]) == (3, 3)


def test_a_database_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(StoreError, match=r"none\.duckdb does not exist"):
        read_found(tmp_path / "none.duckdb", {})
