"""What to ask a person about the people of a database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headtrack.identity.doubts import Doubts, Partition, find_doubts
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.pipeline.known_people import Archive, load_archive
from headtrack.settings import Settings


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Questions, with what they speak of.

    Attributes:
        doubts: the questions, the most worth asking first.
        archive: the people and tracks that the questions number.
    """

    doubts: Doubts
    archive: Archive


def suggest(db: Path, settings: Settings) -> Suggestions:
    """Find which people are likeliest one, and which one is likeliest two.

    Args:
        db: the DuckDB file.
        settings: `embed.identity_model` matters.

    Raises:
        StoreError: the database is not there or locked.
        SettingsError: its faces were embedded by another model than the settings name.
    """
    archive = load_archive(db, settings)
    partition = Partition(
        person=archive.person,
        shown_s=archive.sightings.shown_s,
        must_link=archive.gallery.must_link,
        cannot_link=archive.gallery.cannot_link,
    )
    scale = FACE_SCALES[settings.embed.identity_model].among(archive.people_with_faces)
    return Suggestions(find_doubts(archive.gallery, partition, scale), archive)
