import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headtrack.linking.competition import contested_probability

LINKS = st.lists(
    st.tuples(st.floats(-30, 30), st.integers(0, 4), st.integers(0, 4)),
    max_size=20,
    unique_by=lambda k: k[1:],
)


def columns(links: list[tuple[float, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    odds, end, start = np.array(links, np.float64).reshape(-1, 3).T
    return odds, end.astype(np.int64), start.astype(np.int64)


def test_no_links_have_no_probabilities():
    assert len(contested_probability(*columns([]))) == 0


def test_a_link_without_a_rival_is_worth_its_own_odds():
    assert np.isclose(contested_probability(*columns([(1.5, 0, 3)]))[0], 1 / (1 + np.exp(-1.5)))


def test_huge_and_impossible_odds_stay_numbers():
    got = contested_probability(np.array([900.0, -np.inf]), np.array([0, 0]), np.array([0, 1]))
    assert got.tolist() == [1, 0]


@given(LINKS)
def test_it_is_the_share_of_a_link_among_all_that_exclude_it(links):
    got = contested_probability(*columns(links))
    for k, (odds, end, start) in enumerate(links):
        rivals = [o for j, (o, e, s) in enumerate(links) if j != k and (e == end or s == start)]
        expected = np.exp(odds) / (1 + np.exp(odds) + np.exp(rivals).sum())
        assert np.isclose(got[k], expected)


@given(LINKS)
def test_links_of_one_end_share_at_most_certainty(links):
    odds, end, start = columns(links)
    got = contested_probability(odds, end, start)
    assert (np.bincount(end, weights=got, minlength=1) <= 1 + 1e-9).all()
    assert (np.bincount(start, weights=got, minlength=1) <= 1 + 1e-9).all()
