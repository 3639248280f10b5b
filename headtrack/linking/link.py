"""Tracklets of one video become tracks: first over occlusions, then over shot changes.

An occlusion is bridged by where a head was and what it looks like; a shot change by the face,
or, where one side shows none, by looks and clothing, if nobody else comes as close.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.linking.competition import contested_probability
from headtrack.linking.evidence import TrackletEvidence
from headtrack.ops.disjoint_set import DisjointSet
from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.linkage import constrained_average_linkage
from headtrack.ops.log_odds import log_odds
from headtrack.ops.look_evidence import same_colour_log_odds, same_look_log_odds
from headtrack.ops.vectors import group_unit_means, group_weighted_means
from headtrack.settings import LinkSettings
from headtrack.types import Tracks
from headtrack.types.tracks import LINK_OCCLUSION, LINK_SHOT_CHANGE, LINK_START

# How far a hidden head drifts, in its own sizes: at once, and per second. People who walk behind
# something reappear a few heads further on.
DRIFT = 0.5
DRIFT_PER_S = 1.5
# What coming back to the very place where a head vanished a moment ago is worth.
SAME_PLACE_LOG_ODDS = 3.0
# A link that no face backs must beat the next best by this much: nobody else comes as close.
CLEAR_LEAD_LOG_ODDS = 1.0
# What the evidence of a link over an occlusion is worth beside its rivals: look, colour, face and place say
# partly the same, and most who vanish come back. Source: `benchmarks/fit_links.py`, held out by video. Over
# shot changes such a fit gained little (docs/adr/0014-link-probability.md), and the evidence counts as it is.
OCCLUSION_SCALE = 1 / 1.5
OCCLUSION_INTERCEPT = 2.0
# Shots apart that looks and clothing alone may bridge: there and back again in one scene.
SCENE_SHOTS = 2


def link_tracklets(
    evidence: TrackletEvidence,
    *,
    cannot_link: npt.NDArray[np.int32],
    face_scale: FaceScale,
    settings: LinkSettings,
) -> Tracks:
    """Join tracklets that show one person.

    Args:
        evidence: one row a tracklet, sorted by first frame.
        cannot_link: (P, 2) int32 pairs of tracklets that share a frame.
        face_scale: of the network that made the faces.
        settings: the `link` section.

    Returns:
        The tracks, numbered by their first tracklet. Which tracklets join is decided by the evidence of two
        alone; how sure a link is also depends on who else could have gone on there.
    """
    limit = log_odds(settings.min_probability)
    looks = _look_log_odds(evidence)
    growing = _Growing(
        evidence, DisjointSet(len(evidence), cannot_link=[(int(a), int(b)) for a, b in cannot_link])
    )
    face = same_person_log_odds(evidence.face, evidence.face_recognisability, face_scale)
    _over_occlusions(growing, looks + np.nan_to_num(face, copy=False), limit, settings.max_gap_s)
    del face  # (T, T), as `looks`: a long film has thousands of tracklets
    _by_faces(growing, looks, cannot_link, face_scale, limit)
    _by_looks(growing, looks, limit)
    return growing.tracks()


class _Growing:
    """Groups of tracklets and the link by which each later one came in."""

    def __init__(self, evidence: TrackletEvidence, groups: DisjointSet) -> None:
        self.evidence = evidence
        self.groups = groups
        self.reason = np.full(len(evidence), LINK_START, np.int8)
        self.score = np.ones(len(evidence), np.float32)

    def join(self, a: int, b: int, probability: float, reason: int) -> int | None:
        """Join two groups through one pair of tracklets.

        Returns:
            The tracklet that came in by the link; None where a constraint forbids it.
        """
        first_a, first_b = min(self.groups.members(a)), min(self.groups.members(b))
        if first_a == first_b or not self.groups.union(a, b):
            return None
        late = max(first_a, first_b)
        self.reason[late] = reason
        self.score[late] = probability
        return late

    def tracks(self) -> Tracks:
        """Give the groups as tracks."""
        return Tracks(self.groups.labels(), self.reason, self.score)


def _look_log_odds(evidence: TrackletEvidence) -> npt.NDArray[np.float64]:
    root = np.sqrt(evidence.colour)
    look = same_look_log_odds(evidence.look @ evidence.look.T)
    return np.nan_to_num(look) + same_colour_log_odds(root @ root.T)  # (T, T)


def _over_occlusions(
    growing: _Growing, odds: npt.NDArray[np.float64], limit: float, max_gap_s: float
) -> None:
    """Join tracklets of one shot end to start, surest first; each end and each start once."""
    e = growing.evidence
    gap_s = e.first_s[None] - e.last_s[:, None]  # (T, T), of b after a
    possible = (e.shot[:, None] == e.shot[None]) & (gap_s > 0) & (gap_s <= max_gap_s)
    a, b = np.nonzero(possible)
    total = odds[a, b] + place_log_odds(e.last_xyxy[a], e.first_xyxy[b], gap_s[a, b])
    links, came_in = [], []
    ended: set[int] = set()
    started: set[int] = set()
    for k in np.lexsort((b, a, -total)):
        if total[k] < limit:
            break
        if a[k] in ended or b[k] in started:
            continue
        tracklet = growing.join(int(a[k]), int(b[k]), np.nan, LINK_OCCLUSION)
        if tracklet is not None:
            ended.add(int(a[k]))
            started.add(int(b[k]))
            links.append(k)
            came_in.append(tracklet)
    # A later part of the same track is no rival: only now is it known which they are.
    track = growing.groups.labels()
    counts = track[a] != track[b]
    counts[links] = True
    probability = np.zeros(len(total))
    worth = OCCLUSION_INTERCEPT + OCCLUSION_SCALE * total[counts]
    probability[counts] = contested_probability(worth, a[counts], b[counts])
    growing.score[came_in] = probability[links]


def place_log_odds(
    before: npt.NDArray[np.float32], after: npt.NDArray[np.float32], gap_s: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Weigh how far a head came back from where it vanished; (K, 4) boxes, (K,) seconds."""
    size = np.sqrt(
        np.prod(before[:, 2:] - before[:, :2], axis=1) * np.prod(after[:, 2:] - after[:, :2], axis=1)
    )
    offset = (before[:, :2] + before[:, 2:] - after[:, :2] - after[:, 2:]) / 2
    distance = np.linalg.norm(offset, axis=1) / np.sqrt(np.maximum(size, 1))
    spread = DRIFT + DRIFT_PER_S * gap_s
    # Log-density of a Gaussian of that spread, against the chance of somebody else's coming by.
    return SAME_PLACE_LOG_ODDS - (distance / spread) ** 2 / 2 - 2 * np.log(spread / DRIFT)


