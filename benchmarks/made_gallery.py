"""Galleries of tracks whose faces and looks are drawn, with the statistics of real ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headtrack.ops.vectors import unit
from headtrack.types import TrackGallery

FACE_WIDTH, LOOK_WIDTH = 128, 128
# Cosines of SFace between versions of labelled stills (those `benchmarks/fit_evidence.py` embeds), by the
# poorer face's recognisability: (from, to, mean and spread of one person, mean and spread of strangers).
MEASURED_COSINES = (
    (0.00, 0.25, 0.31, 0.19, 0.10, 0.14),
    (0.25, 0.50, 0.38, 0.19, 0.09, 0.14),
    (0.50, 0.75, 0.44, 0.18, 0.07, 0.13),
    (0.75, 1.01, 0.54, 0.18, 0.07, 0.11),
)
RECOGNISABILITY_QUANTILES = (0.0, 0.13, 0.37, 0.65, 0.94, 1.0, 1.0)  # at 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1
# What a face's direction consists of: shares of the squared length at recognisability 0 and 1.
OWN_SHARE = (0.10, 0.46)  # the person's
COMMON_SHARE = (0.10, 0.07)  # all faces'
POOR_SHARE = (0.38, 0.20)  # of the few directions into which blur and darkness push
OWN_SPREAD = 0.5  # of the logarithm of the person's share, track by track: pose, light
POOR_DIRECTIONS = 12
# Cosines of looks between labelled stills: 0.885 (0.044) of one person and day, 0.69 (0.15) of others.
COMMON_LOOK, PERSON_LOOK, OWN_LOOK = 0.62, 0.08, 0.18
TRACKS_A_PERSON, TRACKS_A_VIDEO, CAST = 20, 50, 15
VIDEO_S, TRACK_S = 600.0, 15.0
FACELESS = 0.15  # of the tracks: seen from behind


@dataclass(frozen=True, slots=True)
class MadeGallery:
    """Tracks and who they are.

    Attributes:
        gallery: as clustering sees them.
        person: (M,) int64, who each track is.
    """

    gallery: TrackGallery
    person: np.ndarray


def made_gallery(tracks: int, *, people: int | None = None, seed: int = 0) -> MadeGallery:
    """Draw the tracks of an archive: people of Zipf's frequencies, in casts, in videos of 50 tracks."""
    rng = np.random.default_rng(seed)
    people = people or max(1, tracks // TRACKS_A_PERSON)
    videos = -(-tracks // TRACKS_A_VIDEO)
    video = np.arange(tracks) // TRACKS_A_VIDEO
    frequency = 1 / np.arange(1, people + 1)
    cast = rng.choice(people, (videos, CAST), p=frequency / frequency.sum())
    person = cast[video, rng.integers(0, CAST, tracks)]
    clear = np.interp(rng.random(tracks), (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1), RECOGNISABILITY_QUANTILES)
    has_face = rng.random(tracks) >= FACELESS
    face = _faces(rng, person, people, clear)
    face[~has_face] = np.nan
    return MadeGallery(
        TrackGallery(
            np.array([f"{v:016x}" for v in video]),
            np.arange(tracks) % TRACKS_A_VIDEO,
            face,
            has_face,
            np.where(has_face, clear, 0),
            _looks(rng, person, people),
            _overlapping(rng, video, person),
        ),
        person,
    )


def _directions(rng: np.random.Generator, count: int, width: int) -> np.ndarray:
    return unit(rng.standard_normal((count, width), np.float32))


def _faces(rng: np.random.Generator, person: np.ndarray, people: int, clear: np.ndarray) -> np.ndarray:
    n = len(person)
    own, common, poor = (low + (high - low) * clear for low, high in (OWN_SHARE, COMMON_SHARE, POOR_SHARE))
    own = np.minimum(own * np.exp(rng.normal(0, OWN_SPREAD, n)), 0.97 - common)
    poor = np.minimum(poor, 1 - own - common)
    face = np.sqrt(1 - own - common - poor)[:, None] * _directions(rng, n, FACE_WIDTH)
    face += np.sqrt(own)[:, None] * _directions(rng, people, FACE_WIDTH)[person]
    face += np.sqrt(common)[:, None] * _directions(rng, 1, FACE_WIDTH)
    push = (
        _directions(rng, n, POOR_DIRECTIONS)
        @ np.linalg.qr(rng.standard_normal((FACE_WIDTH, POOR_DIRECTIONS)))[0].T
    )
    return unit(face + np.sqrt(poor)[:, None] * push)


def _looks(rng: np.random.Generator, person: np.ndarray, people: int) -> np.ndarray:
    number = np.minimum(rng.geometric(0.4, len(person)) - 1, 7)  # a person's first look is the usual one
    _, look = np.unique(person * 8 + number, return_inverse=True)
    shares = COMMON_LOOK, PERSON_LOOK, OWN_LOOK
    parts = (
        _directions(rng, 1, LOOK_WIDTH),
        _directions(rng, people, LOOK_WIDTH)[person],
        _directions(rng, int(look.max(initial=-1)) + 1, LOOK_WIDTH)[look],
    )
    noise = np.sqrt(1 - sum(shares)) * _directions(rng, len(person), LOOK_WIDTH)
    return unit(noise + sum(np.sqrt(share) * part for share, part in zip(shares, parts, strict=True)))


def _overlapping(rng: np.random.Generator, video: np.ndarray, person: np.ndarray) -> np.ndarray:
    """Give pairs of tracks of different people that are on screen at once."""
    n = len(video)
    start_s, length_s = rng.uniform(0, VIDEO_S, n), rng.exponential(TRACK_S, n)
    pairs = []
    for step in range(1, TRACKS_A_VIDEO):
        a = np.arange(n - step)
        b = a + step
        apart = (start_s[a] > start_s[b] + length_s[b]) | (start_s[b] > start_s[a] + length_s[a])
        a = a[(video[a] == video[b]) & ~apart & (person[a] != person[b])]
        pairs.append(np.stack([a, a + step], axis=1))
    return np.concatenate(pairs) if pairs else np.zeros((0, 2), np.int32)
