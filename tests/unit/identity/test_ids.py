from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtrack.identity.ids import TrackIds, name_people
from headtrack.types import IdentityTree, TrackGallery

Previous = dict[tuple[str, int], tuple[str, str]]


def gallery_of(keys: list[tuple[str, int]]) -> TrackGallery:
    none = np.zeros((len(keys), 0), np.float32)
    return TrackGallery(
        np.array([v for v, _ in keys], np.str_),
        np.array([t for _, t in keys]),
        none,
        np.zeros(len(keys)),
        np.zeros(len(keys)),
        none,
        np.zeros((0, 2)),
    )


def named(
    keys: list[tuple[str, int]],
    identity: list[int],
    appearance: list[int] | None = None,
    previous: Previous | None = None,
) -> TrackIds:
    looks = identity if appearance is None else appearance
    tree = IdentityTree(np.array(identity), np.array(looks), np.ones(len(keys)))
    return name_people(tree, gallery_of(keys), previous or {})


def remembered(keys: list[tuple[str, int]], ids: TrackIds) -> Previous:
    return dict(zip(keys, zip(ids.person.tolist(), ids.appearance.tolist(), strict=True), strict=True))


KEYS = [("v", 0), ("v", 1), ("v", 2), ("w", 0), ("w", 1)]


def test_nobody_gets_no_ids() -> None:
    assert len(named([], [])) == 0


def test_tracks_of_one_identity_share_a_person_and_of_two_do_not() -> None:
    person = named(KEYS, [0, 0, 1, 1, 2]).person
    assert person[0] == person[1] != person[2] == person[3] != person[4]


def test_a_person_of_two_looks_has_two_appearance_ids() -> None:
    ids = named(KEYS, [0, 0, 0, 1, 1], [0, 0, 1, 2, 2])
    assert len(set(ids.person.tolist())) == 2
    assert len(set(ids.appearance.tolist())) == 3


def test_ids_stay_when_a_video_more_comes_first_in_order() -> None:
    before = named(KEYS, [0, 0, 1, 1, 2])
    keys = [("a", 0), ("a", 1), *KEYS]
    after = named(keys, [5, 9, 5, 5, 7, 7, 3], previous=remembered(KEYS, before))
    assert after.person[2:].tolist() == before.person.tolist()
    assert after.appearance[2:].tolist() == before.appearance.tolist()
    assert after.person[0] == before.person[0]
    assert after.person[1] not in before.person


def test_the_larger_part_of_a_split_person_keeps_the_id() -> None:
    before = named(KEYS, [0, 0, 0, 0, 1])
    after = named(KEYS, [0, 1, 1, 1, 2], previous=remembered(KEYS, before))
    assert after.person[1] == before.person[0]
    assert after.person[0] not in before.person


def test_two_people_merged_keep_the_id_of_the_larger() -> None:
    before = named(KEYS, [0, 0, 0, 1, 1])
    after = named(KEYS, [0, 0, 0, 0, 0], previous=remembered(KEYS, before))
    assert set(after.person.tolist()) == {before.person[0]}


def test_the_id_of_a_vanished_track_is_not_given_to_somebody_else() -> None:
    before = named(KEYS, [0, 0, 0, 0, 1])
    # Track ("v", 0) gave person 0 its id; alone again, it must not derive the same one.
    after = named(KEYS, [1, 0, 0, 0, 2], previous=remembered(KEYS, before))
    assert len(set(after.person.tolist())) == 3


def test_persons_and_appearances_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="appearance"):
        TrackIds(np.array(["p_a"]), np.array([], np.str_))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
    st.data(),
)
def test_the_order_of_rows_changes_no_id_and_groups_stay_apart(labels, random, data) -> None:
    keys = [(f"v{i % 3}", i) for i in range(len(labels))]
    identity = [i for i, _ in labels]
    appearance = [i * 10 + a for i, a in labels]
    old = data.draw(st.lists(st.integers(0, 3), min_size=len(keys), max_size=len(keys)))
    previous = remembered(keys, named(keys, old))
    first = named(keys, identity, appearance, previous)

    order = list(range(len(keys)))
    random.shuffle(order)
    again = named(
        [keys[i] for i in order], [identity[i] for i in order], [appearance[i] for i in order], previous
    )
    assert again.person.tolist() == [first.person[i] for i in order]
    assert again.appearance.tolist() == [first.appearance[i] for i in order]
    assert len(set(zip(identity, first.person.tolist(), strict=True))) == len(set(identity))
    assert len(set(first.person.tolist())) == len(set(identity))
    assert len(set(zip(appearance, first.appearance.tolist(), strict=True))) == len(set(appearance))
    assert len(set(first.appearance.tolist())) == len(set(appearance))


def test_clustering_the_same_again_changes_nothing() -> None:
    before = named(KEYS, [0, 0, 1, 1, 2])
    after = named(KEYS, [2, 2, 0, 0, 1], previous=remembered(KEYS, before))
    assert after.person.tolist() == before.person.tolist()
    assert after.appearance.tolist() == before.appearance.tolist()