def _by_faces(
    growing: _Growing,
    looks: npt.NDArray[np.float64],
    cannot_link: npt.NDArray[np.int32],
    face_scale: FaceScale,
    limit: float,
) -> None:
    """Join groups whose faces agree and whose looks do not speak against it, by average linkage.

    One person in two looks is left to the identities, which see the faces of the whole archive.
    """
    group = growing.groups.labels()
    count = int(group.max(initial=-1)) + 1
    e = growing.evidence
    face = group_unit_means(e.face, group, e.face_weight, count)
    clear = group_weighted_means(e.face_recognisability, group, e.face_weight, count)
    odds = same_person_log_odds(face, clear, face_scale)
    odds += _group_means(looks, group, count)
    labels = constrained_average_linkage(
        np.nan_to_num(odds, nan=-np.inf),
        min_similarity=limit,
        cannot_link=group[cannot_link].astype(np.int32),
    )
    forbidden = group[cannot_link]
    odds[forbidden[:, 0], forbidden[:, 1]] = odds[forbidden[:, 1], forbidden[:, 0]] = -np.inf
    for label in np.flatnonzero(np.bincount(labels, minlength=1) > 1):
        first, *others = np.flatnonzero(labels == label).tolist()
        for other in others:
            a, b = int(np.argmax(group == first)), int(np.argmax(group == other))
            peers = np.setdiff1d([first, *others], other)
            peer = int(peers[np.nanargmax(odds[other, peers])])
            probability = _beside_rivals(odds, peer, other, labels != label)
            reason = LINK_OCCLUSION if e.shot[a] == e.shot[b] else LINK_SHOT_CHANGE
            growing.join(a, b, probability, reason)


