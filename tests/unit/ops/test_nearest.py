import numpy as np

from headtrack.ops.nearest import NearestIndex
from headtrack.ops.vectors import unit


def test_few_rows_are_searched_exactly_and_only_those_asked_for_are_found():
    rows = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    among = np.arange(0, 50, 2)
    found = NearestIndex(rows).search(rows[:5], among, 3)
    products = rows[:5] @ rows[among].T
    np.testing.assert_array_equal(found.row, among[np.argsort(-products, axis=1)[:, :3]])


def test_an_inverted_file_forgets_rows_that_went_and_finds_changed_ones_anew():
    rows = unit(np.random.default_rng(1).normal(size=(400, 8)))
    index = NearestIndex(rows, exact_rows=100)
    assert index.search(rows[:1], np.arange(400), 1).row.tolist() == [[0]]
    assert index.search(rows[:1], np.arange(1, 400), 1).row.tolist() != [[0]]
    rows[7] = rows[0]
    index.renew(np.array([7]))
    assert index.search(rows[:1], np.arange(1, 400), 1).row.tolist() == [[7]]


def test_nothing_to_search_and_nothing_to_look_for_find_nothing():
    rows = np.ones((3, 2), np.float32)
    assert NearestIndex(rows).search(rows[:0], np.arange(3), 2).row.shape == (0, 2)
    assert NearestIndex(rows).search(rows, np.arange(0), 2).row.shape == (3, 0)
