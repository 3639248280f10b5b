"""Ranks the people of an archive by how likely each is the one in a query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.look_evidence import same_look_log_odds
from headtrack.types import TrackGallery
from headtrack.types.arrays import as_array

# Tracks of the archive compared at once: the odds of so many stay small beside the gallery itself.
BLOCK_TRACKS = 512


@dataclass(frozen=True, slots=True)
class Resemblance:
    """How likely one head of the query is each person; one row a person, the likeliest first.

    Attributes:
        person: (P,) int32 number of the person.
        probability: (P,) float64 in 0..1 of the same person (by the face), or of the same look.
        best_track: (P,) int32 row of the archive that resembles the head most.
        appearance: (P,) int32 number of the person's look that resembles the head most; -1: none known.
        look_probability: (P,) float64 in 0..1 that the head has that look; NaN where a look is unknown.
        by_face: the rows are ranked by faces; else by looks alone, since the head shows no usable face.
    """

    person: npt.NDArray[np.int32]
    probability: npt.NDArray[np.float64]
    best_track: npt.NDArray[np.int32]
    appearance: npt.NDArray[np.int32]
    look_probability: npt.NDArray[np.float64]
    by_face: bool

    def __post_init__(self) -> None:
        n = len(self.person)
        for name, dtype in (
            ("person", np.int32),
            ("probability", np.float64),
            ("best_track", np.int32),
            ("appearance", np.int32),
            ("look_probability", np.float64),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, (n,)))

    def __len__(self) -> int:
        return len(self.person)


def find_people(
    query: TrackGallery,
    archive: TrackGallery,
    *,
    person: npt.NDArray[np.int32],
    appearance: npt.NDArray[np.int32],
    face_scale: FaceScale,
) -> list[Resemblance]:
    """Rank everybody for each head of the query, by the evidence that clusters tracks.

    A head with a face is compared with the people whose face was seen: the mean log-odds over a person's
    tracks, as average linkage takes it, make the probability. A head without one is compared by its look,
    with each look of each person; the person's likeliest look counts.

    Args:
        query: (Q,) heads to look for, one row a track.
        archive: (M,) tracks to look in.
        person: (M,) int32 number of each track's person; -1 where there is none.
        appearance: (M,) int32 number of each track's look, which has one person; -1 where there is none.
        face_scale: of the network that made the faces of both.

    Returns:
        One ranking a row of `query`; a ranking is empty where the archive has nobody to compare with.
    """
    face = _face_odds(query, archive, face_scale)  # (Q, M)
    look = same_look_log_odds(query.look @ archive.look.T) if len(archive) else np.zeros((len(query), 0))
    return [
        _ranked(face[q] if query.has_face[q] else None, look[q], person=person, appearance=appearance)
        for q in range(len(query))
    ]


def _face_odds(query: TrackGallery, archive: TrackGallery, face_scale: FaceScale) -> npt.NDArray[np.float64]:
    """Give the (Q, M) log-odds of the same person; NaN where one of the two has no face."""
    count = len(query)
    odds = np.full((count, len(archive)), np.nan)
    for start in range(0, len(archive), BLOCK_TRACKS) if count else ():
        rows = slice(start, start + BLOCK_TRACKS)
        both = same_person_log_odds(
            np.concatenate([query.face, archive.face[rows]]),
            np.concatenate([query.face_recognisability, archive.face_recognisability[rows]]),
            face_scale,
        )
        odds[:, rows] = both[:count, count:]
    return odds


def _ranked(
    face: npt.NDArray[np.float64] | None,
    look: npt.NDArray[np.float64],
    *,
    person: npt.NDArray[np.int32],
    appearance: npt.NDArray[np.int32],
) -> Resemblance:
    odds = look if face is None else face
    best_track = _best_rows(odds, person)
    look_odds = _mean_odds(look, appearance)
    owner = np.full(len(look_odds), -1)
    owner[appearance[appearance >= 0]] = person[appearance >= 0]
    best_look = _best_rows(look_odds, owner, groups=len(best_track))
    people = np.flatnonzero(best_track >= 0)
    known = best_look[people] >= 0
    look_p = np.full(len(people), np.nan)
    look_p[known] = _probability(look_odds[best_look[people[known]]])
    probability = look_p if face is None else _probability(_mean_odds(odds, person)[people])
    # Of equal probabilities, the person with the likelier track comes first.
    order = np.lexsort((people, -odds[best_track[people]], -probability))
    return Resemblance(
        people[order].astype(np.int32),
        probability[order],
        best_track[people][order].astype(np.int32),
        best_look[people][order].astype(np.int32),
        look_p[order],
        by_face=face is not None,
    )


def _mean_odds(odds: npt.NDArray[np.float64], group: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Give the mean of each group's known odds; NaN where it has none."""
    known = (group >= 0) & np.isfinite(odds)
    groups = int(group.max(initial=-1)) + 1
    total = np.bincount(group[known], weights=odds[known], minlength=groups)
    count = np.bincount(group[known], minlength=groups)
    return np.divide(total, count, out=np.full(groups, np.nan), where=count > 0)


def _best_rows(
    odds: npt.NDArray[np.float64], group: npt.NDArray[np.integer], *, groups: int = 0
) -> npt.NDArray[np.int64]:
    """Give each group's row of the highest odds, the first of equals; -1 where it has none."""
    best = np.full(max(groups, int(group.max(initial=-1)) + 1), -1, np.int64)
    rows = np.flatnonzero((group >= 0) & np.isfinite(odds))
    rows = rows[np.lexsort((-rows, odds[rows]))]
    best[group[rows]] = rows  # of repeated groups, the last row stays
    return best


def _probability(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 1 / (1 + np.exp(-odds))
