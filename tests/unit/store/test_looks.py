from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.ids import name_people
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.settings import IdentitySettings
from headtrack.store.database import Connection, open_reader, open_writer
from headtrack.store.gallery import load_gallery
from headtrack.store.ingest import Clustering, ingest_identities
from headtrack.store.looks import load_look_spans, previous_looks
from headtrack.store.read import previous_people, run_checks
from headtrack.types import VideoResult
from headtrack.types.views import REAR
from tests.factories import Seen, make_result, make_video, store

SETTINGS = IdentitySettings()
# One track of 8 s: bareheaded up to frame 39, with a helmet from 41 on.
HELMET = [Seen(0, 39, 0, look=0), Seen(41, 80, 0, look=1)]


def helmet(**changed: Any) -> VideoResult:
    seen = [replace(HELMET[0], **changed), replace(HELMET[1], **changed)]
    return make_result(seen, frame_time_s=np.arange(90) / 10)


def cluster(con: Connection) -> None:
    gallery = load_gallery(con)
    gallery = replace(gallery, spans=load_look_spans(con, SETTINGS, look_dim=gallery.look.shape[1]))
    tree = build_hierarchy(gallery, FACE_SCALES["sface"], SETTINGS)
    ids = name_people(tree, gallery, previous_people(con), previous_looks(con))
    ingest_identities(con, gallery, tree, ids, Clustering("average", {}))


def timeline(db: Path) -> list[tuple[Any, ...]]:
    with open_reader(db) as con:
        assert run_checks(con) == []
        return con.execute(
            "SELECT person, appearance, round(start_s, 3), round(end_s, 3) FROM appearance_timeline "
            "ORDER BY start_s"
        ).fetchall()


def test_a_helmet_put_on_splits_the_timeline_but_not_the_person(tmp_path: Path):
    db = tmp_path / "people.duckdb"
    store(db, helmet())
    with open_writer(db) as con:
        cluster(con)
    bare, helmeted = timeline(db)
    assert bare[0] == helmeted[0]
    assert bare[1] != helmeted[1]
    assert (bare[2:], helmeted[2:]) == ((0.0, 4.0), (4.1, 8.1))
    with open_reader(db) as con:
        assert con.execute("SELECT appearances, tracks FROM person_summary").fetchall() == [(2, 1)]
        assert con.execute("SELECT appearances FROM identity_run").fetchall() == [(2,)]


def test_looks_keep_their_ids_when_everybody_is_clustered_again(tmp_path: Path):
    db = tmp_path / "people.duckdb"
    store(db, helmet())
    with open_writer(db) as con:
        cluster(con)
    before = timeline(db)
    other = make_result([Seen(0, 19, 0, face=3, look=2)], video=make_video("0" * 16, "/archive/0.mp4"))
    store(db, other)
    with open_writer(db) as con:
        cluster(con)
    assert set(before) < set(timeline(db))


def test_a_video_that_is_deleted_or_analysed_anew_leaves_no_looks_behind(tmp_path: Path):
    db = tmp_path / "people.duckdb"
    store(db, helmet())
    with open_writer(db) as con:
        cluster(con)
    store(db, helmet(x=30.0))
    with open_reader(db) as con:
        assert con.execute("SELECT count(*) FROM track_look").fetchall() == [(0,)]
        assert run_checks(con) == []


def test_a_track_without_crops_is_one_span_and_an_empty_archive_has_none(tmp_path: Path):
    db = tmp_path / "people.duckdb"
    with open_writer(db) as con:
        assert len(load_look_spans(con, SETTINGS, look_dim=0)) == 0
    store(db, helmet(view=REAR, face=None))
    with open_writer(db) as con:
        con.execute("DELETE FROM crop_embedding")
        spans = load_look_spans(con, SETTINGS, look_dim=4)
    assert (spans.row.tolist(), spans.start.tolist(), spans.stop.tolist()) == ([0], [0], [81])
    assert np.isnan(spans.look).all()
