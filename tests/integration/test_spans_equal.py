"""A video watched in spans gives, bit by bit, what it gives when watched in one go."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from headtrack.cluster.run import ray_worker
from headtrack.pipeline.archive import run_archive
from headtrack.pipeline.gathering import Observation
from headtrack.pipeline.models import load_models
from headtrack.pipeline.observe import observe
from headtrack.pipeline.span import observe_span
from headtrack.pipeline.stitch import SeamError, stitch
from headtrack.settings import Settings
from headtrack.store.span_spool import read_spans, write_span
from headtrack.types import HeadEmbeddings, SpanObservation
from headtrack.video import spans
from headtrack.video.probe import probe
from headtrack.video.spans import split
from tests.integration.database_content import content
from tests.integration.made_film import make_film

BASE = Settings()
# One CPU thread each: sums of floats depend on how they are shared out.
SETTINGS = replace(
    BASE,
    decode=replace(BASE.decode, backend="pyav"),
    run=replace(BASE.run, threads=1, workers=2, span_s=4.0),
)

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
def models():
    return load_models(SETTINGS)


@pytest.fixture(scope="module")
def watched(film, models):
    """Give the video, what it gives in one go, and a function from a length to its spans."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "ENTRY_S", 1.0)
        video = probe(film, SETTINGS.decode)
    return video, observe(video, models, SETTINGS)


@pytest.fixture(scope="module")
def parts(watched, models) -> list[SpanObservation]:
    return [observe_span(watched[0], span, models, SETTINGS) for span in split(watched[0], 3.0)]


def assert_same(ours: Observation, whole: Observation) -> None:
    assert (ours.broken_at, ours.broken_reason, ours.switched) == (-1, "", "")
    for name in ("frame_time_s", "colour", "looked_at"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(whole, name), err_msg=name)
    for name in ("shots", "heads", "tracklets"):
        assert_equal_values(getattr(ours, name), getattr(whole, name))
    none = HeadEmbeddings.empty(128, 1280)
    joined = [HeadEmbeddings.join(list(one.embeddings.blocks()), none) for one in (ours, whole)]
    assert_equal_values(*joined)


def assert_equal_values(ours: object, whole: object) -> None:
    for name in (field.name for field in fields(whole)):  # pyright: ignore[reportArgumentType]
        np.testing.assert_array_equal(getattr(ours, name), getattr(whole, name), err_msg=name)


def test_stitched_spans_are_the_video_watched_in_one_go(watched, parts, models, tmp_path):
    video, whole = watched
    assert len(parts) >= 4
    assert len(whole.shots) >= 2
    for part in reversed(parts):
        write_span(tmp_path, video.video_id, part)
    assert_same(stitch(video, read_spans(tmp_path, video.video_id), models, SETTINGS), whole)


@pytest.mark.parametrize("span_s", [1.0, 7.0])
def test_the_length_of_the_spans_changes_nothing(watched, models, span_s):
    video, whole = watched
    short = [observe_span(video, span, models, SETTINGS) for span in split(video, span_s)]
    assert_same(stitch(video, short, models, SETTINGS), whole)


def test_crops_that_no_span_embedded_are_decoded_again(watched, parts, models):
    video, whole = watched
    bare = [replace(part, embeddings=part.embeddings[:0]) for part in parts]
    assert_same(stitch(video, bare, models, SETTINGS), whole)


def test_spans_that_do_not_fit_together_are_refused(watched, parts, models):
    video, _ = watched
    other = replace(parts[1], seams=parts[1].seams + np.uint64(1))
    for wrong, why in (
        ([parts[0], other, *parts[2:]], "is another one"),
        ([parts[0], *parts[2:]], "is another one"),
        (parts[:-1], "are missing"),
    ):
        with pytest.raises(SeamError, match=why):
            stitch(video, wrong, models, SETTINGS)


@pytest.mark.ray
def test_two_actors_share_a_video_out_and_the_database_is_that_of_one_process(film, tmp_path, caplog):
    run_archive([film], tmp_path / "one.duckdb", SETTINGS)
    told = []
    work = ray_worker(SETTINGS)
    report = run_archive([film], tmp_path / "two.duckdb", SETTINGS, worker=work, on_progress=told.append)
    assert report.done == 1
    one, two = content(tmp_path / "one.duckdb"), content(tmp_path / "two.duckdb")
    for table, rows in one.items():
        assert two[table] == rows, table
    seconds = [state.seconds_done for state in told]
    assert seconds == sorted(seconds)
    assert len({s for s in seconds if 0 < s < seconds[-1]}) >= 2  # told as the spans were done
    assert seconds[-1] == pytest.approx(told[-1].seconds_total)
    assert not list((tmp_path / "two.duckdb.runs").glob("*/spans"))
    assert "watched by one worker" not in caplog.text
