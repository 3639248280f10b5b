"""With other settings of later steps a video is done again without the detector, and as if wholly."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from headtrack.cluster.observer import Observer
from headtrack.cluster.placement import Placement
from headtrack.cluster.run import ray_worker
from headtrack.pipeline.archive import RunReport, run_archive
from headtrack.pipeline.provenance import expected_provenance
from headtrack.settings import Settings
from headtrack.store.database import open_reader, open_writer
from headtrack.store.kept import keep_detections, read_kept
from headtrack.store.read import run_checks
from headtrack.types import VideoFailure
from headtrack.video.probe import probe
from headtrack.video.spans import split
from tests.integration.database_content import content
from tests.integration.made_film import make_film

BASE = Settings()
# One CPU thread each: sums of floats depend on how they are shared out.
BEFORE = replace(
    BASE,
    decode=replace(BASE.decode, backend="pyav"),
    run=replace(BASE.run, threads=1, workers=2, span_s=4.0),
)
AFTER = replace(
    BEFORE,
    shots=replace(BASE.shots, min_shot_frames=9),
    track=replace(BASE.track, max_gap_s=0.5),
    embed=replace(BASE.embed, best_crops=3),
    link=replace(BASE.link, max_gap_s=3.0),
)
LINKS = replace(BEFORE, link=replace(BASE.link, min_probability=1.0))
DETECT = "headtrack.models.head_detector.PoseFaceDetector.detect"

pytestmark = [
    pytest.mark.heavy,
    # Ray leaves sockets and log files to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def film(tmp_path_factory) -> Path:
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4")


@pytest.fixture(scope="module")
def before(film, tmp_path_factory) -> Path:
    db = tmp_path_factory.mktemp("before") / "people.duckdb"
    assert run_archive([film], db, BEFORE).heads_kept == 0
    return db


@pytest.fixture(scope="module")
def wholly(film, tmp_path_factory) -> Path:
    db = tmp_path_factory.mktemp("wholly") / "people.duckdb"
    run_archive([film], db, AFTER)
    return db


@pytest.fixture
def db(before, tmp_path) -> Path:
    return Path(shutil.copy(before, tmp_path))


@pytest.fixture(scope="module")
def linked_wholly(film, tmp_path_factory) -> Path:
    db = tmp_path_factory.mktemp("linked") / "people.duckdb"
    run_archive([film], db, LINKS)
    return db


def assert_as_wholly(report: RunReport, db: Path, wholly: Path) -> None:
    assert (report.done, report.failures) == (1, ())
    ours, theirs = content(db), content(wholly)
    for table in set(theirs) - {"track_identity"}:  # people keep their ids
        assert ours[table] == theirs[table], table
    assert len(ours["track_identity"]) == len(theirs["track_identity"])
    with open_reader(db) as con:
        assert run_checks(con) == []
    assert not list(report.run_dir.glob("kept"))


def test_the_settings_change_what_is_found(before, wholly):
    old, new = content(before), content(wholly)
    assert old["crop_embedding"] != new["crop_embedding"]
    assert [row[:2] for row in old["detection"]] == [row[:2] for row in new["detection"]]


def test_the_detector_does_not_run_and_the_result_is_that_of_a_whole_analysis(film, db, wholly, monkeypatch):
    def detect(self, batch):
        raise AssertionError("the detector was called")

    monkeypatch.setattr(DETECT, detect)
    report = run_archive([film], db, AFTER)
    assert report.heads_kept == 1
    assert_as_wholly(report, db, wholly)


@pytest.mark.ray
def test_actors_that_share_the_video_out_take_its_heads_from_the_run_folder(film, db, wholly, caplog):
    report = run_archive([film], db, AFTER, worker=ray_worker(AFTER))
    assert report.heads_kept == 1
    assert_as_wholly(report, db, wholly)
    assert "watched by one worker" not in caplog.text


def test_where_a_frame_is_missing_the_video_is_analysed_wholly(film, db, wholly, caplog):
    caplog.set_level(logging.WARNING, "headtrack")
    with open_writer(db) as con:
        con.execute("DELETE FROM detection WHERE frame = (SELECT frame FROM detection ORDER BY ALL LIMIT 1)")
    report = run_archive([film], db, AFTER)
    assert report.heads_kept == 0
    assert_as_wholly(report, db, wholly)
    assert "is analysed wholly: frame 0 was not looked at in an earlier run" in caplog.text


def test_where_only_links_changed_nothing_is_decoded_and_the_rows_are_those_of_a_whole_analysis(
    film, before, db, linked_wholly
):
    def work(batches, run_dir):
        for batch in batches:
            raise AssertionError(f"{batch.videos} were to be watched")
        yield from ()

    assert content(before)["tracklet"] != content(linked_wholly)["tracklet"]
    report = run_archive([film], db, LINKS, worker=work)
    assert (report.relinked, report.skipped, report.heads_kept) == (1, 0, 0)
    assert_as_wholly(report, db, linked_wholly)
    back = run_archive([film], db, BEFORE, worker=work)
    assert back.relinked == 1
    assert_as_wholly(back, db, before)
    assert run_archive([film], db, BEFORE, worker=work).skipped == 1


@pytest.mark.parametrize(
    ("change", "watched"),
    [
        ("DELETE FROM detection WHERE frame = (SELECT max(frame) FROM detection)", False),
        ("INSERT INTO detection SELECT * REPLACE (frame + 1 AS frame) FROM detection WHERE frame = 0", True),
    ],
)
def test_an_actor_gives_a_video_back_whose_kept_heads_are_of_other_frames(
    film, db, tmp_path, change, watched
):
    video = probe(film, AFTER.decode)
    with open_writer(db) as con:
        con.execute(change)
        keep_detections(con, tmp_path, video, str(expected_provenance(AFTER).detection_hash))
    actor = Observer(AFTER, tmp_path, Placement(workers=1, gpus=0.0, workers_a_node=1))
    actor.prepare()
    answers = [actor.observe_span(video, span) for span in split(video, AFTER.run.span_s)]
    assert len(answers) >= 2
    if watched:
        assert actor.stitch(video) is None
        assert read_kept(tmp_path, video.video_id) is None  # it is of no use
    else:
        assert isinstance(answers[-1], VideoFailure)
        assert "was not looked at in an earlier run" in answers[-1].message
