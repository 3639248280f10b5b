"""The questions whose answers would put most of a partition right: which people are one, who is two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.vectors import group_unit_means, group_weighted_means
from headtrack.types import TrackGallery
from headtrack.types.arrays import as_array, concat, select

# Each person is compared in full with so many whose mean faces are the likeliest.
NEAR_PEOPLE = 8
# Of a person with more tracks, those with the best faces speak.
MOST_TRACKS = 200
BLOCK_PEOPLE = 512
# A track counts as at least so long: a still image shows nobody for any time, but is to be put right too.
LEAST_S = 1.0


@dataclass(frozen=True, slots=True)
class Doubts:
    """Questions to a person, one row each, the most worth asking first.

    Attributes:
        is_split: (N,) bool: asked is whether one person is two; else whether two people are one.
        person_a: (N,) int32 number of the person; where two are asked about, of the one seen longer.
        person_b: (N,) int32 number of the other; `person_a` again where one person is asked about.
        probability: (N,) float64 in 0..1 that both sides show one person.
        gain_s: (N,) float64 seconds that an answer puts right in the mean.
        track_a: (N,) int32 track that shows the one side best.
        track_b: (N,) int32 track that shows the other.
        side: (N,) object: int32 rows of the smaller side where one person is asked about, else none.
    """

    is_split: npt.NDArray[np.bool_]
    person_a: npt.NDArray[np.int32]
    person_b: npt.NDArray[np.int32]
    probability: npt.NDArray[np.float64]
    gain_s: npt.NDArray[np.float64]
    track_a: npt.NDArray[np.int32]
    track_b: npt.NDArray[np.int32]
    side: npt.NDArray[np.object_]

    def __post_init__(self) -> None:
        n = len(self.is_split)
        for name, dtype in (
            ("is_split", np.bool_),
            ("person_a", np.int32),
            ("person_b", np.int32),
            ("probability", np.float64),
            ("gain_s", np.float64),
            ("track_a", np.int32),
            ("track_b", np.int32),
            ("side", np.object_),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, (n,)))

    def __len__(self) -> int:
        return len(self.is_split)

    def __getitem__(self, index: Any) -> Doubts:
        return select(self, index)

    @staticmethod
    def empty() -> Doubts:
        """Give no questions."""
        none, number = np.zeros(0, np.int32), np.zeros(0)
        return Doubts(np.zeros(0, np.bool_), none, none, number, number, none, none, np.zeros(0, object))


@dataclass(frozen=True, slots=True)
class Partition:
    """The people as they are, and what is known of them for certain.

    Attributes:
        person: (M,) int32 number of each track's person; -1 where there is none.
        shown_s: (M,) float64 seconds that each track is on screen.
        must_link: (P, 2) int32 tracks that somebody said are one person.
        cannot_link: (P, 2) int32 tracks that are two people: seen in one frame, or said by somebody.
    """

    person: npt.NDArray[np.int32]
    shown_s: npt.NDArray[np.float64]
    must_link: npt.NDArray[np.int32]
    cannot_link: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        n = len(self.person)
        for name, dtype, shape in (
            ("person", np.int32, (n,)),
            ("shown_s", np.float64, (n,)),
            ("must_link", np.int32, (None, 2)),
            ("cannot_link", np.int32, (None, 2)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))


def find_doubts(gallery: TrackGallery, partition: Partition, face_scale: FaceScale) -> Doubts:
    """List what is worth asking, by expected gain.

    The gain of a question is the probability that the partition is wrong there, times the time on screen of
    the smaller side, which a right answer would move. Two people are asked about unless a pair of their
    tracks cannot be one; one person is asked about where the last join of average linkage brought its
    tracks together, unless somebody said that tracks of both sides are one.

    Args:
        gallery: one row a track; tracks without a face say nothing.
        partition: aligned with `gallery`.
        face_scale: of the network that made the faces.

    Returns:
        The questions; equal gains in order of people.
    """
    rows = np.flatnonzero(gallery.has_face & (partition.person >= 0))
    if not len(rows):
        return Doubts.empty()
    weight_s = np.maximum(partition.shown_s, LEAST_S)
    people = _People.of(gallery, partition.person, rows, weight_s)
    pairs = _pairs(gallery, people, partition.cannot_link, face_scale)
    splits = _splits(gallery, people, partition.must_link, face_scale)
    found = concat([pairs, splits], Doubts.empty())
    return found[np.lexsort((found.person_b, found.person_a, -found.gain_s))]


@dataclass(frozen=True, slots=True)
class _People:
    """Tracks with a face by person, and what each person weighs."""

    person: npt.NDArray[np.int32]  # (M,) of all tracks
    ids: npt.NDArray[np.int32]  # (P,) people with a face
    tracks: list[npt.NDArray[np.int64]]  # of each, best faces first
    weight_s: npt.NDArray[np.float64]  # (M,)
    total_s: npt.NDArray[np.float64]  # (P,)

    @staticmethod
    def of(
        gallery: TrackGallery,
        person: npt.NDArray[np.int32],
        rows: npt.NDArray[np.int64],
        weight_s: npt.NDArray[np.float64],
    ) -> _People:
        ordered = rows[np.lexsort((rows, -gallery.face_weight[rows], person[rows]))]
        ids, start = np.unique(person[ordered], return_index=True)
        tracks = [part[:MOST_TRACKS] for part in np.split(ordered, start[1:])]
        total_s = np.zeros(int(person.max()) + 1)
        np.add.at(total_s, person[person >= 0], weight_s[person >= 0])
        return _People(person, ids, tracks, weight_s, total_s[ids])


def _pairs(
    gallery: TrackGallery, people: _People, cannot_link: npt.NDArray[np.int32], face_scale: FaceScale
) -> Doubts:
    apart = {tuple(sorted(pair)) for pair in people.person[cannot_link].tolist()}
    found = []
    for a, b in _near_pairs(gallery, people, face_scale):
        ids = tuple(sorted((int(people.ids[a]), int(people.ids[b]))))
        if ids in apart:
            continue
        if people.total_s[b] > people.total_s[a]:
            a, b = b, a
        odds = _odds(gallery, np.concatenate([people.tracks[a], people.tracks[b]]), face_scale)
        between = odds[: len(people.tracks[a]), len(people.tracks[a]) :]
        best = np.unravel_index(between.argmax(), between.shape)
        p = _probability(between.mean())
        found.append(
            (False, people.ids[a], people.ids[b], p, p * people.total_s[b],
             people.tracks[a][best[0]], people.tracks[b][best[1]], np.zeros(0, np.int32))
        )  # fmt: skip
    return _doubts(found)


def _near_pairs(gallery: TrackGallery, people: _People, face_scale: FaceScale) -> list[tuple[int, int]]:
    """Pair each person with those whose mean faces are the likeliest to be theirs, each pair once."""
    count = len(people.ids)
    rows = np.concatenate(people.tracks)
    group = np.repeat(np.arange(count), [len(tracks) for tracks in people.tracks])
    weight = gallery.face_weight[rows]
    face = group_unit_means(gallery.face[rows], group.astype(np.int32), weight, count)
    clear = group_weighted_means(gallery.face_recognisability[rows], group, weight, count)
    pairs: set[tuple[int, int]] = set()
    near = min(NEAR_PEOPLE, count - 1)
    for start in range(0, count, BLOCK_PEOPLE) if near else ():
        block = np.arange(start, min(start + BLOCK_PEOPLE, count))
        cosine = face[block] @ face.T  # (B, P)
        poorer = np.minimum(clear[block, None], clear[None])
        score = cosine * (face_scale.per_cosine + poorer * face_scale.per_both)
        score += poorer * face_scale.per_recognisability
        score[np.arange(len(block)), block] = -np.inf
        best = np.argpartition(-score, near - 1, axis=1)[:, :near]
        pairs |= {
            (min(a, b), max(a, b))
            for a, others in zip(block.tolist(), best.tolist(), strict=True)
            for b in others
        }
    return sorted(pairs)


def _splits(
    gallery: TrackGallery, people: _People, must_link: npt.NDArray[np.int32], face_scale: FaceScale
) -> Doubts:
    found = []
    for number, tracks in zip(people.ids.tolist(), people.tracks, strict=True):
        if len(tracks) < 2:
            continue
        odds = _odds(gallery, tracks, face_scale)
        distance = odds.max() - odds
        np.fill_diagonal(distance, 0)
        tree = linkage(squareform(distance, checks=False), method="average")
        second = fcluster(tree, 2, criterion="maxclust") == 2
        side = tracks[second]
        asked = np.isin(must_link, tracks).all(axis=1)
        if not second.any() or (np.isin(must_link[asked], side).sum(axis=1) == 1).any():
            continue
        if people.weight_s[side].sum() > people.weight_s[tracks[~second]].sum():
            second = ~second
            side = tracks[second]
        between = odds[np.ix_(~second, second)]
        p = _probability(between.mean())
        found.append(
            (True, number, number, p, (1 - p) * people.weight_s[side].sum(),
             tracks[~second][0], side[0], np.sort(side).astype(np.int32))
        )  # fmt: skip
    return _doubts(found)


def _odds(
    gallery: TrackGallery, rows: npt.NDArray[np.int64], face_scale: FaceScale
) -> npt.NDArray[np.float64]:
    return same_person_log_odds(gallery.face[rows], gallery.face_recognisability[rows], face_scale)


def _probability(odds: float) -> float:
    return float(1 / (1 + np.exp(-odds)))


def _doubts(found: list[tuple[Any, ...]]) -> Doubts:
    if not found:
        return Doubts.empty()
    side = np.empty(len(found), object)
    side[:] = [row[-1] for row in found]
    columns = [np.array([row[k] for row in found]) for k in range(len(found[0]) - 1)]
    return Doubts(*columns, side=side)
