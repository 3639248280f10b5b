"""Finds the people of a picture or a video in an archive, by example."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.errors import ModelError, SettingsError, StoreError, VideoError
from headtrack.identity.find import Resemblance, find_people
from headtrack.models.registry import model_id
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.models import load_models
from headtrack.settings import IDENTITY_MODELS, Settings
from headtrack.store.corrections import corrected_gallery
from headtrack.store.database import open_reader, open_scratch
from headtrack.store.gallery import load_gallery
from headtrack.store.ingest import ingest_result
from headtrack.store.read import done_videos
from headtrack.store.sightings import load_sightings
from headtrack.types import TrackGallery, VideoFailure
from headtrack.types.sightings import Sightings
from headtrack.video.decode import probe_watched
from headtrack.video.inputs import Input


@dataclass(frozen=True, slots=True)
class Archive:
    """The people of a database, as a query is compared with them.

    Attributes:
        gallery: every track.
        sightings: who each is, and where it is best looked at; aligned with `gallery`.
        person: (M,) int32 number of each track's person; -1 where it was not clustered yet.
        appearance: (M,) int32 the same for looks.
        look_ids: text id of each numbered look.
    """

    gallery: TrackGallery
    sightings: Sightings
    person: npt.NDArray[np.int32]
    appearance: npt.NDArray[np.int32]
    look_ids: npt.NDArray[np.str_]

    @property
    def people_with_faces(self) -> int:
        """Number of people of whom a face was seen."""
        return len(np.unique(self.person[self.gallery.has_face & (self.person >= 0)]))


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


def load_archive(db: Path, settings: Settings) -> Archive:
    """Read what a query is compared with.

    Raises:
        StoreError: the database is not there or locked.
        SettingsError: its faces were embedded by another model than the settings name.
    """
    with open_reader(db) as con:
        known = done_videos(con)
        gallery, sightings = corrected_gallery(con), load_sightings(con)
    wanted = model_id(settings.embed.identity_model)
    other = [provenance.models for provenance in known.values() if wanted not in provenance.models]
    if other:
        names = {name.partition("@")[0] for name in other[0]}
        theirs = (sorted(names & set(IDENTITY_MODELS)) or ["another model"])[0]
        raise SettingsError(
            f"the faces of {db} were embedded by {theirs}, and those of the query would be by "
            f"{settings.embed.identity_model}: they cannot be compared; add "
            f"--set embed.identity_model={theirs}"
        )
    person, _ = _numbered(sightings.person)
    appearance, look_ids = _numbered(sightings.appearance)
    return Archive(gallery, sightings, person, appearance, look_ids)


def find_by_example(path: Input, archive: Archive, settings: Settings) -> list[FoundHead]:
    """Analyse a picture or a video in memory and rank the archive's people for each of its heads.

    Nothing of the query is written to a database or stays on disk.

    Args:
        path: an image or a video, here or remote.
        archive: of `load_archive`.
        settings: as for a run.

    Returns:
        The heads of the query by time, then from left to right; a head followed over time is one.

    Raises:
        StoreError: the archive holds nobody.
        VideoError: the file cannot be read, or no head was found in it.
        ModelError: a model fails to load or run.
    """
    if not (archive.person >= 0).any():
        raise StoreError("the database holds nobody yet; `headtrack run PATH... --db FILE` fills it")
    video = probe_watched(path, settings.decode)
    result = analyze_video(video, load_models(settings), settings)
    if isinstance(result, VideoFailure):
        raise VideoError(result.message)
    with open_scratch() as con:
        ingest_result(con, result)
        query, seen = load_gallery(con), load_sightings(con)
    if not len(query):
        raise VideoError(
            f"no head was found in {path}; take one with a larger or sharper head, or find more of them with "
            "--set detect.min_score=0.1 --set track.min_score=0.1"
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


def _numbered(ids: npt.NDArray[np.str_]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.str_]]:
    """Number text ids; -1 for an empty one."""
    names, number = np.unique(ids[ids != ""], return_inverse=True)
    numbers = np.full(len(ids), -1, np.int32)
    numbers[ids != ""] = number
    return numbers, names
