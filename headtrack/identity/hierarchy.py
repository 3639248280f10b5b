"""Tracks of all videos become people, and the tracks of one person become looks."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from headtrack.identity.evidence import MOST_EXACT_ROWS, FaceEvidence
from headtrack.identity.looks import look_labels
from headtrack.identity.methods import METHODS
from headtrack.ops.face_evidence import FaceScale, crowd_log_odds, same_person_log_odds
from headtrack.ops.log_odds import log_odds
from headtrack.ops.pair_odds import face_odds, mean_odds_to_rest
from headtrack.settings import IdentitySettings
from headtrack.types import IdentityTree, TrackGallery

MAX_ROUNDS = 10  # each adds people; two or three are usual


def build_hierarchy(gallery: TrackGallery, face_scale: FaceScale, settings: IdentitySettings) -> IdentityTree:
    """Cluster tracks into identities by their faces, then each identity's tracks into appearances.

    A track without a face is an identity of its own: what could join it to others, continuity
    and looks inside one video, has been used when tracks were linked.

    Args:
        gallery: one row a track.
        face_scale: of the network that made the faces.
        settings: the `identity` section.

    Returns:
        The tree; identities and appearances are numbered by their first row.
    """
    identity = _identities(gallery, face_scale, settings)
    appearance = _appearances(gallery, identity, settings)
    return IdentityTree(identity, appearance, _strength(gallery, identity, face_scale))


def _identities(
    gallery: TrackGallery, face_scale: FaceScale, settings: IdentitySettings
) -> npt.NDArray[np.int32]:
    rows = np.flatnonzero(gallery.has_face)
    local = np.full(len(gallery), -1)
    local[rows] = np.arange(len(rows))
    pairs = local[gallery.cannot_link]
    evidence = FaceEvidence(
        gallery.face[rows],
        gallery.face_recognisability[rows],
        face_scale,
        cannot_link=pairs[(pairs >= 0).all(axis=1)].astype(np.int32),
    )
    labels = _labels_for_as_many(evidence, settings)
    group = len(rows) + np.arange(len(gallery))  # alone, unless the faces say otherwise
    group[rows] = labels
    return _numbered(group)


def _labels_for_as_many(evidence: FaceEvidence, settings: IdentitySettings) -> npt.NDArray[np.int32]:
    """Cluster with the evidence that as many people as are found ask for.

    It begins as for one person: each round finds more people and asks for more, until none is added.
    """
    people, labels = 0, np.zeros(0, np.int32)
    for _ in range(MAX_ROUNDS):
        limit = log_odds(settings.min_probability) + crowd_log_odds(people)
        labels = METHODS[settings.method](evidence, 1 / (1 + math.exp(-limit)))
        found = int(labels.max(initial=-1)) + 1
        if found <= people:
            break
        people = found
    return labels


def _appearances(
    gallery: TrackGallery, identity: npt.NDArray[np.int32], settings: IdentitySettings
) -> npt.NDArray[np.int32]:
    group = np.zeros(len(gallery), np.int64)
    limit = log_odds(settings.min_look_probability)
    following = 0
    for rows in _rows_by_group(identity):
        labels = look_labels(gallery.look[rows], limit) if len(rows) > 1 else np.zeros(1, np.int32)
        group[rows] = following + labels
        following += labels.max(initial=-1) + 1
    return _numbered(group)


def _strength(
    gallery: TrackGallery, identity: npt.NDArray[np.int32], face_scale: FaceScale
) -> npt.NDArray[np.float32]:
    """Give the probability that each track's face is that of the rest of its identity; 1 if alone."""
    strength = np.ones(len(gallery), np.float32)
    for rows in _rows_by_group(identity):
        if len(rows) == 1:
            continue
        if len(rows) > MOST_EXACT_ROWS:
            rows = rows[gallery.has_face[rows]]
            many = face_odds(gallery.face[rows], gallery.face_recognisability[rows], face_scale)
            strength[rows] = 1 / (1 + np.exp(-mean_odds_to_rest(many)))
            continue
        odds = same_person_log_odds(gallery.face[rows], gallery.face_recognisability[rows], face_scale)
        np.fill_diagonal(odds, 0)
        strength[rows] = 1 / (1 + np.exp(-odds.sum(axis=1) / (len(rows) - 1)))
    return strength


def _rows_by_group(group: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int64]]:
    """Give the rows of each group, in order; groups are numbered from 0 on without a gap."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if len(group) else []


def _numbered(group: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Number groups by their first row."""
    number = {value: k for k, value in enumerate(dict.fromkeys(group.tolist()))}
    return np.array([number[value] for value in group.tolist()], np.int32)
