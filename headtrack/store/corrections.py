"""Corrections in the database: written with anchors, read as rows of the gallery.

An anchor is a detected box of a track at a time of its video. Track numbers, embeddings and models
change when a video is analysed anew; where a head was does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from headtrack.errors import StoreError
from headtrack.identity.constraints import obey
from headtrack.identity.ids import TrackKey
from headtrack.log import LOGGER
from headtrack.store.gallery import load_gallery
from headtrack.store.ingest import Cause
from headtrack.store.read import QueryRows
from headtrack.store.registered import registered, track_table
from headtrack.store.sql_files import statements
from headtrack.store.tables import database_text
from headtrack.store.transaction import transaction
from headtrack.types import Correction, TrackGallery

Tracks = tuple[TrackKey, ...]


@dataclass(frozen=True, slots=True)
class NewCorrection:
    """A correction before it has a number; tracks as they are now.

    Attributes:
        kind: of `headtrack.types.corrections`.
        what: in words, with ids.
        a: the tracks that are corrected.
        b: those they belong with, or apart from.
        c: those of the person they were of before.
        name: the given name, where the kind is name.
    """

    kind: str
    what: str
    a: Tracks
    b: Tracks = ()
    c: Tracks = ()
    name: str | None = None


def track_meant(con: duckdb.DuckDBPyConnection, text: str) -> TrackKey:
    """Give the track that VIDEO:TRACK means; VIDEO is a path, a file name that occurs once, or a video id.

    Raises:
        StoreError: there is no such video or track, or several videos have that file name.
    """
    video, colon, number = text.rpartition(":")
    if not colon or not video or not number.isdecimal():
        raise StoreError(f"{text!r} is not a track: give VIDEO:TRACK, as in film.mp4:3; {TRACKS_HINT}")
    found = [row[0] for row in _ask(con, "video_named", {"video": video})]
    if not found:
        raise StoreError(
            f"no video {video!r} in the database; `headtrack status` lists them: give the path as it is "
            "there, its file name, or the video id"
        )
    if len(found) > 1:
        raise StoreError(
            f"{len(found)} videos are called {video!r}: {', '.join(found)}; give the whole path or one of "
            "the ids"
        )
    key = (found[0], int(number))
    if key[1] not in [row[0] for row in _ask(con, "tracks_of_video", {"video_id": key[0]})]:
        raise StoreError(f"{video} has no track {number}; {TRACKS_HINT}")
    return key


TRACKS_HINT = "`headtrack query --name tracks --param person=PERSON` lists a person's tracks"


def person_of(con: duckdb.DuckDBPyConnection, key: TrackKey) -> str:
    """Give the id of the person whose a track is, of one that `track_meant` gave."""
    return _ask(con, "track_known", {"video_id": key[0], "track": key[1]})[0][0]


def tracks_of(con: duckdb.DuckDBPyConnection, person: str) -> Tracks:
    """List the tracks of one person.

    Raises:
        StoreError: a named person of whom no track is left.
    """
    found = tuple(_ask(con, "tracks_of_person", {"person": person}))
    if not found:
        raise StoreError(f"{person} has no track any more; there is nothing to correct")
    return found


def track_label(con: duckdb.DuckDBPyConnection, key: TrackKey) -> str:
    """Give a track as a user writes it: file name and number."""
    return f"{_ask(con, 'label_of_video', {'video_id': key[0]})[0][0]}:{key[1]}"


def check_one_person(con: duckdb.DuckDBPyConnection, tracks: Tracks) -> None:
    """Refuse to make one person of tracks of which two were detected in one frame.

    Raises:
        StoreError: names the video, the frame and the tracks.
    """
    with registered(con, {"together": track_table(tracks)}):
        found = _ask(con, "shared_frame", {})
    for video, frame, time_s, numbers in found:
        raise StoreError(
            f"tracks {' and '.join(map(str, numbers[:2]))} of {video} are both in frame {frame} "
            f"({time_s:.2f} s): two heads in one frame are two people; take one of them out first "
            "(`headtrack split`, `assign`)"
        )


def add_correction(con: duckdb.DuckDBPyConnection, new: NewCorrection) -> int:
    """Write a correction with its anchors down, and give its number."""
    members = [
        (side, *key) for side, keys in (("a", new.a), ("b", new.b), ("c", new.c)) for key in sorted(keys)
    ]
    table = pa.table(
        {
            "side": pa.array([side for side, _, _ in members], pa.string()),
            "entry": pa.array(range(len(members)), pa.int32()),
            "video_id": pa.array([video_id for _, video_id, _ in members], pa.string()),
            "track": pa.array([track for _, _, track in members], pa.int32()),
        }
    )
    row = {"at": _now(), "kind": new.kind, "what": new.what, "name": new.name and database_text(new.name)}
    with registered(con, {"member": table}), transaction(con):
        _ask(con, "add_correction", row)
        number = _ask(con, "last_correction", {})[0][0]
        _ask(con, "add_anchors", {"number": number})
    return number


def drop_correction(con: duckdb.DuckDBPyConnection, number: int) -> None:
    """Take out a correction that was never obeyed."""
    with transaction(con):
        for name in ("drop_anchors", "drop_correction"):
            _ask(con, name, {"number": number})


def set_undone(con: duckdb.DuckDBPyConnection, number: int, undone: bool = True) -> None:
    """Take a correction back, or put it in force again."""
    with transaction(con):
        _ask(con, "set_undone", {"number": number, "at": _now() if undone else None})


def to_undo(con: duckdb.DuckDBPyConnection, number: int | None) -> int:
    """Give the number of the correction to take back: the one named, or the last one in force.

    Raises:
        StoreError: there is none, or it is taken back already.
    """
    if number is None:
        last = _ask(con, "last_correction_in_force", {})[0][0]
        if last is None:
            raise StoreError("no correction is in force; there is nothing to undo")
        return last
    state = _ask(con, "correction_state", {"number": number})
    if not state:
        raise StoreError(f"no correction {number}; `headtrack corrections` lists them")
    if state[0][0] is not None:
        raise StoreError(f"correction {number} was undone before, at {state[0][0]:%Y-%m-%d %H:%M:%S}Z")
    return number


def cause_of(con: duckdb.DuckDBPyConnection, number: int, reason: str) -> Cause:
    """Give a correction as the cause of a clustering."""
    return Cause(reason, frozenset(_ask(con, "tracks_of_correction", {"number": number})))


def people_after(con: duckdb.DuckDBPyConnection, number: int) -> QueryRows:
    """List whom a correction and the clustering after it concern."""
    statement = statements("store")["people_after_correction"]
    con.execute(statement.sql, statement.pick({"number": number}))
    description = con.description or []
    return QueryRows(tuple(d[0] for d in description), tuple(str(d[1]) for d in description), con.fetchall())


def corrections_in_force(con: duckdb.DuckDBPyConnection, gallery: TrackGallery) -> list[Correction]:
    """Read the corrections that say who is one person, on the rows of a gallery, by number."""
    row_of = {
        key: row
        for row, key in enumerate(zip(gallery.video_id.tolist(), gallery.track.tolist(), strict=True))
    }
    rows: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, side, video_id, track in _ask(con, "corrected_tracks", {}):
        rows[number, side].append(row_of[video_id, track])
    return [
        Correction(number, kind, what, *(np.array(rows[number, side], np.int32) for side in "abc"))
        for number, kind, what in _ask(con, "corrections_in_force", {})
    ]


def corrected_gallery(con: duckdb.DuckDBPyConnection) -> TrackGallery:
    """Read every track as clustering sees it, with what people said of them.

    A correction that cannot be obeyed in full is told in the log.
    """
    gallery = load_gallery(con)
    corrections = corrections_in_force(con, gallery)
    if not corrections:
        return gallery
    obeyed = obey(gallery, corrections)
    for correction in obeyed.contradicted:
        LOGGER.warning(
            "correction %d (%s) is not obeyed in full: a later one or two heads in one frame stand against "
            "it; `headtrack undo %d` takes it back",
            correction.number,
            correction.what,
            correction.number,
        )
    return obeyed.gallery


def _ask(con: duckdb.DuckDBPyConnection, name: str, values: Mapping[str, Any]) -> list[Any]:
    statement = statements("store")[name]
    con.execute(statement.sql, statement.pick(values))
    return con.fetchall()


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
