import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.ops.cluster_odds import ClusterOdds
from headtrack.ops.face_evidence import MAX_LOG_ODDS, FaceScale, same_person_log_odds
from headtrack.ops.look_evidence import same_look_log_odds
from headtrack.ops.pair_odds import face_odds, look_odds, mean_odds_to_rest
from headtrack.ops.vectors import unit

SCALE = FaceScale(intercept=-1.0, per_cosine=3.0, per_recognisability=-2.0, per_both=4.0)


def drawn(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return unit(rng.normal(size=(n, 6))), rng.random(n)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30))
def test_pairs_and_blocks_are_those_of_the_matrix_and_features_nearly(seed, n):
    face, clear = drawn(seed, n)
    expected = same_person_log_odds(face, clear, SCALE)
    odds = face_odds(face, clear, SCALE)
    a, b = np.divmod(np.arange(n * n), n)
    np.testing.assert_allclose(odds.of_pairs(a, b), expected.ravel(), atol=1e-5)
    np.testing.assert_allclose(odds.of_block(np.arange(n), np.arange(n)), expected, atol=1e-5)
    # The features know no limit to what a pair may say; between limited numbers no gap is wider.
    of_features = np.clip(odds.feature * odds.weight @ odds.feature.T, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    most = (abs(SCALE.per_recognisability) + SCALE.per_both) / 8
    limited = np.clip(expected, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    np.testing.assert_allclose(of_features, limited, atol=most + 1e-5)


def test_features_of_looks_are_exact_within_the_limits_of_a_pair():
    look = unit(np.random.default_rng(0).normal(3, 1, (5, 4)))
    odds = look_odds(look)
    within = np.clip(odds.feature * odds.weight @ odds.feature.T, -4, 4)
    np.testing.assert_allclose(within, same_look_log_odds(look @ look.T), atol=1e-4)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 60))
def test_means_of_clusters_are_those_over_all_pairs_of_members(seed, n):
    rng = np.random.default_rng(seed)
    face, clear = drawn(seed, n)
    expected, size = same_person_log_odds(face, clear, SCALE), rng.integers(1, 4, n)
    clusters = ClusterOdds(face_odds(face, clear, SCALE), size)
    members = [[row] for row in range(n)]
    for _ in range(int(rng.integers(0, n - 1))):
        a, b = sorted(rng.choice([k for k in range(n) if members[k]], 2, replace=False).tolist())
        clusters.join(np.array([a]), np.array([b]))
        members[a], members[b] = members[a] + members[b], []
    a, b = rng.choice([k for k in range(n) if members[k]], 2, replace=False)
    weight = np.outer(size[members[a]], size[members[b]])
    mean = (weight * expected[np.ix_(members[a], members[b])]).sum() / weight.sum()
    assert abs(clusters.mean(np.array([a]), np.array([b]))[0] - mean) < 1e-4


def test_the_mean_to_the_rest_needs_no_pairs():
    face, clear = drawn(3, 12)
    clear = np.round(clear)
    expected = same_person_log_odds(face, clear, SCALE)
    np.fill_diagonal(expected, 0)
    found = mean_odds_to_rest(face_odds(face, clear, SCALE))
    np.testing.assert_allclose(found, expected.sum(1) / 11, atol=1e-4)
    assert mean_odds_to_rest(face_odds(face[:0], clear[:0], SCALE)).shape == (0,)
