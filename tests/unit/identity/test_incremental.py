"""An archive that grows video by video against one that is made at once."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.ids import TrackKey, name_people
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.ops.vectors import unit
from headtrack.settings import IdentitySettings
from headtrack.types import TrackGallery

Ids = dict[TrackKey, tuple[str, str]]
NONE = np.zeros((0, 2), np.int32)


def made(people: list[int], per_video: int, seed: int) -> TrackGallery:
    """Make tracks of people whose faces scatter, `per_video` tracks a video."""
    rng = np.random.default_rng(seed)
    n = len(people)
    centre = rng.normal(size=(10, 128))
    face = unit((centre[people] + rng.normal(0, 0.9, (n, 128))).astype(np.float32))
    video = np.array([f"v{row // per_video:03}" for row in range(n)], np.str_)
    look = unit(rng.normal(size=(n, 6)).astype(np.float32))
    clear = rng.uniform(0.3, 1, n)
    return TrackGallery(video, np.arange(n) % per_video, face, np.ones(n), clear, look, NONE)


def of_videos(gallery: TrackGallery, videos: list[str]) -> TrackGallery:
    mask = np.isin(gallery.video_id, videos)
    names = ("video_id", "track", "face", "face_weight", "face_recognisability", "look")
    return replace(gallery, **{name: getattr(gallery, name)[mask] for name in names})


def cluster(gallery: TrackGallery, previous: Ids) -> Ids:
    tree = build_hierarchy(gallery, FACE_SCALES["sface"], IdentitySettings())
    ids = name_people(tree, gallery, previous)
    keys = zip(gallery.video_id.tolist(), gallery.track.tolist(), strict=True)
    return dict(zip(keys, zip(ids.person.tolist(), ids.appearance.tolist(), strict=True), strict=True))


def partition(ids: Ids) -> set[frozenset[TrackKey]]:
    by_person: dict[str, set[TrackKey]] = {}
    for key, (person, _) in ids.items():
        by_person.setdefault(person, set()).add(key)
    return {frozenset(keys) for keys in by_person.values()}


@settings(max_examples=20)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=24), st.integers(0, 99), st.randoms())
def test_one_at_a_time_gives_the_people_of_all_at_once_and_untouched_people_keep_their_ids(
    people, seed, random
):
    gallery = made(people, 3, seed)
    videos = sorted(set(gallery.video_id.tolist()))
    random.shuffle(videos)
    ids: Ids = {}
    for count in range(1, len(videos) + 1):
        now = cluster(of_videos(gallery, videos[:count]), ids)
        kept = {key: value for key, value in now.items() if key in ids}
        for group in partition(ids):
            same = {key for key in kept if kept[key][0] == kept[min(group)][0]}
            if same == group:  # nothing came from or went to other people of before
                assert {kept[key][0] for key in group} == {ids[min(group)][0]}
        ids = now
    assert partition(ids) == partition(cluster(gallery, {}))


def test_a_split_and_a_merge_keep_the_id_of_the_larger_part():
    gallery = made([0, 1, 2, 3, 4], 1, 0)
    keys = [(video, 0) for video in gallery.video_id.tolist()]

    def named(identity: list[int], previous: Ids) -> list[str]:
        tree = build_hierarchy(gallery, FACE_SCALES["sface"], IdentitySettings())
        tree = replace(tree, identity=identity, appearance=range(5))
        return name_people(tree, gallery, previous).person.tolist()

    one = dict(zip(keys, [("p_all", f"a_{i}") for i in range(5)], strict=True))
    parted = named([0, 0, 1, 1, 1], one)
    assert parted[2:] == ["p_all"] * 3
    assert parted[0] == parted[1] != "p_all"
    two = dict(zip(keys, [(person, f"a_{i}") for i, person in enumerate(parted)], strict=True))
    assert named([0] * 5, two) == ["p_all"] * 5
