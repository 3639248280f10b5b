"""Corrections: what a person says of who is who is written down, and everybody clustered again at once.

Each function writes all or nothing: what cannot be clustered is not kept. Rows that come back name the
people concerned, how many tracks they have, and from whom tracks came to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from headtrack.errors import SettingsError, StoreError
from headtrack.pipeline.clustering import cluster_opened
from headtrack.settings import Settings
from headtrack.store import corrections as store
from headtrack.store.corrections import NewCorrection
from headtrack.store.database import Connection, check_exists, open_writer
from headtrack.store.read import QueryRows, named_query, person_meant
from headtrack.types.corrections import ASSIGN, MERGE, NAME, REJECT, SPLIT

MOST_NAME_CHARS = 100


def merge(db: Path, settings: Settings, *, person: str, other: str) -> QueryRows:
    """Make two people one.

    Args:
        db: the database.
        settings: of the clustering that follows.
        person: an id or a name.
        other: an id or a name.

    Raises:
        StoreError: there is no such person, they are one already, or both are in one frame.
    """

    def new(con: Connection) -> NewCorrection:
        a, b = person_meant(con, person), person_meant(con, other)
        if a == b:
            words = f"{person!r} is named twice" if person == other else f"{person!r} and {other!r} are {a}"
            raise StoreError(f"{words}; merge takes two different people, which `headtrack people` lists")
        tracks = store.tracks_of(con, a), store.tracks_of(con, b)
        store.check_one_person(con, (*tracks[0], *tracks[1]))
        return NewCorrection(MERGE, f"{a} and {b} are one person", *tracks)

    return _correct(db, settings, new)


def split(db: Path, settings: Settings, *, person: str, tracks: Sequence[str]) -> QueryRows:
    """Make some tracks of a person one other person.

    Args:
        db: the database.
        settings: of the clustering that follows.
        person: an id or a name.
        tracks: each VIDEO:TRACK.

    Raises:
        StoreError: there is no such person or track, it is not the person's, or none is left to the person.
    """

    def new(con: Connection) -> NewCorrection:
        whose = person_meant(con, person)
        theirs = store.tracks_of(con, whose)
        named = tuple(dict.fromkeys(store.track_meant(con, text) for text in tracks))
        for key in named:
            if key not in theirs:
                owner = store.person_of(con, key)
                raise StoreError(f"{store.track_label(con, key)} is a track of {owner}, not of {whose}")
        rest = tuple(key for key in theirs if key not in named)
        if not rest:
            raise StoreError(f"these are all tracks of {whose}; leave at least one out to split it")
        labels = ", ".join(store.track_label(con, key) for key in named)
        return NewCorrection(SPLIT, f"{labels}: not {whose}, but one other person", named, rest)

    return _correct(db, settings, new)


def assign(db: Path, settings: Settings, *, track: str, person: str) -> QueryRows:
    """Give a track to a person, and to nobody else.

    Args:
        db: the database.
        settings: of the clustering that follows.
        track: VIDEO:TRACK.
        person: an id or a name.

    Raises:
        StoreError: there is no such person or track, or the person is in a frame with the track.
    """

    def new(con: Connection) -> NewCorrection:
        key, whose = store.track_meant(con, track), person_meant(con, person)
        before = store.person_of(con, key)
        theirs = tuple(k for k in store.tracks_of(con, whose) if k != key)
        left = () if before == whose else tuple(k for k in store.tracks_of(con, before) if k != key)
        store.check_one_person(con, (key, *theirs))
        what = f"{store.track_label(con, key)} is {whose}"
        return NewCorrection(
            ASSIGN, what if before == whose else f"{what}, not {before}", (key,), theirs, left
        )

    return _correct(db, settings, new)


def reject(db: Path, settings: Settings, *, who: str, person: str) -> QueryRows:
    """Say that a track or a person is not another person.

    Args:
        db: the database.
        settings: of the clustering that follows.
        who: VIDEO:TRACK, or an id or a name.
        person: an id or a name.

    Raises:
        StoreError: there is no such person or track, both are one person, or the track is all there is of it.
    """

    def new(con: Connection) -> NewCorrection:
        whose = person_meant(con, person)
        theirs = store.tracks_of(con, whose)
        if ":" in who:
            key = store.track_meant(con, who)
            rest = tuple(k for k in theirs if k != key)
            if not rest:
                raise StoreError(f"{who} is the only track of {whose}; there is nobody to tell it apart from")
            return NewCorrection(REJECT, f"{store.track_label(con, key)} is not {whose}", (key,), rest)
        other = person_meant(con, who)
        if other == whose:
            raise StoreError(
                f"{who!r} and {person!r} are one person, {whose}; name the tracks that are another: "
                f"`headtrack split {whose} VIDEO:TRACK`"
            )
        return NewCorrection(REJECT, f"{other} is not {whose}", store.tracks_of(con, other), theirs)

    return _correct(db, settings, new)


def name(db: Path, settings: Settings, *, person: str, given: str) -> QueryRows:
    """Give a person a name that nobody else has, or take it away with an empty one.

    Args:
        db: the database.
        settings: of the clustering that follows.
        person: an id or a name.
        given: the name; white space in it becomes single spaces.

    Raises:
        StoreError: there is no such person, somebody else is called so, or there is no name to take away.
        SettingsError: the name has the form of an id or of a track, or is too long, or holds nothing.
    """
    words = _checked_name(given)

    def new(con: Connection) -> NewCorrection:
        whose = person_meant(con, person)
        name_of = {row[0]: row[1] for row in named_query(con, "people", {}).rows}
        if not words and name_of.get(whose) is None:
            raise StoreError(f"{whose} has no name; there is nothing to take away")
        namesakes = [other for other, called in name_of.items() if words and called == words]
        if namesakes and namesakes != [whose]:
            raise StoreError(
                f"{namesakes[0]} is called {words!r} already; give another name, or, if both are one person, "
                f"`headtrack merge {whose} {namesakes[0]}`"
            )
        what = f"{whose} has a name" if words else f"{whose} has no name"
        return NewCorrection(NAME, what, store.tracks_of(con, whose), name=words or None)

    return _correct(db, settings, new)


def _checked_name(given: str) -> str:
    words = " ".join(given.split())
    if given and not words:
        raise SettingsError("the name holds nothing but spaces; give a name, or --remove to take it away")
    if words.startswith("p_"):
        raise SettingsError(f"the name {words!r} looks like an id, which begin with p_; choose another name")
    if re.search(r":\d+$", words):
        raise SettingsError(f"the name {words!r} looks like a track, VIDEO:TRACK; choose another name")
    if len(words) > MOST_NAME_CHARS:
        raise SettingsError(
            f"the name has {len(words)} characters, more than {MOST_NAME_CHARS}; choose a shorter one"
        )
    return words


def undo(db: Path, settings: Settings, *, number: int | None) -> QueryRows:
    """Take a correction back.

    Args:
        db: the database.
        settings: of the clustering that follows.
        number: of the correction; None for the last one in force.

    Raises:
        StoreError: there is no such correction, or it was taken back before.
    """
    check_exists(db)
    with open_writer(db) as con:
        which = store.to_undo(con, number)
        store.set_undone(con, which)
        try:
            cluster_opened(con, settings, store.cause_of(con, which, f"undo of correction {which}"))
        except Exception:
            store.set_undone(con, which, False)
            raise
        return store.people_after(con, which)


def _correct(db: Path, settings: Settings, new: Callable[[Connection], NewCorrection]) -> QueryRows:
    check_exists(db)
    with open_writer(db) as con:
        number = store.add_correction(con, new(con))
        try:
            cluster_opened(con, settings, store.cause_of(con, number, f"correction {number}"))
        except Exception:
            store.drop_correction(con, number)
            raise
        return store.people_after(con, number)
