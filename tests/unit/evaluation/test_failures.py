from __future__ import annotations

import numpy as np

from headtrack.evaluation.failures import find_failures
from headtrack.evaluation.predictions import Found


def _kinds(failures):
    return [(f.kind, f.clip, f.frame, f.label, f.person, f.instead) for f in failures]


def test_a_perfect_run_has_no_failures(labels, perfect):
    assert find_failures(labels, perfect) == []


def test_missed_false_and_turned_heads_are_listed_with_their_boxes(labels, perfect, make_found):
    heads = make_found(
        (0, 10, 10, 30, 30, "profile", 0, "p1"),
        (10, 12, 10, 32, 30, "front", 0, "p1"),
        (20, 1, 1, 9, 9, "rear", 5, "p7"),
    )
    failures = find_failures(labels, perfect | {"clips/a.mp4": Found(heads, np.zeros(0, int))})
    assert _kinds(failures) == [
        ("missed", "a.mp4", 0, "P2", "", ""),
        ("false", "a.mp4", 20, "", "p7", ""),
        ("wrong_view", "a.mp4", 0, "P1", "p1", "front"),
    ]
    assert [f.xyxy for f in failures[:2]] == [(60, 10, 80, 30), (1, 1, 9, 9)]
    assert [f.track for f in failures] == [-1, 5, 0]


def test_a_person_found_as_two_is_split_from_the_main_one(labels, perfect, make_found):
    heads = make_found((5, 10, 10, 30, 30, "rear", 0, "p3"), (7, 10, 10, 30, 30, "profile", 1, "p4"))
    failures = find_failures(labels, perfect | {"clips/b.mp4": Found(heads, np.zeros(0, int))})
    assert _kinds(failures) == [("split", "b.mp4", 7, "P1", "p4", "p3")]


def test_a_person_found_as_another_is_merged_also_over_clips(labels, perfect, make_found):
    heads = make_found((5, 10, 10, 30, 30, "rear", 0, "p1"))
    failures = find_failures(labels, perfect | {"clips/b.mp4": Found(heads, np.zeros(0, int))})
    assert ("merged", "b.mp4", 5, "P1", "p1", "H1") in _kinds(failures)


def test_nothing_found_is_all_missed(labels):
    assert {f.kind for f in find_failures(labels, {})} == {"missed"}
