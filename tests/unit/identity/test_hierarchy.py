import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.methods import METHODS
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.ops.vectors import unit
from headtrack.settings import IdentitySettings
from headtrack.types import TrackGallery

SCALE = FACE_SCALES["sface"]
AXES = np.eye(8, dtype=np.float32)


def gallery(people: list[int], looks: list[int], pairs: list[tuple[int, int]] = ()) -> TrackGallery:
    """Build tracks whose faces and looks lie on axes; person -1 has no face."""
    n = len(people)
    face = np.stack([AXES[p] if p >= 0 else np.full(8, np.nan) for p in people]) if n else np.zeros((0, 8))
    return TrackGallery(
        np.full(n, "v"), np.arange(n), face, np.array(people) >= 0, np.ones(n), AXES[looks].reshape(n, 8),
        np.array(pairs, np.int32).reshape(-1, 2),
    )  # fmt: skip


def test_no_tracks_give_an_empty_tree():
    assert len(build_hierarchy(gallery([], []), SCALE, IdentitySettings())) == 0


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_method_finds_people_and_keeps_two_heads_of_one_frame_apart(method):
    tracks = gallery([0, 1, 0, 1, 2, -1, 0, 0], [0] * 8, [(6, 7)])
    tree = build_hierarchy(tracks, SCALE, IdentitySettings(method=method))
    identity = tree.identity.tolist()
    assert identity[1] == identity[3] != identity[0]
    assert identity[6] != identity[7]
    assert identity[4] not in {identity[0], identity[1]}
    assert identity.count(identity[5]) == 1


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_method_takes_embeddings_of_a_network_s_width(method):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(5, 128))
    face = unit(np.repeat(centres, 8, axis=0) + rng.normal(0, 0.05, (40, 128)))
    none, look = np.zeros((0, 2), np.int32), np.ones((40, 1), np.float32)
    tracks = TrackGallery(np.full(40, "v"), np.arange(40), face, np.ones(40), np.ones(40), look, none)
    tree = build_hierarchy(tracks, SCALE, IdentitySettings(method=method))
    np.testing.assert_array_equal(tree.identity, np.repeat(np.arange(5), 8))


@pytest.mark.parametrize("method", list(METHODS))
def test_one_person_alone_is_one_identity_not_noise(method):
    tree = build_hierarchy(gallery([0], [0]), SCALE, IdentitySettings(method=method))
    assert (tree.identity.tolist(), tree.appearance.tolist(), tree.strength.tolist()) == ([0], [0], [1.0])


def test_one_person_in_two_looks_has_two_appearances():
    tree = build_hierarchy(gallery([0, 0, 0, 1], [0, 1, 0, 0]), SCALE, IdentitySettings())
    assert tree.identity.tolist() == [0, 0, 0, 1]
    assert tree.appearance.tolist() == [0, 1, 0, 2]


@given(
    st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 2)), max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=6),
)
def test_appearance_refines_identity_and_constraints_hold(spec, pairs):
    n = len(spec)
    pairs = [(a, b) for a, b in pairs if a != b and max(a, b) < n]
    tree = build_hierarchy(
        gallery([p for p, _ in spec], [k for _, k in spec], pairs), SCALE, IdentitySettings()
    )
    for a, b in pairs:
        assert tree.identity[a] != tree.identity[b]
    for appearance in set(tree.appearance.tolist()):
        assert len(set(tree.identity[tree.appearance == appearance].tolist())) == 1


@pytest.mark.parametrize(("probability", "people", "looks"), [(0.0, 2, 2), (1.0, 5, 5)])
def test_limits_of_0_and_1_join_everything_that_may_meet_and_nothing(probability, people, looks):
    chosen = IdentitySettings(min_probability=probability, min_look_probability=probability)
    tree = build_hierarchy(gallery([0, 0, 1, 2, 2], [0, 1, 0, 0, 0], [(0, 1)]), SCALE, chosen)
    assert len(set(tree.identity.tolist())) == people
    assert len(set(tree.appearance.tolist())) == looks


def test_the_more_people_the_more_evidence_two_tracks_need():
    rng = np.random.default_rng(3)
    pair = np.array([[1.0, 0, 0, 0], [0.36, np.sqrt(1 - 0.36**2), 0, 0]])  # cosine 0.36
    alone = np.concatenate([pair, np.zeros((2, 196))], axis=1)
    strangers = np.concatenate([np.zeros((80, 4)), unit(rng.normal(size=(80, 196)))], axis=1)
    for crowd, expected in ((alone, 1), (np.concatenate([alone, strangers]), 82)):
        n = len(crowd)
        tracks = TrackGallery(
            np.full(n, "v"), np.arange(n), crowd, np.ones(n, bool), np.ones(n), np.ones((n, 1), np.float32),
            np.zeros((0, 2), np.int32),
        )  # fmt: skip
        tree = build_hierarchy(tracks, SCALE, IdentitySettings())
        assert len(np.unique(tree.identity)) == expected
