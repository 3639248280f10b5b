"""Tracks of all videos become people, and the tracks of one person become looks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.identity.constraints import block_gallery, blocks
from headtrack.identity.methods import METHODS
from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.linkage import constrained_average_linkage
from headtrack.ops.log_odds import log_odds
from headtrack.ops.look_evidence import same_look_log_odds
from headtrack.settings import IdentitySettings
from headtrack.types import IdentityTree, TrackGallery


def build_hierarchy(gallery: TrackGallery, face_scale: FaceScale, settings: IdentitySettings) -> IdentityTree:
    """Cluster tracks into identities by their faces, then each identity's tracks into appearances.

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
    identity = _numbered(_identities(block_gallery(gallery, block), face_scale, settings)[block])
    appearance = _appearances(gallery, identity, settings)
    return IdentityTree(identity, appearance, _strength(gallery, identity, face_scale))


def _identities(
    gallery: TrackGallery, face_scale: FaceScale, settings: IdentitySettings
) -> npt.NDArray[np.int32]:
    rows = np.flatnonzero(gallery.has_face)
    local = np.full(len(gallery), -1)
    local[rows] = np.arange(len(rows))
    pairs = local[gallery.cannot_link]
    labels = METHODS[settings.method](
        same_person_log_odds(gallery.face[rows], gallery.face_recognisability[rows], face_scale),
        cannot_link=pairs[(pairs >= 0).all(axis=1)].astype(np.int32),
        min_probability=settings.min_probability,
    )
    group = len(rows) + np.arange(len(gallery))  # alone, unless the faces say otherwise
    group[rows] = labels
    return _numbered(group)


def _appearances(
    gallery: TrackGallery, identity: npt.NDArray[np.int32], settings: IdentitySettings
) -> npt.NDArray[np.int32]:
    group = np.zeros(len(gallery), np.int64)
    limit = log_odds(settings.min_look_probability)
    following = 0
    for person in range(identity.max(initial=-1) + 1):
        rows = np.flatnonzero(identity == person)
        look = gallery.look[rows]
        odds = same_look_log_odds(look @ look.T)
        labels = constrained_average_linkage(
            np.nan_to_num(odds, nan=-np.inf),
            min_similarity=limit,
            cannot_link=np.zeros((0, 2), np.int32),
        )
        group[rows] = following + labels
        following += labels.max(initial=-1) + 1
    return _numbered(group)


def _strength(
    gallery: TrackGallery, identity: npt.NDArray[np.int32], face_scale: FaceScale
) -> npt.NDArray[np.float32]:
    """Give the probability that each track's face is that of the rest of its identity.

    It is 1 where a track is alone, or where only a person's word joins it: without a face of its own, or
    with nobody else's to compare.
    """
    strength = np.ones(len(gallery), np.float32)
    for person in np.flatnonzero(np.bincount(identity) > 1) if len(identity) else []:
        rows = np.flatnonzero(identity == person)
        odds = same_person_log_odds(gallery.face[rows], gallery.face_recognisability[rows], face_scale)
        np.fill_diagonal(odds, np.nan)
        known = np.isfinite(odds).sum(axis=1)
        mean = np.nansum(odds, axis=1) / np.maximum(known, 1)
        strength[rows] = np.where(known > 0, 1 / (1 + np.exp(-mean)), 1)
    return strength


def _numbered(group: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Number groups by their first row."""
    number = {value: k for k, value in enumerate(dict.fromkeys(group.tolist()))}
    return np.array([number[value] for value in group.tolist()], np.int32)
