"""Runs the main job on the labelled files and scores what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.cross_media import CrossMediaScore, score_cross_media
from headtrack.evaluation.evidence import DEFAULT_SCALE, Evidence, FoundLinks, read_evidence
from headtrack.evaluation.labels import CutLabels, Labels, clip_media
from headtrack.evaluation.matching import HeadMatch, match_heads
from headtrack.evaluation.oracle import OracleRow, check_oracle
from headtrack.evaluation.portraits import PortraitScore, score_portraits
from headtrack.evaluation.predictions import NOTHING, Found
from headtrack.evaluation.protocol import PAIRS_NOT_SCORED
from headtrack.evaluation.read_found import read_found
from headtrack.evaluation.score_evidence import (
    NamedTracks,
    calibrate_identity,
    calibrate_links,
    largest_tracks,
    score_ordering,
    tracks_in_clip,
)
from headtrack.evaluation.score_gaps import GapScore, score_gaps
from headtrack.evaluation.score_heads import HeadScore, score_heads
from headtrack.evaluation.score_identity import IdentityScore, NamedHeads, score_identity
from headtrack.evaluation.score_shots import ShotScore, score_shots
from headtrack.evaluation.score_tracks import TrackScore, score_tracks
from headtrack.evaluation.spy_stills import CastScore, score_spy_stills
from headtrack.evaluation.truth import CLIPS, PORTRAITS, SPY, Truth, read_truth
from headtrack.evaluation.visits import VisitScore, score_visits
from headtrack.metrics.calibration import Reliability
from headtrack.metrics.ordering import Ordering
from headtrack.ops.face_evidence import FaceScale

# Analyses the files into a database.
RunArchive = Callable[[list[Path], Path], None]
NO_EVIDENCE = Evidence.none()
NO_LINKS = FoundLinks.none()
NO_CUTS = CutLabels(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All scores of one data folder.

    Attributes:
        heads: by clip with labelled heads.
        identity: the same clips, each on its own.
        tracks: the same clips.
        gaps: the same clips, of which the shots may be labelled.
        shots: by clip with labelled shots.
        over_clips: identity over all clips as one archive.
        visits: people who pass by.
        cross_media: people who occur in clips and stills.
        portraits: stills of one person each.
        spy: stills of which the people are known, but not where they are.
        ordering: similarities among the portraits with labelled looks.
        identity_calibration: probability of one person, of each two labelled tracks.
        link_calibration: scores of the links of all clips.
        oracle: metric values compared with other tools'.
        not_analysed: files of which the database knows no shot.
    """

    heads: dict[str, HeadScore]
    identity: dict[str, IdentityScore]
    tracks: dict[str, TrackScore]
    gaps: dict[str, GapScore]
    shots: dict[str, ShotScore]
    over_clips: IdentityScore
    visits: VisitScore
    cross_media: CrossMediaScore
    portraits: PortraitScore
    spy: CastScore
    ordering: Ordering
    identity_calibration: Reliability
    link_calibration: Reliability
    oracle: list[OracleRow]
    not_analysed: list[str]


def evaluate(
    data_dir: Path, *, run_archive: RunArchive, db: Path, face_scale: FaceScale = DEFAULT_SCALE
) -> Evaluation:
    """Run the main job on every labelled file of a data folder and score it.

    Clips, with the stills of people who occur in them, are one archive; the stills of one person each are
    another, and the stills that name people without boxes a third.

    Args:
        data_dir: with `labels/`, `clips/` and, as far as labelled, `stills/` and `oracle/`.
        run_archive: the main job; gets the files and the database.
        db: where it writes the first archive; the others get `-portraits` and `-spy` before the suffix.
            What a database already holds may be reused.
        face_scale: of the network that makes the faces.

    Raises:
        DatasetError: the folder is not as expected.
    """
    truth = read_truth(data_dir)
    oracle = check_oracle(data_dir)
    scores: dict[str, Evaluation] = {}
    for name, part in truth.archives().items():
        of = db.with_name(db.stem + name + db.suffix)
        paths = media_paths(data_dir, part.media)
        run_archive(list(paths.values()), of)
        evidence = read_evidence(of, paths, face_scale)
        scores[name] = score(part, read_found(of, paths), oracle=oracle, evidence=evidence)
    clips, portraits, spy = (scores.get(name, scores[CLIPS]) for name in (CLIPS, PORTRAITS, SPY))
    every = scores.values()
    return replace(
        clips,
        portraits=portraits.portraits,
        ordering=portraits.ordering,
        spy=spy.spy,
        identity_calibration=sum((s.identity_calibration for s in every), Reliability.none()),
        not_analysed=sorted({media for s in every for media in s.not_analysed}),
    )


