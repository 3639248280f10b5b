"""Stills of one film whose labels say who is in them, but not where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from headtrack.evaluation.csv_rows import read_csv
from headtrack.evaluation.labels import SLIDE_COLUMNS
from headtrack.evaluation.predictions import NOTHING, Found, FoundHeads
from headtrack.evaluation.score_identity import IdentityScore, NamedHeads, score_identity
from headtrack.metrics.naming import NOBODY, name_by_company

NO_PEOPLE, NOT_SCORED = "NONE", "IGN"
UNSURE, REAR_MARK = "?", ":r"


@dataclass(frozen=True, slots=True)
class CastStill:
    """One still and who is in it.

    Attributes:
        media: path in the data folder.
        people: names; none where nobody is in it.
        is_scored: the labels are sure of all of them.
    """

    media: str
    people: tuple[str, ...]
    is_scored: bool


@dataclass(frozen=True, slots=True)
class CastScore:
    """How well people were recognised from still to still.

    Attributes:
        every: over each person of each still, with the heads that fit best (an upper bound).
        one_person: over the stills of exactly one person, whose largest head counts: nothing to choose.
        persons: found persons by name, the most frequent first; a missed head is left out.
    """

    every: IdentityScore = field(default_factory=IdentityScore)
    one_person: IdentityScore = field(default_factory=IdentityScore)
    persons: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read_spy_stills(data_dir: Path) -> tuple[CastStill, ...]:
    """Read `labels/spy_stills.csv` of a data folder; nothing where it has no such file.

    Raises:
        DatasetError: a still is missing, or a row is malformed.
    """
    path = data_dir / "labels" / "spy_stills.csv"
    stills = []
    for row in read_csv(path, SLIDE_COLUMNS) if path.is_file() else ():
        media, named = row.text("image"), row.text("persons")
        if not (data_dir / media).is_file():
            raise row.error(f"{media} is missing in {data_dir}; add the file")
        people = tuple(name.removesuffix(REAR_MARK) for name in named.split(";") if name != NO_PEOPLE)
        if len(set(people)) < len(people):
            raise row.error(f"a person is named twice in {named!r}; name each once")
        is_scored = NOT_SCORED not in people and not any(name.endswith(UNSURE) for name in people)
        stills.append(CastStill(media, people, is_scored))
    return tuple(stills)


def score_spy_stills(stills: Iterable[CastStill], found: Mapping[str, Found]) -> CastScore:
    """Score what was found in the stills that are scored; heads of nobody labelled do not count.

    Args:
        stills: the truth.
        found: by path in the data folder; a still that is not there was not analysed.
    """
    scored = [still for still in stills if still.is_scored and still.people]
    heads = [_by_size(found.get(still.media, NOTHING).heads) for still in scored]
    ids = [one.person.tolist() for one in heads]
    chosen = name_by_company(ids, [still.people for still in scored])
    named = [
        (name, "" if head == NOBODY else str(own[head]))
        for still, own, of_name in zip(scored, ids, chosen, strict=True)
        for name, head in zip(still.people, of_name, strict=True)
    ]
    alone = [
        (still.people[0], str(own[0]) if own else "")
        for still, own in zip(scored, ids, strict=True)
        if len(still.people) == 1
    ]
    return CastScore(_score(named), _score(alone), _persons(named))


def _by_size(heads: FoundHeads) -> FoundHeads:
    area = np.prod(heads.xyxy[:, 2:] - heads.xyxy[:, :2], axis=1)
    return heads[np.argsort(-area, kind="stable")]


def _score(named: list[tuple[str, str]]) -> IdentityScore:
    truth, person = np.array(named, np.str_).reshape(-1, 2).T
    return score_identity(NamedHeads(truth, person, person != ""), ())


def _persons(named: list[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    by_name: dict[str, list[str]] = {}
    for name, person in sorted(named):
        by_name.setdefault(name, []).extend([person] * bool(person))
    return {name: tuple(sorted(set(own), key=lambda p: (-own.count(p), p))) for name, own in by_name.items()}
