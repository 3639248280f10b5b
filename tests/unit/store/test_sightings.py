from __future__ import annotations

from headtrack.store.database import open_reader, open_scratch, open_writer
from headtrack.store.gallery import load_gallery
from headtrack.store.ingest import ingest_result
from headtrack.store.sightings import load_sightings
from headtrack.types.views import REAR
from tests.factories import Seen, cluster_by_basis, make_result, make_video, name_person, store


def test_sightings_are_aligned_with_the_gallery_and_tell_who_where_and_how_long(tmp_path):
    db = tmp_path / "people.duckdb"
    store(
        db,
        make_result([Seen(2, 9, 0), Seen(0, 4, 1, x=100, face=1)]),
        make_result([Seen(0, 0, 0)], video=make_video("b" * 16, "/archive/b.mp4"), frame_time_s=[0.0]),
    )
    cluster_by_basis(db)
    with open_writer(db) as con:
        first = load_sightings(con)
        name_person(con, str(first.person[0]), "Ann")
    with open_reader(db) as con:
        seen, gallery = load_sightings(con), load_gallery(con)
    assert len(seen) == len(gallery) == 3
    assert seen.person[0] == seen.person[2] != seen.person[1]
    assert seen.name.tolist() == ["Ann", "", "Ann"]
    assert seen.video.tolist() == ["/archive/a.mp4", "/archive/a.mp4", "/archive/b.mp4"]
    assert seen.xy.tolist() == [[20, 40], [110, 40], [20, 40]]
    assert seen.time_s.tolist() == [0.2, 0.0, 0.0]
    assert [round(s, 3) for s in seen.shown_s.tolist()] == [0.8, 0.5, 0.0]


def test_a_track_that_was_not_clustered_has_no_person():
    with open_scratch() as con:
        ingest_result(con, make_result([Seen(0, 9, 0, face=None, view=REAR)]))
        seen = load_sightings(con)
    assert (seen.person.tolist(), seen.appearance.tolist()) == ([""], [""])


def test_an_empty_database_has_no_sightings():
    with open_scratch() as con:
        assert len(load_sightings(con)) == 0
