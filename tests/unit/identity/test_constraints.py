from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.identity.constraints import block_gallery, blocks, obey
from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.methods import METHODS
from headtrack.ops.face_evidence import FACE_SCALES, FaceScale, same_person_log_odds
from headtrack.settings import IdentitySettings
from headtrack.types import Correction, TrackGallery
from headtrack.types.corrections import ASSIGN, MERGE, REJECT, SPLIT
from tests.unit.identity.test_hierarchy import gallery

SCALE = FACE_SCALES["sface"]


def said(number: int, kind: str, a: list[int], b: list[int] = (), c: list[int] = ()) -> Correction:
    return Correction(number, kind, f"{kind} {number}", a, b, c)


def identities(tracks: TrackGallery, *corrections: Correction, method: str = "average") -> list[int]:
    settings = IdentitySettings(method=method)
    return build_hierarchy(obey(tracks, corrections).gallery, SCALE, settings).identity.tolist()


def test_without_corrections_the_gallery_stays_as_it_is():
    tracks = gallery([0, 0, 1], [0, 0, 0], [(0, 2)])
    obeyed = obey(tracks, [])
    assert obeyed.contradicted == ()
    assert obeyed.gallery.must_link.tolist() == []
    assert obeyed.gallery.cannot_link.tolist() == [[0, 2]]
    assert blocks(tracks).tolist() == [0, 1, 2]
    assert block_gallery(tracks, blocks(tracks)) is tracks


def test_no_tracks_obey_a_correction_whose_heads_are_gone():
    obeyed = obey(gallery([], []), [said(1, MERGE, [])])
    assert (len(obeyed.gallery), obeyed.contradicted) == (0, ())
    assert len(block_gallery(obeyed.gallery, blocks(obeyed.gallery))) == 0


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_method_joins_what_a_person_joined_and_parts_what_a_person_parted(method):
    tracks = gallery([0, 0, 0, 1, 1, -1, -1, 2], [0] * 8)
    found = identities(
        tracks,
        said(1, MERGE, [3, 4], [7]),
        said(2, SPLIT, [2], [0, 1]),
        said(3, ASSIGN, [5], [0, 1]),
        method=method,
    )
    assert found == [0, 0, 1, 2, 2, 0, 3, 2]


def test_tracks_without_a_face_become_one_person_where_somebody_says_so_and_their_strength_is_known():
    tracks = obey(gallery([-1, 0, -1, 0], [0] * 4), [said(1, MERGE, [0], [2]), said(2, ASSIGN, [0], [1])])
    tree = build_hierarchy(tracks.gallery, SCALE, IdentitySettings())
    assert tree.identity.tolist() == [0, 0, 0, 0]
    assert tree.strength[[0, 2]].tolist() == [1, 1]
    assert (tree.strength[[1, 3]] > 0.9).all()


def test_a_rejected_person_stays_apart_whatever_the_faces_say():
    assert identities(gallery([0, 0, 0], [0] * 3), said(1, REJECT, [0, 1], [2])) == [0, 0, 1]


def test_two_heads_in_one_frame_stay_two_people_and_the_correction_is_told():
    obeyed = obey(gallery([0, 1, 1], [0] * 3, [(0, 1)]), [said(1, MERGE, [0], [1, 2])])
    assert [c.number for c in obeyed.contradicted] == [1]
    identity = build_hierarchy(obeyed.gallery, SCALE, IdentitySettings()).identity
    assert identity[0] != identity[1]


@pytest.mark.parametrize(
    ("first", "second", "one_person"),
    [(MERGE, SPLIT, False), (SPLIT, MERGE, True), (REJECT, ASSIGN, True), (ASSIGN, REJECT, False)],
)
def test_who_changes_their_mind_about_two_tracks_is_obeyed_without_a_warning(first, second, one_person):
    tracks = gallery([0, 1], [0, 0])
    for faces in (tracks, gallery([0, 0], [0, 0])):
        obeyed = obey(faces, [said(1, first, [0], [1]), said(2, second, [0], [1])])
        assert obeyed.contradicted == ()
        identity = build_hierarchy(obeyed.gallery, SCALE, IdentitySettings()).identity
        assert (identity[0] == identity[1]) == one_person


