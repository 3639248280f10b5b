"""The demo of the README, from its clip to its comparison."""

from __future__ import annotations

import json
from dataclasses import replace

import av
import pytest

from headtrack.errors import ModelError
from headtrack.evaluation.demo import compare, draw_sheet
from headtrack.evaluation.demo_clip import FPS, HEIGHT, WIDTH, build_clip
from headtrack.evaluation.demo_sources import SHOT_PLANS
from headtrack.evaluation.read_found import read_found
from headtrack.models.weights import weights_path
from headtrack.pipeline.archive import run_archive
from headtrack.settings import Settings

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    try:
        passenger = weights_path("carphone")
    except ModelError as error:
        pytest.skip(f"the sample footage cannot be had: {error}")
    return build_clip(passenger, tmp_path_factory.mktemp("demo"))


def test_the_clip_has_the_planned_shots_and_its_truth_beside_it(clip):
    path, truth = clip
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert (stream.codec.name, stream.width, stream.height) == ("h264", WIDTH, HEIGHT)
        assert stream.average_rate == FPS
        assert sum(1 for _ in container.decode(stream)) == sum(plan.frames for plan in SHOT_PLANS)
    assert truth.shots[-1].stop / FPS == pytest.approx(27.8)
    written = json.loads((path.parent / "truth.json").read_text())
    assert [shot["people"] for shot in written["shots"]] == [list(shot.people) for shot in truth.shots]
    assert len(written["heads"]) == len(truth.heads)


def test_the_main_job_finds_the_cuts_the_heads_and_each_person_once(clip, tmp_path):
    path, truth = clip
    db = tmp_path / "people.duckdb"
    # One thread: on a busy machine several spend their time waiting for one another.
    one_thread = replace(Settings(), run=replace(Settings().run, threads=1))
    report = run_archive([path], db, one_thread)
    assert report.failures == ()
    found = read_found(db, {"demo": path.resolve()})["demo"]
    score = compare(truth, found)
    told = "\n".join(score.lines())
    assert (score.shots.fp, score.shots.fn) == (0, 0), told
    assert score.heads.recall >= 0.95, told
    # A reflection in the bus window passes for a small head in two shots.
    assert score.heads.precision >= 0.9, told
    assert score.identity.f1 >= 0.95, told
    assert sum(person.is_right for person in score.people) >= 5, told
    sheet = draw_sheet(path, truth, found.heads)
    assert sheet.size == (4 * WIDTH, 3 * HEIGHT)
