"""The main job over a small archive, with the real models on real footage."""

import shutil
from fractions import Fraction

import av
import pytest

from headtrack.models.weights import weights_path
from headtrack.pipeline.archive import run_archive
from headtrack.settings import Settings
from headtrack.settings_file import load_settings
from headtrack.store.database import open_reader
from headtrack.store.read import query, run_checks

pytestmark = pytest.mark.heavy
FRAMES = 40


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """The first frames of the passenger, as a file of their own."""
    path = tmp_path_factory.mktemp("clip") / "passenger.mp4"
    with av.open(str(weights_path("carphone"))) as source, av.open(str(path), "w") as target:
        stream = target.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 352, 288, "yuv420p"
        for number, frame in enumerate(source.decode(video=0)):
            if number == FRAMES:
                break
            picture = frame.reformat(352, 288, "yuv420p")
            picture.pts, picture.time_base = number, Fraction(1, 25)
            target.mux(stream.encode(picture))
        target.mux(stream.encode(None))
    return path


def rows(db, sql):
    with open_reader(db) as con:
        return query(con, sql).rows


def test_an_archive_is_analysed_once_and_its_views_hold_what_was_seen(clip, tmp_path):
    db = tmp_path / "people.duckdb"
    copy, bad = tmp_path / "copy.mp4", tmp_path / "bad.mp4"
    shutil.copy(clip, copy)
    bad.write_bytes(b"no video")
    settings = load_settings(None, ["run.threads=1"])

    first = run_archive([clip, copy, bad], db, settings)
    assert (first.done, first.skipped, [f.step for f in first.failures]) == (1, 1, ["probe"])
    most_seen = (
        "SELECT path, max(n) FROM (SELECT path, person, count(*) AS n FROM head_by_frame GROUP BY ALL)"
    )
    seen = rows(db, f"{most_seen} GROUP BY path ORDER BY path")
    assert seen == [(str(path), FRAMES) for path in sorted([clip, copy])]
    assert rows(db, "SELECT start_frame, end_frame FROM shot_by_video") == [(0, FRAMES)] * 2
    with open_reader(db) as con:
        assert not [finding for finding in run_checks(con) if len(finding.found)]

    people = "SELECT DISTINCT person FROM head_by_frame ORDER BY person"
    before = rows(db, people)
    again = run_archive([clip], db, settings)
    assert (again.done, again.skipped) == (0, 1)
    forced = run_archive([clip], db, settings, force=True)
    assert (forced.done, forced.skipped) == (1, 0)
    assert rows(db, people) == before


def test_a_part_left_by_a_run_that_died_is_committed_by_the_next(clip, tmp_path, monkeypatch):
    db = tmp_path / "people.duckdb"
    settings = load_settings(None, ["run.threads=1"])

    def died(con, part):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("headtrack.pipeline.commit.ingest_video", died)
        with pytest.raises(KeyboardInterrupt):
            run_archive([clip], db, settings)
    assert rows(db, "SELECT count(*) FROM video") == [(0,)]
    report = run_archive([clip], db, settings)
    assert (report.done, report.skipped) == (0, 1)
    assert report.people >= 1
    assert not list(tmp_path.glob("people.duckdb.runs/*/parts/*"))


def test_no_inputs_make_an_empty_database(tmp_path):
    report = run_archive([], tmp_path / "people.duckdb", Settings())
    assert (report.done, report.people) == (0, 0)
