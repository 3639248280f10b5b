from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from headtrack.errors import StoreError
from headtrack.linking.evidence import TrackletEvidence, gather_evidence, overlapping_pairs
from headtrack.store import links
from headtrack.store.database import open_writer
from headtrack.store.links import relinkable_videos, store_links, stored_tracklets
from headtrack.store.read import done_videos, run_checks
from headtrack.types import SeenTracklets, Tracks, VideoResult
from headtrack.types.tracks import LINK_SHOT_CHANGE, LINK_START
from tests.factories import PROVENANCE, Seen, cluster_by_basis, make_result, make_video, store

A, B, C, D = (letter * 16 for letter in "abcd")
FIRST = make_result(
    [Seen(0, 9, 0), Seen(2, 8, 1, x=100, face=None, look=1), Seen(10, 19, 0, face=1)],
    cuts=(10,),
    loose_frames=(5,),
)
RESULTS = {
    A: FIRST,
    B: make_result([Seen(3, 3, 0, face=None)], video=make_video(B, "/archive/b.mp4")),
    C: make_result([], video=make_video(C, "/archive/c.mp4"), loose_frames=(3,)),
    D: make_result([], video=make_video(D, "/archive/d.mp4")),
}


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    db = tmp_path / "people.duckdb"
    store(db, *RESULTS.values())
    cluster_by_basis(db)
    with open_writer(db) as opened:
        yield opened


def of_result(result: VideoResult) -> SeenTracklets:
    r = result
    return SeenTracklets(r.heads, r.tracklets, r.embeddings, r.colour, r.frame_time_s)


def evidence(seen: SeenTracklets) -> TrackletEvidence:
    return gather_evidence(
        seen.heads, seen.tracklets, seen.embeddings, colour=seen.colour, frame_time_s=seen.frame_time_s
    )


@pytest.mark.parametrize("block_crops", [1, 3, 1000])
@pytest.mark.parametrize("video_id", [A, B])
def test_what_is_stored_says_bit_by_bit_what_was_found(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, video_id: str, block_crops: int
) -> None:
    monkeypatch.setattr(links, "BLOCK_CROPS", block_crops)
    found, stored = of_result(RESULTS[video_id]), stored_tracklets(con, video_id)
    theirs, ours = evidence(found), evidence(stored)
    for name in (field.name for field in fields(TrackletEvidence)):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    np.testing.assert_array_equal(
        overlapping_pairs(stored.heads, stored.tracklets), overlapping_pairs(found.heads, found.tracklets)
    )


@pytest.mark.parametrize("video_id", [C, D])
def test_a_video_without_tracklets_has_none_to_link(con: duckdb.DuckDBPyConnection, video_id: str) -> None:
    assert len(evidence(stored_tracklets(con, video_id))) == 0
    none = np.zeros(0)
    store_links(con, video_id, Tracks(none, none, none), PROVENANCE)
    assert run_checks(con) == []


def test_new_links_keep_the_people_and_say_what_they_depend_on(con: duckdb.DuckDBPyConnection) -> None:
    def people() -> dict[int, str]:
        sql = "SELECT tracklet, person FROM tracklet JOIN track_identity USING (video_id, track)"
        return dict(con.execute(f"{sql} WHERE video_id = ?", [A]).fetchall())

    def others() -> list[tuple]:
        return con.execute("SELECT * FROM track_identity WHERE video_id <> ? ORDER BY ALL", [A]).fetchall()

    before, before_others = people(), others()
    assert len(set(before.values())) == 2
    apart = Tracks([0, 1, 2], [LINK_START] * 3, [1.0] * 3)
    store_links(con, A, apart, replace(PROVENANCE, settings_hash="other"))
    assert (people(), others()) == (before, before_others)
    assert done_videos(con)[A] == replace(PROVENANCE, settings_hash="other")
    together = Tracks([0, 1, 0], [LINK_START, LINK_START, LINK_SHOT_CHANGE], [1.0, 1.0, 0.5])
    store_links(con, A, together, PROVENANCE)
    assert people() == before
    rows = con.execute(
        "SELECT track, link_reason, link_score FROM tracklet WHERE video_id = ? ORDER BY tracklet", [A]
    )
    assert rows.fetchall() == [(0, "start", 1.0), (1, "start", 1.0), (0, "shot_change", 0.5)]
    assert run_checks(con) == []


def test_rows_that_somebody_altered_are_told_with_the_remedy(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("UPDATE detection SET heads = heads + 1 WHERE video_id = ?", [A])
    with pytest.raises(StoreError, match=r"do not fit together .* --force"):
        stored_tracklets(con, A)


def test_only_what_is_there_in_full_and_as_it_would_be_today_is_linked_anew(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert relinkable_videos(con, PROVENANCE.tracklet_hash) == {A, B, C, D}
    assert relinkable_videos(con, "another") == set()
    con.execute("UPDATE tracklet SET colour = NULL WHERE video_id = ?", [A])
    con.execute("DELETE FROM detection WHERE video_id = ?", [B])
    con.execute("UPDATE video SET tracklet_hash = NULL WHERE video_id = ?", [C])
    assert relinkable_videos(con, PROVENANCE.tracklet_hash) == {D}
