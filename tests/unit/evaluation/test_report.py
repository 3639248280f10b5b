from __future__ import annotations

import json

import pytest

from headtrack.evaluation.evaluate import Evaluation, score
from headtrack.evaluation.report import evaluation_object, figure_rows, report_text
from headtrack.evaluation.truth import Truth


@pytest.fixture
def evaluation(labels, perfect) -> Evaluation:
    return score(Truth(labels), perfect, oracle=[])


def test_a_perfect_run_meets_every_target(evaluation: Evaluation):
    report = evaluation_object(evaluation)
    assert report["heads"]["recall"] == report["heads"]["precision"] == report["shots"]["f1"] == 1
    assert report["identity"]["bcubed_f1"] == report["identity"]["over_clips"]["pairwise_f1"] == 1
    assert report["tracks"]["hota"] == pytest.approx(1)
    assert report["cross_media"]["found"] == report["cross_media"]["people"] == 2
    wanted = [row for row in figure_rows(report) if row.at_least is not None]
    # Nothing to compare.
    unknown = {"oracle.equal_share", "tracks.visits_unbroken_share", "appearance.bcubed_f1", "spy.bcubed_f1"}
    assert {row.figure for row in wanted if not row.is_met} == unknown


def test_the_same_figures_stand_under_each_clip(evaluation: Evaluation):
    report = evaluation_object(evaluation)
    assert set(report["clips"]) == {"a.mp4", "b.mp4"}
    assert report["clips"]["a.mp4"]["heads"]["labelled"] == 3
    assert report["clips"]["b.mp4"]["identity"]["bcubed_f1"] == 1


def test_the_object_is_valid_json_even_where_nothing_was_analysed(labels):
    report = evaluation_object(score(Truth(labels), {}, oracle=[]))
    again = json.loads(json.dumps(report, allow_nan=False))
    assert again["heads"]["recall"] == 0
    assert again["heads"]["precision"] is None
    assert again["not_analysed"] == labels.media


def test_without_any_label_figures_are_unknown_and_the_table_still_prints():
    from headtrack.evaluation.labels import Labels

    report = evaluation_object(score(Truth(Labels({}, {}, ())), {}, oracle=[]))
    assert report["identity"]["bcubed_f1"] is None
    assert "NOT MET" in report_text(report)


def test_the_table_marks_what_is_met_and_what_is_not(labels, perfect):
    del perfect["clips/b.mp4"]
    text = report_text(evaluation_object(score(Truth(labels), perfect, oracle=[])))
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert lines["heads.recall"].split()[1:] == ["0.600", "0.950", "NOT", "MET"]
    assert lines["heads.precision"].split()[1:] == ["1.000", "0.920", "met"]
    assert lines["a.mp4"].split()[1:4] == ["1.000", "1.000", "1.000"]
    assert lines["not"] == "not analysed: clips/b.mp4"


def test_a_target_without_a_value_is_not_met(labels):
    rows = figure_rows(evaluation_object(score(Truth(labels), {}, oracle=[])))
    assert [row.is_met for row in rows if row.figure == "heads.precision" and row.scope == "all"] == [False]


def test_every_figure_of_people_and_tracks_stands_under_its_name(evaluation: Evaluation):
    report = evaluation_object(evaluation)
    figures = {row.figure for row in figure_rows(report) if row.scope == "all"}
    grouping = ("bcubed_f1", "pairwise_f1", "nmi", "wcp")
    for part in ("identity", "identity.within_every_clip", "identity.over_clips", "portraits", "spy"):
        assert {f"{part}.{name}" for name in (*grouping, "people", "persons")} <= figures
    assert {f"appearance.{name}" for name in (*grouping, "looks", "looks_found")} <= figures
    tracks = ("hota", "det_a", "ass_a", "idf1", "mota", "switches", "fragments")
    assert {f"tracks.{name}" for name in tracks} <= figures
    for gap in ("over_cuts", "over_occlusions"):
        assert {f"tracks.{gap}.{name}" for name in ("gaps", "one_track_share", "one_person_share")} <= figures
    assert {"ordering.accuracy", "ordering.chain", "spy.one_person.bcubed_f1"} <= figures
    assert {"identity_calibration.expected_error", "link_calibration.expected_error"} <= figures
