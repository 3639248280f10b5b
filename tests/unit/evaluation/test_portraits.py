from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.evaluate import evaluate
from headtrack.evaluation.labels import Labels
from headtrack.evaluation.portraits import Portraits, read_portraits, score_portraits
from headtrack.evaluation.predictions import Found
from headtrack.evaluation.report import evaluation_object
from headtrack.store.database import open_writer

PEOPLE = """image,identity,appearance,confidence
stills/people/a1.jpg,A,updo,high
stills/people/a2.jpg,A,updo,high
stills/people/a3.jpg,A,loose,low
stills/people/b1.jpg,B,,
"""
CUT = np.zeros(0, np.int64)


@pytest.fixture
def with_people(data_dir: Path) -> Path:
    for name in (
        "people/a1.jpg",
        "people/a2.jpg",
        "people/a3.jpg",
        "people/b1.jpg",
        "orl/s1/1.pgm",
        "orl/s2/1.pgm",
    ):
        path = data_dir / "stills" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (data_dir / "labels/people.csv").write_text(PEOPLE)
    return data_dir


def portraits(*rows: tuple[str, str, str]) -> Portraits:
    return Portraits(*(np.array([row[k] for row in rows], str) for k in range(3)))


def test_people_sightings_and_folders_of_one_person_are_one_list(with_people: Path, labels: Labels):
    read = read_portraits(with_people, labels.sightings)
    assert dict(zip(read.media.tolist(), read.identity.tolist(), strict=True)) == {
        "stills/one.png": "H1",
        "stills/two.png": "H2",
        "stills/people/a1.jpg": "A",
        "stills/people/a2.jpg": "A",
        "stills/people/a3.jpg": "A",
        "stills/people/b1.jpg": "B",
        "stills/orl/s1/1.pgm": "stills/orl s1",
        "stills/orl/s2/1.pgm": "stills/orl s2",
    }
    assert read.appearance[read.identity == "A"].tolist() == ["updo", "updo", "loose"]


def test_a_folder_without_any_portrait_has_none(data_dir: Path):
    assert len(read_portraits(data_dir, ())) == 0
    score = score_portraits(read_portraits(data_dir, ()), {})
    assert (score.identity.people, score.identity.persons, score.identity.bcubed.items) == (0, 0, 0)


def test_a_still_that_is_not_there_is_named_by_line(with_people: Path):
    (with_people / "stills/people/a2.jpg").unlink()
    with pytest.raises(DatasetError, match=r"people\.csv.*3.*a2\.jpg is missing"):
        read_portraits(with_people, ())


def test_a_still_labelled_twice_is_refused(with_people: Path):
    (with_people / "labels/people.csv").write_text(PEOPLE + "stills/people/a1.jpg,B,,\n")
    with pytest.raises(DatasetError, match=r"a1\.jpg is labelled twice"):
        read_portraits(with_people, ())


def test_the_largest_head_of_a_still_is_its_person(make_found):
    truth = portraits(("1", "A", "updo"), ("2", "A", "loose"), ("3", "B", ""))
    behind = (0, 0, 0, 5, 5, "front", 1, "p9", "p9.1")
    found = {
        "1": Found(make_found((0, 10, 10, 90, 90, "front", 0, "p1", "p1.1"), behind), CUT),
        "2": Found(make_found(behind, (0, 10, 10, 90, 90, "front", 0, "p1", "p1.2")), CUT),
        "3": Found(make_found((0, 10, 10, 90, 90, "front", 0, "p2", "p2.1")), CUT),
    }
    score = score_portraits(truth, found)
    assert (score.identity.bcubed.f1, score.identity.pairs.f1) == (1, 1)
    assert (score.identity.people, score.identity.persons) == (2, 2)
    assert (score.appearance.bcubed.f1, score.appearance.bcubed.items) == (1, 2)


def test_looks_are_scored_inside_each_person_only(make_found):
    truth = portraits(("1", "A", "updo"), ("2", "A", "updo"), ("3", "B", "updo"), ("4", "B", "loose"))
    found = {
        media: Found(make_found((0, 10, 10, 90, 90, "front", 0, person, look)), CUT)
        for media, person, look in (
            ("1", "p1", "p1.1"),
            ("2", "p1", "p1.1"),
            ("3", "p2", "p2.1"),
            ("4", "p2", "p2.1"),
        )
    }
    score = score_portraits(truth, found)
    assert score.appearance.bcubed.recall == 1
    assert score.appearance.bcubed.precision == pytest.approx((1 + 1 + 0.5 + 0.5) / 4)


def test_a_missed_still_is_a_person_of_its_own(make_found):
    truth = portraits(("1", "A", ""), ("2", "A", ""))
    found = {"1": Found(make_found((0, 10, 10, 90, 90, "front", 0, "p1")), CUT)}
    score = score_portraits(truth, found)
    assert (score.identity.pairs.recall, score.identity.bcubed.recall) == (0, 0.5)
    assert score.identity.hit_bcubed.recall == 1


def test_the_portraits_are_an_archive_of_their_own_and_what_was_not_analysed_is_named(with_people: Path):
    given = dict[str, set[str]]()

    def run_archive(paths: list[Path], to: Path) -> None:
        given[to.name] = {path.relative_to(with_people.resolve()).as_posix() for path in paths}
        with open_writer(to):
            pass

    evaluation = evaluate(with_people, run_archive=run_archive, db=with_people / "eval.duckdb")
    assert {"stills/people/a1.jpg", "stills/orl/s1/1.pgm", "stills/one.png"} <= given["eval-portraits.duckdb"]
    assert {"clips/a.mp4", "stills/one.png"} <= given["eval.duckdb"]
    assert not given["eval.duckdb"] & {"stills/people/a1.jpg", "stills/orl/s1/1.pgm"}
    assert set(evaluation.not_analysed) == set.union(*given.values())
    assert evaluation_object(evaluation)["portraits"]["people"] == 6
