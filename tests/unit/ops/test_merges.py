import numpy as np
import pytest

from headtrack.ops.merges import Merges


def test_a_higher_limit_leaves_fewer_joins_and_labels_go_by_first_row():
    merges = Merges(5, np.array([[3, 4], [1, 3], [0, 1]]), np.array([4.0, 2.0, 1.0]), 0.0)
    assert merges.labels(3.0).tolist() == [0, 1, 2, 3, 3]
    assert merges.labels(2.0).tolist() == [0, 1, 2, 1, 1]
    assert merges.labels(0.0).tolist() == [0, 0, 1, 0, 0]


def test_a_limit_below_those_looked_for_is_refused():
    with pytest.raises(ValueError, match=r"from 0\.5 on, not from 0\.0"):
        Merges(2, np.zeros((0, 2), np.int32), np.zeros(0), 0.5).labels(0.0)
