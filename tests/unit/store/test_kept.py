from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import StoreError
from headtrack.store.database import open_reader, open_writer
from headtrack.store.kept import drop_kept, keep_detections, read_kept, remove_all_kept
from headtrack.types import Heads, Video
from tests.factories import PROVENANCE, Seen, make_result, make_video, store

VIDEO = make_video()
RESULT = make_result([Seen(0, 9, 0), Seen(4, 12, 1, x=100)], loose_frames=(15,))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    store(path, RESULT, make_result([Seen(0, 3, 0)], video=make_video("b" * 16, "/archive/b.mp4")))
    return path


def keep(db: Path, run_dir: Path, video: Video = VIDEO, detection_hash: str | None = None) -> Path | None:
    with open_reader(db) as con:
        return keep_detections(con, run_dir, video, detection_hash or str(PROVENANCE.detection_hash))


def test_what_was_stored_is_kept_bit_by_bit_loose_heads_and_bare_frames_too(db: Path, tmp_path: Path) -> None:
    assert keep(db, tmp_path) == tmp_path / "kept" / f"{VIDEO.video_id}.parquet"
    kept = read_kept(tmp_path, VIDEO.video_id)
    assert kept is not None
    np.testing.assert_array_equal(kept.looked_at, RESULT.looked_at)
    assert len(RESULT.heads) > 0
    for field in fields(Heads):
        ours, theirs = getattr(kept.heads, field.name), getattr(RESULT.heads, field.name)
        np.testing.assert_array_equal(ours, theirs, err_msg=field.name)


def test_nothing_is_kept_of_another_detection_or_decoder_or_of_an_unknown_video(
    db: Path, tmp_path: Path
) -> None:
    assert keep(db, tmp_path, detection_hash="another") is None
    assert keep(db, tmp_path, replace(VIDEO, decoder="decord")) is None
    assert keep(db, tmp_path, replace(VIDEO, decoder_reason="it switched")) is None
    assert keep(db, tmp_path, make_video("c" * 16)) is None
    assert not (tmp_path / "kept").exists()
    assert read_kept(tmp_path, VIDEO.video_id) is None


def test_a_database_of_an_earlier_schema_keeps_nothing(db: Path, tmp_path: Path) -> None:
    with open_writer(db) as con:
        con.execute("UPDATE video SET detection_hash = NULL; DELETE FROM detection")
    assert keep(db, tmp_path) is None


def test_what_is_dropped_is_gone_and_the_rest_goes_with_the_run(db: Path, tmp_path: Path) -> None:
    keep(db, tmp_path)
    keep(db, tmp_path, make_video("b" * 16))
    assert drop_kept(tmp_path, VIDEO.video_id)
    assert not drop_kept(tmp_path, VIDEO.video_id)
    assert read_kept(tmp_path, VIDEO.video_id) is None
    assert read_kept(tmp_path, "b" * 16) is not None
    remove_all_kept(tmp_path)
    assert read_kept(tmp_path, "b" * 16) is None


def test_a_damaged_file_is_told(db: Path, tmp_path: Path) -> None:
    file = keep(db, tmp_path)
    assert file is not None
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(StoreError, match="damaged"):
        read_kept(tmp_path, VIDEO.video_id)
