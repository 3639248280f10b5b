"""Text ids of people and looks that stay the same when everybody is clustered again."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from headtrack.types import IdentityTree, LookSpans, TrackGallery
from headtrack.types.arrays import as_array

PERSON_PREFIX = "p_"
APPEARANCE_PREFIX = "a_"
ID_CHARS = 8  # base32: 40 bits, so that two of 100,000 people collide (and are told apart) in 1 of 200 runs

TrackKey = tuple[str, int]  # (video_id, track)
SpanKey = tuple[str, int] | tuple[str, int, int]  # a part of a track after its first: its first frame too
PreviousLooks = Mapping[TrackKey, Sequence[tuple[int, str]]]  # (first frame, look) of each part


@dataclass(frozen=True, slots=True)
class TrackIds:
    """Person and appearance of each track, as text that the database keeps.

    Attributes:
        person: (M,) str, `p_` and 8 characters.
        appearance: (M,) str, `a_` and 8 characters; each belongs to one person.
        span_appearance: (S,) str, that of each part of the gallery's `look_spans`; empty where each
            track is one part.
    """

    person: npt.NDArray[np.str_]
    appearance: npt.NDArray[np.str_]
    span_appearance: npt.NDArray[np.str_] = field(default_factory=lambda: np.zeros(0, np.str_))

    def __post_init__(self) -> None:
        n = len(self.person)
        parts = as_array("span_appearance", self.span_appearance, np.str_, (None,))
        object.__setattr__(self, "span_appearance", parts)
        object.__setattr__(self, "person", as_array("person", self.person, np.str_, (n,)))
        object.__setattr__(self, "appearance", as_array("appearance", self.appearance, np.str_, (n,)))

    def __len__(self) -> int:
        return len(self.person)


def name_people(
    tree: IdentityTree,
    gallery: TrackGallery,
    previous: Mapping[TrackKey, tuple[str, str]],
    previous_looks: PreviousLooks | None = None,
) -> TrackIds:
    """Give each identity and each appearance a text id, the one it had before where there is one.

    An identity takes over the previous id with which it shares the most tracks; the largest overlap
    chooses first and each previous id goes to one identity. What is left over gets an id derived from
    its earliest track. Appearances likewise. The order of rows changes nothing.

    Args:
        tree: identity and appearance numbers, aligned with `gallery`.
        gallery: names the tracks.
        previous: person and appearance id of each track of the run before; empty for the first.
        previous_looks: of the tracks that showed several looks then.

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
    person = _stable_ids(
        tree.identity.tolist(),
        keys,
        [ids[0] if ids else None for ids in before],
        {person for person, _ in previous.values()},
        PERSON_PREFIX,
    )
    looks = previous_looks or {}
    known = {look for _, look in previous.values()} | {look for p in looks.values() for _, look in p}
    spans, part = gallery.look_spans, tree.span_appearance if len(tree.span_appearance) else tree.appearance
    parts = _span_keys(keys, spans)
    then = [
        _look_then(looks.get(keys[row]), start, before[row])
        for row, start in zip(spans.row.tolist(), spans.start.tolist(), strict=True)
    ]
    look = _stable_ids(part.tolist(), parts, then, known, APPEARANCE_PREFIX)
    name_of = dict(zip(part.tolist(), look.tolist(), strict=True))
    return TrackIds(person, np.array([name_of[a] for a in tree.appearance.tolist()], np.str_), look)


def _span_keys(keys: list[TrackKey], spans: LookSpans) -> list[SpanKey]:
    """Give the first part of each track the track's own key."""
    later = np.diff(spans.row, prepend=-1) == 0
    rows = zip(spans.row.tolist(), spans.start.tolist(), later.tolist(), strict=True)
    return [(*keys[row], start) if is_later else keys[row] for row, start, is_later in rows]


def _look_then(
    parts: Sequence[tuple[int, str]] | None, start: int, ids: tuple[str, str] | None
) -> str | None:
    """Give the look that the track showed at a frame in the run before."""
    if not parts:
        return ids[1] if ids else None
    return next((look for first, look in sorted(parts, reverse=True) if first <= start), parts[0][1])


def _stable_ids(
    group: list[int], keys: Sequence[SpanKey], before: list[str | None], known: set[str], prefix: str
) -> npt.NDArray[np.str_]:
    """Name the group of each row; `known` ids are never given to a group they did not name."""
    earliest: dict[int, SpanKey] = {}
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


def _derived_id(prefix: str, key: SpanKey, taken: set[str]) -> str:
    attempt = 0
    while True:
        digest = hashlib.sha256(f"{prefix}{'/'.join(map(str, key))}/{attempt}".encode()).digest()
        text = prefix + base64.b32encode(digest).decode()[:ID_CHARS].lower()
        if text not in taken:
            return text
        attempt += 1