def _group_means(
    pairs: npt.NDArray[np.float64], group: npt.NDArray[np.int32], count: int
) -> npt.NDArray[np.float64]:
    """Average a (T, T) matrix over the pairs of each two groups: (count, count)."""
    member = (group[:, None] == np.arange(count)).astype(np.float64)  # (T, count)
    size = np.maximum(member.sum(axis=0), 1)
    return member.T @ pairs @ member / (size[:, None] * size)


def _by_looks(growing: _Growing, looks: npt.NDArray[np.float64], limit: float) -> None:
    """Join a group without a face to a group of a near shot that looks the same, if clearly the best."""
    e = growing.evidence
    group = growing.groups.labels()
    members = [np.flatnonzero(group == g) for g in range(int(group.max(initial=-1)) + 1)]
    faceless = [not e.has_face[rows].any() for rows in members]
    odds = np.full((len(members), len(members)), -np.inf)
    first = np.array([e.shot[rows].min() for rows in members], np.int64)
    last = np.array([e.shot[rows].max() for rows in members], np.int64)
    for a, rows_a in enumerate(members):
        within_reach = (first <= last[a] + SCENE_SHOTS) & (last >= first[a] - SCENE_SHOTS)
        for b in np.flatnonzero(within_reach).tolist():
            rows_b = members[b]
            if a == b or not (faceless[a] or faceless[b]) or not growing.groups.allowed(rows_a[0], rows_b[0]):
                continue
            apart = np.abs(e.shot[rows_a][:, None] - e.shot[rows_b][None])
            near = (apart > 0) & (apart <= SCENE_SHOTS)
            if near.any():
                odds[a, b] = looks[np.ix_(rows_a, rows_b)][near].max()
    for a, b in _clear_pairs(odds, limit):
        others = ~np.isin(np.arange(len(odds)), (a, b))
        probability = _beside_rivals(odds, a, b, others)
        growing.join(int(members[a][0]), int(members[b][0]), probability, LINK_SHOT_CHANGE)


def _beside_rivals(odds: npt.NDArray[np.float64], a: int, b: int, rivals: npt.NDArray[np.bool_]) -> float:
    """Give the probability that groups `a` and `b` are one, where each could be one with a rival instead.

    Args:
        odds: (G, G) log-odds of each pair, NaN or -inf where they say nothing.
        a: a group.
        b: another.
        rivals: (G,) groups that are somebody else.
    """
    of_each = np.concatenate([odds[[a], b], odds[a, rivals], odds[rivals, b]])
    one = np.zeros(len(of_each), np.int64)
    return float(contested_probability(np.nan_to_num(of_each, nan=-np.inf), one, one)[0])


def _clear_pairs(odds: npt.NDArray[np.float64], limit: float) -> list[tuple[int, int]]:
    """Give pairs that are each other's best by a clear lead, surest first."""
    pairs = []
    for a, b in np.argwhere(np.triu(odds >= limit, 1)):
        rivals = np.concatenate([np.delete(odds[a], b), np.delete(odds[b], a)])
        if odds[a, b] - rivals.max(initial=-np.inf) >= CLEAR_LEAD_LOG_ODDS:
            pairs.append((odds[a, b], int(a), int(b)))
    return [(a, b) for _, a, b in sorted(pairs, key=lambda p: (-p[0], p[1], p[2]))]
