from __future__ import annotations

from headtrack.metrics.naming import name_by_company


def test_who_is_alone_in_one_picture_is_known_in_all():
    assert name_by_company([["x", "y"], ["y"]], [["A", "B"], ["A"]]) == [[1, 0], [0]]


def test_people_who_are_always_together_are_named_alike_in_every_picture():
    chosen = name_by_company([["x", "y"], ["y", "x"], ["x", "y"]], [["A", "B"]] * 3)
    assert chosen in ([[0, 1], [1, 0], [0, 1]], [[1, 0], [0, 1], [1, 0]])


def test_two_ids_of_one_person_take_the_name_that_is_left():
    found = [["x", "z"], ["y", "z"], ["y", "z"], ["z"]]
    assert name_by_company(found, [["A", "B"]] * 3 + [["B"]]) == [[0, 1]] * 3 + [[0]]


def test_of_heads_nobody_knows_the_first_is_taken():
    assert name_by_company([["big", "small"]], [["A"]]) == [[0]]


def test_too_few_heads_leave_people_without_one():
    assert name_by_company([[], ["x"]], [["A"], ["A", "B"]]) == [[-1], [0, -1]]


def test_no_pictures_give_no_names():
    assert name_by_company([], []) == []
    assert name_by_company([["x"]], [[]]) == [[]]
