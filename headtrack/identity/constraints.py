"""What people said of who is who, as pairs that clustering must and must not join.

Before clustering, tracks that must be one person become one block, which every method takes for one
track; afterwards each track has its block's identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from headtrack.ops.disjoint_set import DisjointSet
from headtrack.types import Correction, TrackGallery


@dataclass(frozen=True, slots=True)
class Obeyed:
    """A gallery that knows what people said.

    Attributes:
        gallery: with the pairs that must and must not be joined; they never contradict each other.
        contradicted: corrections that are not obeyed in full though nobody took them back.
    """

    gallery: TrackGallery
    contradicted: tuple[Correction, ...]


def obey(gallery: TrackGallery, corrections: Sequence[Correction]) -> Obeyed:
    """Turn corrections into must-link and cannot-link pairs of the gallery.

    Two heads in one frame are two people, whatever anybody says. Of two corrections that say the
    opposite, the later one stands; where it does so of the same two tracks, somebody changed their mind
    and the earlier one is not reported as contradicted.

    Args:
        gallery: one row a track; its cannot-link pairs are those of frames.
        corrections: in force, their rows those of `gallery`, in any order.
    """
    groups = DisjointSet(len(gallery), cannot_link=_inside(gallery.cannot_link, corrections))
    forbidden: list[tuple[int, int]] = []
    contradicted: list[Correction] = []
    later: list[Correction] = []
    for correction in sorted(corrections, key=lambda c: -c.number):
        together, apart = _join(groups, correction), _part(groups, correction)
        forbidden += apart.kept
        if not (_excused(together, later) and _excused_apart(apart.refused, later)):
            contradicted.append(correction)
        later.append(correction)
    labels = groups.labels()
    first = np.unique(labels, return_index=True)[1][labels] if len(labels) else labels
    joined = np.flatnonzero(first != np.arange(len(first)))
    cannot = np.sort(np.array(forbidden, np.int32).reshape(-1, 2), axis=1)
    corrected = replace(
        gallery,
        must_link=np.stack([first[joined], joined], axis=1),
        cannot_link=np.unique(np.concatenate([gallery.cannot_link, cannot]), axis=0),
    )
    return Obeyed(corrected, tuple(contradicted[::-1]))


def blocks(gallery: TrackGallery) -> npt.NDArray[np.int32]:
    """Number what must be one person, by its first row.

    Args:
        gallery: with must-link pairs; one that would bring a cannot-link pair together is passed over.

    Returns:
        (M,) int32; a track without a must-link pair is a block of its own.
    """
    if not len(gallery.must_link):
        return np.arange(len(gallery), dtype=np.int32)
    linked = np.isin(gallery.cannot_link, gallery.must_link).all(axis=1)
    groups = DisjointSet(len(gallery), cannot_link=map(tuple, gallery.cannot_link[linked].tolist()))
    for a, b in gallery.must_link.tolist():
        groups.union(a, b)
    return groups.labels()


def block_gallery(gallery: TrackGallery, block: npt.NDArray[np.int32]) -> TrackGallery:
    """Give the gallery of blocks, in which each is one row.

    A block's face is the plain mean of its tracks' faces, not of unit length: its cosine to another
    face is then the mean of theirs, so that joining what is one person anyway brings nobody else in.

    Args:
        gallery: one row a track.
        block: (M,) int32 of `blocks`.

    Returns:
        One row a block, without must-link pairs; it has the name of its first track.
    """
    count = int(block.max(initial=-1)) + 1
    if len(gallery) == count:
        return gallery
    _, first = np.unique(block, return_index=True)
    pairs = np.sort(block[gallery.cannot_link], axis=1)
    faces = block_faces(gallery, block)
    clear = np.bincount(block, np.where(gallery.has_face, gallery.face_recognisability, 0), count)
    return TrackGallery(
        video_id=gallery.video_id[first],
        track=gallery.track[first],
        face=_means(gallery.face, block),
        face_weight=np.bincount(block, gallery.face_weight, count).astype(np.float32),
        face_recognisability=(clear / np.maximum(faces, 1)).astype(np.float32),
        look=_means(gallery.look, block),
        cannot_link=np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0),
    )


def block_faces(gallery: TrackGallery, block: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Count the tracks with a face of each block, (B,) int64."""
    return np.bincount(block[gallery.has_face], minlength=int(block.max(initial=-1)) + 1)


def _means(vectors: npt.NDArray[np.float32], block: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    """Give the plain mean of each block's known vectors, (B, D) float32; NaN where there is none."""
    known = np.isfinite(vectors).all(axis=1)
    total = np.zeros((int(block.max(initial=-1)) + 1, vectors.shape[1]))
    count = np.bincount(block[known], minlength=len(total))
    np.add.at(total, block[known], vectors[known])
    total[count == 0] = np.nan
    return (total / np.maximum(count, 1)[:, None]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Parted:
    kept: list[tuple[int, int]]
    refused: list[tuple[set[int], set[int]]]


def _inside(pairs: npt.NDArray[np.int32], corrections: Sequence[Correction]) -> list[tuple[int, int]]:
    """Keep the pairs of which both rows are corrected: no others can come together here."""
    rows = np.concatenate([np.zeros(0, np.int32), *(c.together for c in corrections)])
    return [(a, b) for a, b in pairs[np.isin(pairs, rows).all(axis=1)].tolist()]


def _join(groups: DisjointSet, correction: Correction) -> list[tuple[set[int], set[int]]]:
    """Join what a correction joins; give the pairs of its sets of rows that had to stay apart."""
    joined: list[int] = []
    for row in correction.together.tolist():
        if not any(groups.union(other, row) for other in joined):
            joined.append(row)
    members: dict[int, set[int]] = {}
    for row in correction.together.tolist():
        members.setdefault(groups.find(row), set()).add(row)
    return list(combinations(members.values(), 2))


def _part(groups: DisjointSet, correction: Correction) -> _Parted:
    """Keep apart what a correction parts; give the pairs of rows kept, and the sets that are one group."""
    sides: list[dict[int, set[int]]] = []
    for rows in correction.apart:
        members: dict[int, set[int]] = {}
        for row in rows.tolist():
            members.setdefault(groups.find(row), set()).add(row)
        sides.append(members)
    left, right = sides
    kept = [(a, b) for a in left for b in right if groups.forbid(a, b)]
    return _Parted(kept, [(left[root], right[root]) for root in left.keys() & right.keys()])


def _excused(stayed_apart: list[tuple[set[int], set[int]]], later: Sequence[Correction]) -> bool:
    """Tell whether a later correction says of some of each two sets that they are two people."""
    for one, other in stayed_apart:
        for correction in later:
            left, right = (set(rows.tolist()) for rows in correction.apart)
            if (one & left and other & right) or (one & right and other & left):
                break
        else:
            return False
    return True


def _excused_apart(stayed_together: list[tuple[set[int], set[int]]], later: Sequence[Correction]) -> bool:
    """Tell whether a later correction says of some of each two sets that they are one person."""
    for left, right in stayed_together:
        for correction in later:
            together = set(correction.together.tolist())
            if left & together and right & together and len((left | right) & together) > 1:
                break
        else:
            return False
    return True
