"""Text ids of people and looks that stay the same when everybody is clustered again."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.types import IdentityTree, TrackGallery
from headtrack.types.arrays import as_array

PERSON_PREFIX = "p_"
APPEARANCE_PREFIX = "a_"
ID_CHARS = 8  # base32: 40 bits, so that two of 100,000 people collide (and are told apart) in 1 of 200 runs

TrackKey = tuple[str, int]  # (video_id, track)


@dataclass(frozen=True, slots=True)
class TrackIds:
    """Person and appearance of each track, as text that the database keeps.

    Attributes:
        person: (M,) str, `p_` and 8 characters.
        appearance: (M,) str, `a_` and 8 characters; each belongs to one person.
    """

    person: npt.NDArray[np.str_]
    appearance: npt.NDArray[np.str_]

    def __post_init__(self) -> None:
        n = len(self.person)
        object.__setattr__(self, "person", as_array("person", self.person, np.str_, (n,)))
        object.__setattr__(self, "appearance", as_array("appearance", self.appearance, np.str_, (n,)))

    def __len__(self) -> int:
        return len(self.person)


def name_people(
    tree: IdentityTree, gallery: TrackGallery, previous: Mapping[TrackKey, tuple[str, str]]
) -> TrackIds:
    """Give each identity and each appearance a text id, the one it had before where there is one.

    An identity takes over the previous id with which it shares the most tracks; the largest overlap
    chooses first and each previous id goes to one identity. What is left over gets an id derived from
    its earliest track. Appearances likewise. The order of rows changes nothing.

    Args:
        tree: identity and appearance numbers, aligned with `gallery`.
        gallery: names the tracks.
        previous: person and appearance id of each track of the run before; empty for the first.

    Returns:
        Ids aligned with `gallery`.

    >>> none = np.zeros((2, 0), np.float32)
    >>> gallery = TrackGallery(["v", "w"], [0, 0], none, [0, 0], [0, 0], none, [])
    >>> tree = IdentityTree([0, 1], [0, 1], [1, 1])
    >>> name_people(tree, gallery, {("w", 0): ("p_aaaaaaaa", "a_aaaaaaaa")}).person.tolist()
    ['p_ou4o2wjm', 'p_aaaaaaaa']
    """
    keys: list[TrackKey] = list(zip(gallery.video_id.tolist(), gallery.track.tolist(), strict=True))
    before = [previous.get(key) for key in keys]
    return TrackIds(
        _stable_ids(
            tree.identity.tolist(),
            keys,
            [ids[0] if ids else None for ids in before],
            {person for person, _ in previous.values()},
            PERSON_PREFIX,
        ),
        _stable_ids(
            tree.appearance.tolist(),
            keys,
            [ids[1] if ids else None for ids in before],
            {appearance for _, appearance in previous.values()},
            APPEARANCE_PREFIX,
        ),
    )


def _stable_ids(
    group: list[int], keys: list[TrackKey], before: list[str | None], known: set[str], prefix: str
) -> npt.NDArray[np.str_]:
    """Name the group of each row; `known` ids are never given to a group they did not name."""
    earliest: dict[int, TrackKey] = {}
    for g, key in zip(group, keys, strict=True):
        earliest[g] = min(key, earliest.get(g, key))
    overlap = Counter((g, old) for g, old in zip(group, before, strict=True) if old is not None)

    name_of: dict[int, str] = {}
    given: set[str] = set()
    for g, old in sorted(overlap, key=lambda pair: (-overlap[pair], earliest[pair[0]], pair[1])):
        if g not in name_of and old not in given:
            name_of[g] = old
            given.add(old)

    taken = known | given
    for g in sorted(earliest, key=lambda g: earliest[g]):
        if g not in name_of:
            name_of[g] = _derived_id(prefix, earliest[g], taken)
            taken.add(name_of[g])
    return np.array([name_of[g] for g in group], np.str_)


def _derived_id(prefix: str, key: TrackKey, taken: set[str]) -> str:
    attempt = 0
    while True:
        digest = hashlib.sha256(f"{prefix}{key[0]}/{key[1]}/{attempt}".encode()).digest()
        text = prefix + base64.b32encode(digest).decode()[:ID_CHARS].lower()
        if text not in taken:
            return text
        attempt += 1
