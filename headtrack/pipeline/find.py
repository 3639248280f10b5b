"""Finds the people of a picture or a video in an archive, by example."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headtrack.errors import ModelError, VideoError
from headtrack.identity.find import Resemblance, find_people
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.known_people import Archive, check_holds_somebody
from headtrack.pipeline.models import load_models
from headtrack.settings import Settings
from headtrack.store.database import open_scratch
from headtrack.store.gallery import load_gallery
from headtrack.store.ingest import ingest_result
from headtrack.store.sightings import load_sightings
from headtrack.types import Video, VideoFailure


@dataclass(frozen=True, slots=True)
class FoundHead:
    """One head of the query and whom it resembles.

    Attributes:
        time_s: moment of the query at which it is best looked at.
        x: middle of the head at that moment, px.
        y: the same.
        resemblance: everybody it was compared with, the likeliest first.
    """

    time_s: float
    x: float
    y: float
    resemblance: Resemblance


def find_by_example(video: Video, archive: Archive, settings: Settings) -> list[FoundHead]:
    """Analyse a picture or a video in memory and rank the archive's people for each of its heads.

    Nothing of the query is written to a database or stays on disk.

    Args:
        video: an image or a video, as `headtrack.video.decode.probe_watched` gives it.
        archive: of `headtrack.pipeline.known_people.load_archive`.
        settings: as for a run.

    Returns:
        The heads of the query by time, then from left to right; a head followed over time is one.

    Raises:
        StoreError: the archive holds nobody.
        VideoError: the file cannot be read, or no head was found in it.
        ModelError: a model fails to load or run.
    """
    check_holds_somebody(archive)
    result = analyze_video(video, load_models(settings), settings)
    if isinstance(result, VideoFailure):
        raise VideoError(result.message)
    with open_scratch() as con:
        ingest_result(con, result)
        query, seen = load_gallery(con), load_sightings(con)
    if not len(query):
        raise VideoError(
            f"no head was found in {video.path}; take one with a larger or sharper head, or find more of "
            "them with --set detect.min_score=0.1 --set track.min_score=0.1"
        )
    width, theirs = query.look.shape[1], archive.gallery.look.shape[1]
    if width != theirs:
        raise ModelError(
            f"looks of the query have {width} numbers, those of the database {theirs}: another model made "
            "them; run its videos again with this version"
        )
    rankings = find_people(
        query,
        archive.gallery,
        person=archive.person,
        appearance=archive.appearance,
        face_scale=FACE_SCALES[settings.embed.identity_model].among(archive.people_with_faces),
    )
    order = np.lexsort((seen.xy[:, 0], seen.time_s))
    return [
        FoundHead(float(seen.time_s[k]), float(seen.xy[k, 0]), float(seen.xy[k, 1]), rankings[k])
        for k in order
    ]
