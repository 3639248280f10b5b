"""Runs the main job on the labelled files and scores what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headtrack.evaluation.cross_media import CrossMediaScore, score_cross_media
from headtrack.evaluation.labels import Labels, clip_media, read_labels
from headtrack.evaluation.matching import HeadMatch, match_heads
from headtrack.evaluation.oracle import OracleRow, check_oracle
from headtrack.evaluation.portraits import Portraits, PortraitScore, read_portraits, score_portraits
from headtrack.evaluation.predictions import NOTHING, Found
from headtrack.evaluation.protocol import PAIRS_NOT_SCORED
from headtrack.evaluation.read_found import read_found
from headtrack.evaluation.score_heads import HeadScore, score_heads
from headtrack.evaluation.score_identity import IdentityScore, NamedHeads, score_identity
from headtrack.evaluation.score_shots import ShotScore, score_shots
from headtrack.evaluation.score_tracks import TrackScore, score_tracks
from headtrack.evaluation.visits import Visit, VisitScore, read_visits, score_visits

# Analyses the files into a database.
RunArchive = Callable[[list[Path], Path], None]
NO_PORTRAITS = Portraits.empty()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All scores of one data folder.

    Attributes:
        heads: by clip with labelled heads.
        identity: the same clips, each on its own.
        tracks: the same clips.
        shots: by clip with labelled shots.
        over_clips: identity over all clips as one archive.
        visits: people who pass by.
        cross_media: people who occur in clips and stills.
        portraits: stills of one person each.
        oracle: metric values compared with other tools'.
        not_analysed: files of which the database knows no shot.
    """

    heads: dict[str, HeadScore]
    identity: dict[str, IdentityScore]
    tracks: dict[str, TrackScore]
    shots: dict[str, ShotScore]
    over_clips: IdentityScore
    visits: VisitScore
    cross_media: CrossMediaScore
    portraits: PortraitScore
    oracle: list[OracleRow]
    not_analysed: list[str]


def evaluate(data_dir: Path, *, run_archive: RunArchive, db: Path) -> Evaluation:
    """Run the main job on every labelled file of a data folder and score it.

    Args:
        data_dir: with `labels/`, `clips/` and, as far as labelled, `stills/` and `oracle/`.
        run_archive: the main job; gets the files and the database.
        db: where it writes; what the database already holds may be reused by it.

    Raises:
        DatasetError: the folder is not as expected.
    """
    labels = read_labels(data_dir)
    oracle = check_oracle(data_dir)
    portraits = read_portraits(data_dir, labels.sightings)
    paths = media_paths(data_dir, sorted({*labels.media, *portraits.media.tolist()}))
    run_archive(list(paths.values()), db)
    return score(
        labels, read_found(db, paths), oracle=oracle, visits=read_visits(data_dir), portraits=portraits
    )


def media_paths(data_dir: Path, media: Iterable[str]) -> dict[str, Path]:
    """Give the absolute path of each file, by its path in the data folder."""
    return {name: (data_dir / name).resolve() for name in media}


def score(
    labels: Labels,
    found: Mapping[str, Found],
    *,
    oracle: list[OracleRow],
    visits: tuple[Visit, ...] = (),
    portraits: Portraits = NO_PORTRAITS,
) -> Evaluation:
    """Score what was found.

    Args:
        labels: the truth.
        found: by path in the data folder; a file that is not there was not analysed.
        oracle: see `check_oracle`.
        visits: see `read_visits`.
        portraits: see `read_portraits`.
    """
    labelled = {*labels.media, *portraits.media.tolist()}
    matches = match_clips(labels, found)
    stills = {media: found.get(media, NOTHING).heads for media in labels.media}
    by_media = {clip_media(clip): match for clip, match in matches.items()}
    return Evaluation(
        heads={clip: score_heads(match) for clip, match in matches.items()},
        identity={
            clip: score_identity(_named(match), PAIRS_NOT_SCORED.get(clip, ()))
            for clip, match in matches.items()
        },
        tracks={clip: score_tracks(match, PAIRS_NOT_SCORED.get(clip, ())) for clip, match in matches.items()},
        shots={
            clip: score_shots(cuts, found.get(clip_media(clip), NOTHING).cut)
            for clip, cuts in labels.cuts.items()
        },
        over_clips=_score_over_clips(labels, matches),
        visits=score_visits(visits, found),
        cross_media=score_cross_media(labels.sightings, by_media, stills),
        portraits=score_portraits(portraits, found),
        oracle=oracle,
        not_analysed=sorted(labelled - set(found)),
    )


def match_clips(labels: Labels, found: Mapping[str, Found]) -> dict[str, HeadMatch]:
    """Match labelled and found heads of every clip."""
    return {
        clip: match_heads(heads, found.get(clip_media(clip), NOTHING).heads)
        for clip, heads in labels.heads.items()
    }


def archive_name(labels: Labels, clip: str, person: str) -> str:
    """Name a clip's person over all clips: one name where `cross_media.csv` says it is one person."""
    for sighting in labels.sightings:
        if (sighting.media, sighting.person) == (clip_media(clip), person):
            return sighting.identity
    return f"{clip} {person}"


def _named(match: HeadMatch) -> NamedHeads:
    return NamedHeads(match.labels.person, match.person_of_label, match.is_hit)


def _score_over_clips(labels: Labels, matches: Mapping[str, HeadMatch]) -> IdentityScore:
    named = [_named(match) for match in matches.values()]
    truth = [
        archive_name(labels, clip, str(person))
        for clip, match in matches.items()
        for person in match.labels.person
    ]
    heads = NamedHeads(
        np.array(truth, np.str_),
        np.concatenate([n.person for n in named]) if named else np.zeros(0, np.str_),
        np.concatenate([n.is_hit for n in named]) if named else np.zeros(0, bool),
    )
    not_scored = [
        (archive_name(labels, clip, a), archive_name(labels, clip, b))
        for clip, pairs in PAIRS_NOT_SCORED.items()
        for a, b in pairs
    ]
    return score_identity(heads, not_scored)
