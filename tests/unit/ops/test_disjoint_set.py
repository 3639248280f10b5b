from hypothesis import given
from hypothesis import strategies as st

from headtrack.ops.disjoint_set import DisjointSet

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)


@given(PAIRS, PAIRS)
def test_constraints_hold_whatever_is_joined(joins, apart):
    apart = [(a, b) for a, b in apart if a != b]
    groups = DisjointSet(10, cannot_link=apart)
    for a, b in joins:
        allowed = groups.allowed(a, b)
        assert groups.union(a, b) == (allowed or groups.find(a) == groups.find(b))
    labels = groups.labels()
    assert all(labels[a] != labels[b] for a, b in apart)
    for item in range(10):
        assert sorted(groups.members(item)) == [k for k in range(10) if labels[k] == labels[item]]
