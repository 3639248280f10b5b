"""Whether probabilities of one person and of links keep their word, and whether looks are in order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.evidence import NO_ROW, Evidence, FoundLinks
from headtrack.evaluation.matching import HeadMatch
from headtrack.evaluation.portraits import Portraits
from headtrack.evaluation.predictions import NOTHING, Found
from headtrack.identity.similarity import head_similarity, same_person_probability
from headtrack.metrics.calibration import Reliability, reliability
from headtrack.metrics.ordering import UNKNOWN_LOOK, Ordering, order_similarities
from headtrack.types.arrays import as_array
from headtrack.types.tracks import LINK_REASONS, LINK_START


@dataclass(frozen=True, slots=True)
class NamedTracks:
    """Tracks whose person the labels know.

    Attributes:
        media: (N,) str path in the data folder.
        track: (N,) int64.
        name: (N,) str of the person, over all media.
    """

    media: npt.NDArray[np.str_]
    track: npt.NDArray[np.int64]
    name: npt.NDArray[np.str_]

    def __post_init__(self) -> None:
        n = len(self.media)
        for key, dtype in (("media", np.str_), ("track", np.int64), ("name", np.str_)):
            object.__setattr__(self, key, as_array(key, getattr(self, key), dtype, (n,)))

    def __len__(self) -> int:
        return len(self.media)


def largest_tracks(portraits: Portraits, found: Mapping[str, Found]) -> npt.NDArray[np.int64]:
    """Give the track of the largest head of each still; -1 where no head was found.

    Args:
        portraits: (N) stills.
        found: by path in the data folder.
    """
    largest = [found.get(str(media), NOTHING).heads.largest.track for media in portraits.media]
    return np.array([track[0] if len(track) else NO_ROW for track in largest], np.int64)


def tracks_in_clip(media: str, match: HeadMatch, names: npt.NDArray[np.str_]) -> NamedTracks:
    """Name each track of a clip after the person most of its labelled heads show.

    Args:
        media: path of the clip in the data folder.
        match: of the clip.
        names: (N,) str person of each labelled head over all media.
    """
    hit = match.is_hit
    main = _main_names(match.found.track[match.found_of_label[hit]], names[hit])
    return NamedTracks(
        np.full(len(main), media), np.array(list(main), np.int64), np.array(list(main.values()), np.str_)
    )


def calibrate_identity(
    tracks: NamedTracks, evidence: Evidence, not_scored: Iterable[tuple[str, str]]
) -> Reliability:
    """Hold the probability that two tracks show one person, by their faces, against the labels.

    Args:
        tracks: of all media; those without a face take no part.
        evidence: of the database.
        not_scored: pairs of names that may or may not be one person.
    """
    row = evidence.rows(tracks.media, tracks.track)
    known = np.flatnonzero(row != NO_ROW)
    # The same content under two paths is one track.
    rows, first = np.unique(row[known], return_index=True)
    gallery, name = evidence.only(rows), tracks.name[known[first]]
    probability = same_person_probability(gallery, evidence.face_scale)
    counts = np.triu(np.isfinite(probability), 1)
    for one, other in not_scored:
        counts[np.ix_(name == one, name == other)] = False
        counts[np.ix_(name == other, name == one)] = False
    same = name[:, None] == name[None]
    return reliability(probability[counts], same[counts])


def calibrate_links(
    match: HeadMatch, links: FoundLinks, not_scored: Iterable[tuple[str, str]]
) -> Reliability:
    """Hold the score of each link of a clip against the labels of what it joined.

    A link counts where the labels know both the tracklet that it took in and the part of the track before.

    Args:
        match: of the clip.
        links: of the clip.
        not_scored: pairs of people that one track may or may not rightly share.
    """
    excused = {frozenset(pair) for pair in not_scored}
    hit = match.is_hit
    tracklet = match.found.tracklet[match.found_of_label[hit]]
    person = match.labels.person[hit]
    name_of = _main_names(tracklet, person)
    scores, right = [], []
    for k in np.flatnonzero(links.reason != LINK_REASONS[LINK_START]):
        number = int(links.tracklet[k])
        earlier = links.tracklet[(links.track == links.track[k]) & (links.tracklet < number)]
        before = _main_names(np.zeros(np.isin(tracklet, earlier).sum()), person[np.isin(tracklet, earlier)])
        if number in name_of and before and {name_of[number], before[0]} not in excused:
            scores.append(links.score[k])
            right.append(name_of[number] == before[0])
    return reliability(np.array(scores, np.float64), np.array(right, bool))


def score_ordering(portraits: Portraits, found: Mapping[str, Found], evidence: Evidence) -> Ordering:
    """Score the order of similarities among the stills of the folders in which looks are labelled.

    Args:
        portraits: all; of each still the largest head counts.
        found: by path in the data folder.
        evidence: of the database.
    """
    folder = np.array([str(PurePosixPath(media).parent) for media in portraits.media.tolist()], np.str_)
    row = evidence.rows(portraits.media, largest_tracks(portraits, found))
    rows = np.flatnonzero(np.isin(folder, folder[portraits.appearance != ""]) & (row != NO_ROW))
    named = [f"{a}\n{b}" for a, b in zip(portraits.identity[rows], portraits.appearance[rows], strict=True)]
    look = np.unique(np.array(named, np.str_), return_inverse=True)[1]
    return order_similarities(
        head_similarity(evidence.only(row[rows]), evidence.face_scale),
        identity=np.unique(portraits.identity[rows], return_inverse=True)[1],
        look=np.where(portraits.appearance[rows] == "", UNKNOWN_LOOK, look),
    )


def _main_names(group: npt.NDArray[np.integer | np.floating], name: npt.NDArray[np.str_]) -> dict[int, str]:
    """Give the most frequent name of each group, the first by alphabet of equal ones."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for number, one in zip(group.tolist(), name.tolist(), strict=True):
        counts[int(number)][one] += 1
    return {number: min(own, key=lambda n: (-own[n], n)) for number, own in sorted(counts.items())}