def test_a_chain_of_later_corrections_beats_an_earlier_one_and_that_is_told():
    # 0 is not 2; later 0 is 1, and 1 is 2: nobody took back the first, so it is told.
    obeyed = obey(
        gallery([0, 1, 2], [0] * 3),
        [said(1, REJECT, [0], [2]), said(2, MERGE, [0], [1]), said(3, MERGE, [1], [2])],
    )
    assert [c.number for c in obeyed.contradicted] == [1]
    assert blocks(obeyed.gallery).tolist() == [0, 0, 0]


def test_two_former_tracks_that_are_one_now_cannot_be_two_people_and_that_is_told():
    obeyed = obey(gallery([0, 1], [0, 0]), [said(1, SPLIT, [0], [0, 1])])
    assert [c.number for c in obeyed.contradicted] == [1]
    assert obeyed.gallery.cannot_link.tolist() == [[0, 1]]


def test_what_a_later_split_leaves_of_a_merge_stays_merged():
    tracks = gallery([0, 1, 2, 3], [0] * 4)
    found = identities(tracks, said(1, MERGE, [0, 1], [2, 3]), said(2, SPLIT, [2], [0, 1, 3]))
    assert found == [0, 0, 1, 0]


def test_a_block_is_to_other_tracks_what_its_tracks_are_in_the_mean():
    even = FaceScale(intercept=-1.0, per_cosine=4.0)  # no pair reaches the limit of its odds
    rng = np.random.default_rng(0)
    face = rng.normal(size=(4, 8)).astype(np.float32)
    face /= np.linalg.norm(face, axis=1, keepdims=True)
    tracks = replace(gallery([0, 1, 2, 3], [0] * 4, [(1, 3)]), face=face, must_link=[(0, 1)])
    joined = block_gallery(tracks, blocks(tracks))
    pairs = same_person_log_odds(face, np.ones(4), even)
    of_blocks = same_person_log_odds(joined.face, joined.face_recognisability, even)
    np.testing.assert_allclose(of_blocks[0, 1:], pairs[:2, 2:].mean(axis=0), rtol=1e-5)
    assert joined.cannot_link.tolist() == [[0, 2]]
    assert joined.track.tolist() == [0, 2, 3]


SETS = st.lists(st.integers(0, 7), max_size=4)


@given(
    st.lists(st.integers(-1, 3), min_size=8, max_size=8),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=5),
    st.lists(st.tuples(st.sampled_from([MERGE, SPLIT, ASSIGN, REJECT]), SETS, SETS, SETS), max_size=5),
)
def test_constraints_never_contradict_frames_hold_and_the_last_word_is_obeyed(people, frames, spoken):
    frames = [(min(a, b), max(a, b)) for a, b in frames if a != b]
    tracks = gallery(people, [0] * 8, frames)
    corrections = [said(n + 1, *words) for n, words in enumerate(spoken)]
    obeyed = obey(tracks, corrections)
    identity = build_hierarchy(obeyed.gallery, SCALE, IdentitySettings()).identity
    for a, b in [*frames, *obeyed.gallery.cannot_link.tolist()]:
        assert identity[a] != identity[b]
    for a, b in obeyed.gallery.must_link.tolist():
        assert identity[a] == identity[b]
    told = {c.number for c in obeyed.contradicted}
    for last in corrections[-1:]:
        if last.number not in told:
            assert len(set(identity[last.together].tolist())) <= 1
            left, right = last.apart
            assert not set(identity[left].tolist()) & set(identity[right].tolist())
    backwards = obey(tracks, corrections[::-1])
    assert backwards.gallery.must_link.tolist() == obeyed.gallery.must_link.tolist()
    assert backwards.gallery.cannot_link.tolist() == obeyed.gallery.cannot_link.tolist()
