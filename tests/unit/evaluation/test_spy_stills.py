from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.predictions import Found
from headtrack.evaluation.report_identity import spy_figures
from headtrack.evaluation.spy_stills import CastStill, read_spy_stills, score_spy_stills
from headtrack.evaluation.truth import read_truth

TABLE = """image,scene,still,persons,note
stills/spy/1.jpg,1,1,NONE,
stills/spy/2.jpg,1,2,P1;P2:r,
stills/spy/3.jpg,1,3,P1?,
stills/spy/4.jpg,1,4,IGN,
"""
CUT = np.zeros(0, np.int64)


@pytest.fixture
def with_spy(data_dir: Path) -> Path:
    (data_dir / "stills/spy").mkdir(parents=True)
    for number in range(1, 5):
        (data_dir / f"stills/spy/{number}.jpg").touch()
    (data_dir / "labels/spy_stills.csv").write_text(TABLE)
    return data_dir


def test_who_is_in_a_still_is_read_and_what_is_unsure_is_not_scored(with_spy: Path):
    stills = read_spy_stills(with_spy)
    assert [still.people for still in stills] == [(), ("P1", "P2"), ("P1?",), ("IGN",)]
    assert [still.is_scored for still in stills] == [True, True, False, False]


def test_every_still_is_analysed(with_spy: Path):
    assert {f"stills/spy/{number}.jpg" for number in range(1, 5)} <= set(read_truth(with_spy).media)


def test_a_folder_without_the_table_has_none(data_dir: Path):
    assert read_spy_stills(data_dir) == ()
    assert spy_figures(score_spy_stills((), {}))["bcubed_f1"] is None


def test_a_still_that_is_not_there_and_a_name_twice_are_told_by_line(with_spy: Path):
    table = with_spy / "labels/spy_stills.csv"
    table.write_text(TABLE.replace("P1;P2:r", "P2;P2:r"))
    with pytest.raises(DatasetError, match=r"line 3.*named twice"):
        read_spy_stills(with_spy)
    table.write_text(TABLE + "stills/spy/9.jpg,2,1,P1,\n")
    with pytest.raises(DatasetError, match=r"line 6.*9\.jpg is missing"):
        read_spy_stills(with_spy)


def head(person: str, side: float, make_found):
    return make_found((0, 0, 0, side, side, "front", 0, person))


def test_people_are_scored_by_the_heads_that_fit_and_strangers_do_not_count(make_found):
    stills = [
        CastStill("1", ("P1", "P2"), True),
        CastStill("2", ("P1",), True),
        CastStill("3", ("P1?",), False),
        CastStill("4", (), True),
    ]
    two = make_found((0, 0, 0, 9, 9, "front", 0, "x"), (0, 20, 0, 30, 10, "front", 1, "y"))
    found = {
        "1": Found(two, CUT),
        "2": Found(make_found((0, 0, 0, 4, 4, "front", 0, "z"), (0, 20, 0, 30, 10, "front", 1, "x")), CUT),
        "3": Found(head("y", 9, make_found), CUT),
        "4": Found(head("x", 9, make_found), CUT),
    }
    score = score_spy_stills(stills, found)
    assert score.persons == {"P1": ("x",), "P2": ("y",)}
    assert (score.every.bcubed.items, score.every.bcubed.f1, score.one_person.bcubed.items) == (3, 1, 1)


def test_a_still_of_one_person_goes_by_its_largest_head_whatever_fits_better(make_found):
    stills = [CastStill("1", ("P1",), True), CastStill("2", ("P1",), True)]
    heads = make_found((0, 0, 0, 4, 4, "front", 0, "x"), (0, 20, 0, 30, 10, "front", 1, "z"))
    found = {"1": Found(head("x", 9, make_found), CUT), "2": Found(heads, CUT)}
    score = score_spy_stills(stills, found)
    assert (score.every.pairs.recall, score.one_person.pairs.recall) == (1, 0)


def test_a_person_who_was_not_found_is_missed(make_found):
    score = score_spy_stills([CastStill("1", ("P1",), True)], {})
    assert (score.every.bcubed.items, score.every.hit_bcubed.items, score.persons) == (1, 0, {"P1": ()})