def media_paths(data_dir: Path, media: Iterable[str]) -> dict[str, Path]:
    """Give the absolute path of each file, by its path in the data folder."""
    return {name: (data_dir / name).resolve() for name in media}


def score(
    truth: Truth,
    found: Mapping[str, Found],
    *,
    oracle: list[OracleRow],
    evidence: Evidence = NO_EVIDENCE,
) -> Evaluation:
    """Score what was found.

    Args:
        truth: the labels.
        found: by path in the data folder; a file that is not there was not analysed.
        oracle: see `check_oracle`.
        evidence: behind what was found.
    """
    labels = truth.labels
    matches = match_clips(labels, found)
    excused = {clip: PAIRS_NOT_SCORED.get(clip, ()) for clip in matches}
    stills = {media: found.get(media, NOTHING).heads for media in labels.media}
    by_media = {clip_media(clip): match for clip, match in matches.items()}
    named = evaluation_tracks(truth, found)
    return Evaluation(
        heads={clip: score_heads(match) for clip, match in matches.items()},
        identity={clip: score_identity(_named(match), excused[clip]) for clip, match in matches.items()},
        tracks={clip: score_tracks(match, excused[clip]) for clip, match in matches.items()},
        gaps={clip: score_gaps(match, labels.cuts.get(clip, NO_CUTS)) for clip, match in matches.items()},
        shots={
            clip: score_shots(cuts, found.get(clip_media(clip), NOTHING).cut)
            for clip, cuts in labels.cuts.items()
        },
        over_clips=_score_over_clips(labels, matches),
        visits=score_visits(truth.visits, found),
        cross_media=score_cross_media(labels.sightings, by_media, stills),
        portraits=score_portraits(truth.portraits, found),
        spy=score_spy_stills(truth.spy, found),
        ordering=score_ordering(truth.portraits, found, evidence),
        identity_calibration=calibrate_identity(named, evidence, _not_scored(labels)),
        link_calibration=sum(
            (
                calibrate_links(match, evidence.links.get(clip_media(clip), NO_LINKS), excused[clip])
                for clip, match in matches.items()
            ),
            Reliability.none(),
        ),
        oracle=oracle,
        not_analysed=sorted(set(truth.media) - set(found)),
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


def _names(labels: Labels, clip: str, match: HeadMatch) -> npt.NDArray[np.str_]:
    return np.array([archive_name(labels, clip, person) for person in match.labels.person.tolist()], np.str_)


def _not_scored(labels: Labels) -> list[tuple[str, str]]:
    return [
        (archive_name(labels, clip, a), archive_name(labels, clip, b))
        for clip, pairs in PAIRS_NOT_SCORED.items()
        for a, b in pairs
    ]


def evaluation_tracks(truth: Truth, found: Mapping[str, Found]) -> NamedTracks:
    """Give every track whose person the labels know.

    Args:
        truth: the labels.
        found: by path in the data folder.
    """
    matches = match_clips(truth.labels, found)
    portraits = truth.portraits
    parts = [NamedTracks(portraits.media, largest_tracks(portraits, found), portraits.identity)]
    parts += [
        tracks_in_clip(clip_media(clip), match, _names(truth.labels, clip, match))
        for clip, match in matches.items()
    ]
    return NamedTracks(*(np.concatenate([getattr(p, f) for p in parts]) for f in ("media", "track", "name")))


def _score_over_clips(labels: Labels, matches: Mapping[str, HeadMatch]) -> IdentityScore:
    named = [
        NamedHeads(_names(labels, clip, match), match.person_of_label, match.is_hit)
        for clip, match in matches.items()
    ]
    heads = NamedHeads(
        np.concatenate([np.zeros(0, np.str_), *(n.truth for n in named)]),
        np.concatenate([np.zeros(0, np.str_), *(n.person for n in named)]),
        np.concatenate([np.zeros(0, bool), *(n.is_hit for n in named)]),
    )
    return score_identity(heads, _not_scored(labels))
