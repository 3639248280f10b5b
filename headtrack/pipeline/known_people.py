"""Reads the people of a database, to compare others with them; brings no network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.errors import SettingsError, StoreError
from headtrack.models.registry import model_id
from headtrack.settings import IDENTITY_MODELS, Settings
from headtrack.store.corrections import corrected_gallery
from headtrack.store.database import open_reader
from headtrack.store.read import done_videos
from headtrack.store.sightings import load_sightings
from headtrack.types import TrackGallery
from headtrack.types.sightings import Sightings


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


def check_holds_somebody(archive: Archive) -> None:
    """Refuse to look for anybody where nobody is known.

    Raises:
        StoreError: the archive holds nobody.
    """
    if not (archive.person >= 0).any():
        raise StoreError("the database holds nobody yet; `headtrack run PATH... --db FILE` fills it")


def _numbered(ids: npt.NDArray[np.str_]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.str_]]:
    """Number text ids; -1 for an empty one."""
    names, number = np.unique(ids[ids != ""], return_inverse=True)
    numbers = np.full(len(ids), -1, np.int32)
    numbers[ids != ""] = number
    return numbers, names
