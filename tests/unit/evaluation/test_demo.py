from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headtrack.evaluation import demo_clip
from headtrack.evaluation.demo import compare
from headtrack.evaluation.demo_clip import ClipTruth, TrueHead, TrueShot, heads_in, window_at
from headtrack.evaluation.demo_sources import PASSENGER, SHOT_PLANS, STILLS, ShotPlan, Still, Window
from headtrack.evaluation.predictions import Found, FoundHeads


@pytest.fixture
def truth() -> ClipTruth:
    """Three shots of two frames; A is in the first and last, B in the last."""
    a, b = (10.0, 10.0, 30.0, 40.0), (60.0, 10.0, 80.0, 40.0)
    heads = [TrueHead(f, "A", a, True) for f in (0, 1, 4, 5)] + [TrueHead(f, "B", b, True) for f in (4, 5)]
    shots = (TrueShot(0, 2, "x", ("A",)), TrueShot(2, 4, "y", ()), TrueShot(4, 6, "z", ("A", "B")))
    return ClipTruth(25, 100, 50, shots, tuple(heads))


def found_as(truth: ClipTruth, persons: list[str]) -> Found:
    n = len(truth.heads)
    heads = FoundHeads(
        frame=np.array([head.frame for head in truth.heads]),
        xyxy=np.array([head.xyxy for head in truth.heads]),
        score=np.ones(n),
        view=np.array(["front"] * n),
        track=np.zeros(n),
        person=np.array(persons),
        appearance=np.array(persons),
        tracklet=np.zeros(n),
    )
    return Found(heads, np.array([2, 4]))


def test_finding_the_truth_itself_is_all_right(truth):
    score = compare(truth, found_as(truth, ["p1"] * 4 + ["p2"] * 2))
    assert (score.shots.tp, score.shots.fp, score.shots.fn) == (2, 0, 0)
    assert (score.heads.recall, score.heads.precision, score.identity.f1) == (1, 1, 1)
    assert [person.is_right for person in score.people] == [True, True]
    assert score.people[0].shots == score.people[0].shots_found == (0, 2)


def test_a_person_under_two_ids_is_not_found_once_over_the_shots(truth):
    score = compare(truth, found_as(truth, ["p1", "p1", "p3", "p3", "p2", "p2"]))
    first, second = score.people
    assert (first.persons, first.shots_found, first.is_right) == (("p1", "p3"), (0,), False)
    assert second.is_right
    assert score.identity.recall < 1
    assert score.identity.precision == 1


def test_two_people_under_one_id_are_both_wrong(truth):
    score = compare(truth, found_as(truth, ["p1"] * 6))
    assert [person.shared_with for person in score.people] == [("B",), ("A",)]
    assert not any(person.is_right for person in score.people)


def test_finding_nothing_counts_every_head_as_missed(truth):
    score = compare(truth, Found(FoundHeads.empty(), np.zeros(0, np.int64)))
    assert (score.heads.fn, score.heads.fp, score.shots.fn) == (6, 0, 2)
    assert [person.persons for person in score.people] == [(), ()]
    assert not any(person.is_right for person in score.people)


def test_a_person_where_the_truth_has_nobody_is_extra(truth):
    found = found_as(truth, ["p1"] * 4 + ["p2"] * 2)
    ghost = replace(found.heads[:1], frame=np.array([2]), person=np.array(["p9"]))
    joined = FoundHeads(
        *(
            np.concatenate([getattr(found.heads, name), getattr(ghost, name)])
            for name in ("frame", "xyxy", "score", "view", "track", "person", "appearance", "tracklet")
        )
    )
    score = compare(truth, Found(joined, found.cut))
    assert (score.heads.fp, score.extra_persons) == (1, ("p9",))


def test_a_head_moves_as_the_window_does():
    plan = ShotPlan("touchline", 2, (0, 0, 1280), (640, 0, 640))
    whole, right_half = (window_at(plan, index, aspect=16 / 9) for index in (0, 1))
    assert right_half == Window(640, 0, 1280, 360)
    bald, grey = heads_in(plan, 0, whole, 0)
    assert bald.xyxy == (240, 101.5, 332, 226.5)
    (only,) = [head for head in heads_in(plan, 1, right_half, 1) if head.scored]
    assert (only.person, only.xyxy) == ("grey", (253, 42, 432, 290))
    assert grey.scored


def test_a_head_of_which_little_is_seen_is_not_scored():
    plan = ShotPlan("touchline", 1, (600, 0, 640), (600, 0, 640))
    heads = heads_in(plan, 0, window_at(plan, 0, aspect=16 / 9), 0)
    assert {head.person: head.scored for head in heads} == {"bald": False, "grey": True}


def test_every_window_stays_inside_its_source():
    sizes = {"portrait": (512, 512), "street": (810, 1080), "touchline": (1280, 720), "coffee": (600, 400)}
    for plan in SHOT_PLANS:
        width, height = sizes.get(plan.source, (176, 144))
        aspect = 16 / 9 / (128 / 117 if plan.source == PASSENGER else 1)
        for index in (0, plan.frames - 1):
            window = window_at(plan, index, aspect=aspect)
            assert min(window.x1, window.y1) >= 0
            assert window.x2 <= width
            assert window.y2 <= height


def test_everybody_is_in_two_shots_and_one_shot_is_empty():
    seen = [set(STILLS[plan.source].heads) if plan.source in STILLS else {PASSENGER} for plan in SHOT_PLANS]
    for person in set().union(*seen):
        assert sum(person in shot for shot in seen) >= 2
    assert sum(not shot for shot in seen) == 1


def test_a_missing_photograph_says_what_to_install(monkeypatch, tmp_path: Path):
    monkeypatch.setitem(
        demo_clip.STILLS, "portrait", Still("no-such-package", "no_such_package", "a.png", {})
    )
    with pytest.raises(demo_clip.DatasetError, match=r"no-such-package .*pip install"):
        demo_clip._photograph("portrait")
