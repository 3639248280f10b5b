"""Tracks of all videos become people, and the tracks of one person become looks."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from headtrack.identity.constraints import block_faces, block_gallery, blocks
from headtrack.identity.evidence import MOST_EXACT_ROWS, FaceEvidence
from headtrack.identity.looks import look_labels
from headtrack.identity.methods import METHODS
from headtrack.ops.face_evidence import MOST_PEOPLE, FaceScale, crowd_log_odds, same_person_log_odds
from headtrack.ops.log_odds import log_odds
from headtrack.ops.pair_odds import face_odds, mean_odds_to_rest
from headtrack.settings import IdentitySettings
from headtrack.types import IdentityTree, LookSpans, TrackGallery

MAX_ROUNDS = 10  # each joins people; one to three are usual


def build_hierarchy(gallery: TrackGallery, face_scale: FaceScale, settings: IdentitySettings) -> IdentityTree:
    """Cluster tracks into identities by their faces, then each identity's tracks into appearances.

    Where a track's look changes, each part has its own.

    A track without a face is an identity of its own: what could join it to others, continuity
    and looks inside one video, has been used when tracks were linked. What a person said wins over both.

    Args:
        gallery: one row a track.
        face_scale: of the network that made the faces.
        settings: the `identity` section.

    Returns:
        The tree; identities and appearances are numbered by their first row.
    """
    block = blocks(gallery)
    identity = _numbered(_identities(gallery, block, face_scale, settings)[block])
    spans = gallery.look_spans
    look = _appearances(spans.look, identity[spans.row], settings)
    appearance = _longest(spans, look, len(gallery))
    return IdentityTree(identity, appearance, _strength(gallery, identity, face_scale), look)


def _identities(
    tracks: TrackGallery, block: npt.NDArray[np.int32], face_scale: FaceScale, settings: IdentitySettings
) -> npt.NDArray[np.int32]:
    """Give the identity of each block of tracks that are one person anyway."""
    gallery, size = block_gallery(tracks, block), block_faces(tracks, block)
    rows = np.flatnonzero(gallery.has_face)
    local = np.full(len(gallery), -1)
    local[rows] = np.arange(len(rows))
    pairs = local[gallery.cannot_link]
    evidence = FaceEvidence(
        gallery.face[rows],
        gallery.face_recognisability[rows],
        face_scale,
        cannot_link=pairs[(pairs >= 0).all(axis=1)].astype(np.int32),
        size=size[rows].astype(np.float64),
    )
    labels = _labels_for_as_many(evidence, settings)
    group = len(rows) + np.arange(len(gallery))  # alone, unless the faces say otherwise
    group[rows] = labels
    return _numbered(group)


def _labels_for_as_many(evidence: FaceEvidence, settings: IdentitySettings) -> npt.NDArray[np.int32]:
    """Cluster with the evidence that as many people as are found ask for.

    It begins as for the largest crowd: where fewer people are found, less is asked, which may join some of
    them, until nobody more joins.
    """
    people, labels = MOST_PEOPLE, np.zeros(0, np.int32)
    for _ in range(MAX_ROUNDS):
        limit = log_odds(settings.min_probability) + crowd_log_odds(people)
        labels = METHODS[settings.method](evidence, 1 / (1 + math.exp(-limit)))
        found = int(labels.max(initial=-1)) + 1
        if found >= people:
            break
        people = found
    return labels


def _appearances(
    look: npt.NDArray[np.float32], identity: npt.NDArray[np.int32], settings: IdentitySettings
) -> npt.NDArray[np.int32]:
    """Give the appearance of each look, numbered by its first; each is of one identity."""
    group = np.zeros(len(look), np.int64)
    limit = log_odds(settings.min_look_probability)
    following = 0
    for rows in _rows_by_group(identity):
        labels = look_labels(look[rows], limit) if len(rows) > 1 else np.zeros(1, np.int32)
        group[rows] = following + labels
        following += labels.max(initial=-1) + 1
    return _numbered(group)


def _longest(spans: LookSpans, look: npt.NDArray[np.int32], tracks: int) -> npt.NDArray[np.int32]:
    """Give the appearance that each track shows for the most frames; of equal ones the first."""
    if len(spans) == tracks:
        return look
    longest = np.zeros(tracks, np.int32)
    for row, parts in enumerate(_rows_by_group(spans.row)):
        kinds, first, of = np.unique(look[parts], return_index=True, return_inverse=True)
        frames = np.bincount(of, weights=(spans.stop - spans.start)[parts])
        longest[row] = kinds[np.lexsort((first, -frames))[0]]
    return longest


def _strength(
    gallery: TrackGallery, identity: npt.NDArray[np.int32], face_scale: FaceScale
) -> npt.NDArray[np.float32]:
    """Give the probability that each track's face is that of the rest of its identity.

    It is 1 where a track is alone, or where only a person's word joins it: without a face of its own, or
    with nobody else's to compare.
    """
    strength = np.ones(len(gallery), np.float32)
    for everybody in _rows_by_group(identity):
        rows = everybody[gallery.has_face[everybody]]
        if len(rows) < 2:
            continue
        face, clear = gallery.face[rows], gallery.face_recognisability[rows]
        if len(rows) > MOST_EXACT_ROWS:
            mean = mean_odds_to_rest(face_odds(face, clear, face_scale))
        else:
            odds = same_person_log_odds(face, clear, face_scale)
            np.fill_diagonal(odds, 0)
            mean = odds.sum(axis=1) / (len(rows) - 1)
        strength[rows] = 1 / (1 + np.exp(-mean))
    return strength


def _rows_by_group(group: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int64]]:
    """Give the rows of each group, in order; groups are numbered from 0 on without a gap."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if len(group) else []


def _numbered(group: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Number groups by their first row."""
    number = {value: k for k, value in enumerate(dict.fromkeys(group.tolist()))}
    return np.array([number[value] for value in group.tolist()], np.int32)
