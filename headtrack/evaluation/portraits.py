"""Stills of one person each, with the person's name and, as far as labelled, look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headtrack.errors import DatasetError
from headtrack.evaluation.csv_rows import read_csv
from headtrack.evaluation.labels import ONLY, Sighting
from headtrack.evaluation.predictions import NOTHING, Found
from headtrack.evaluation.protocol import FOLDER_A_PERSON
from headtrack.evaluation.score_identity import IdentityScore, NamedHeads, score_identity
from headtrack.types.arrays import as_array, select

PORTRAIT_COLUMNS = ("image", "identity", "appearance", "confidence")


@dataclass(frozen=True, slots=True)
class Portraits:
    """Labelled stills, each with one person who counts: the largest head.

    Attributes:
        media: (N,) str path in the data folder, each once.
        identity: (N,) str.
        appearance: (N,) str name of the look, empty where not labelled.
    """

    media: npt.NDArray[np.str_]
    identity: npt.NDArray[np.str_]
    appearance: npt.NDArray[np.str_]

    def __post_init__(self) -> None:
        n = len(self.media)
        for name in ("media", "identity", "appearance"):
            object.__setattr__(self, name, as_array(name, getattr(self, name), np.str_, (n,)))

    def __len__(self) -> int:
        return len(self.media)

    def __getitem__(self, index: Any) -> Portraits:
        return select(self, index)

    @staticmethod
    def empty() -> Portraits:
        """Give no stills."""
        word = np.zeros(0, np.str_)
        return Portraits(word, word, word)


@dataclass(frozen=True, slots=True)
class PortraitScore:
    """How well the stills, as one archive, were gathered.

    Attributes:
        identity: over all stills; one where no head was found is a person of its own.
        appearance: looks inside each labelled person, over the stills whose look is labelled.
    """

    identity: IdentityScore = field(default_factory=IdentityScore)
    appearance: IdentityScore = field(default_factory=IdentityScore)


def read_portraits(data_dir: Path, sightings: Iterable[Sighting]) -> Portraits:
    """Read every labelled still of one person.

    They stand in `labels/people.csv`, among the sightings of people in several media, and in the folders of
    `stills/orl`, each named after its person. A data folder may lack any of them.

    Args:
        data_dir: with `labels/` and `stills/`.
        sightings: see `read_labels`.

    Raises:
        DatasetError: a file or a still is missing, or a row is malformed.
    """
    table = data_dir / "labels" / "people.csv"
    rows = [(s.media, s.identity, "") for s in sightings if s.person == ONLY]
    for row in read_csv(table, PORTRAIT_COLUMNS) if table.is_file() else ():
        media = row.text("image")
        if not (data_dir / media).is_file():
            raise row.error(f"{media} is missing in {data_dir}; add the file")
        rows.append((media, row.text("identity"), row.values["appearance"].strip()))
    for folder in FOLDER_A_PERSON:
        stills = sorted(path.relative_to(data_dir) for path in (data_dir / folder).glob("*/*"))
        rows += [(still.as_posix(), f"{folder} {still.parent.name}", "") for still in stills]
    media = [row[0] for row in rows]
    twice = sorted({name for name in media if media.count(name) > 1})
    if twice:
        raise DatasetError(f"{twice[0]} is labelled twice in {data_dir / 'labels'}; keep one row")
    return Portraits(*(np.array([row[k] for row in rows], np.str_) for k in range(3)))


def score_portraits(portraits: Portraits, found: Mapping[str, Found]) -> PortraitScore:
    """Score what was found of the largest head of each still.

    Args:
        portraits: the truth.
        found: by path in the data folder; a still that is not there was not analysed.
    """
    # One head a still, or none: its name, or an empty one.
    largest = [found.get(str(media), NOTHING).heads.largest for media in portraits.media]
    person = np.array(["".join(head.person.tolist()) for head in largest], np.str_)
    appearance = np.array(["".join(head.appearance.tolist()) for head in largest], np.str_)
    looks = IdentityScore()
    for identity in np.unique(portraits.identity):
        rows = (portraits.identity == identity) & (portraits.appearance != "")
        looks += _score(portraits.appearance[rows], appearance[rows])
    return PortraitScore(_score(portraits.identity, person), looks)


def _score(truth: npt.NDArray[np.str_], found: npt.NDArray[np.str_]) -> IdentityScore:
    return score_identity(NamedHeads(truth, found, found != ""), ())
