from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from headtrack.store import gallery
from headtrack.store.database import open_reader
from tests.factories import Seen, make_result, make_video, store


def test_an_archive_read_in_many_parts_is_the_same_gallery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "db"
    for name in "cab":
        seen = [Seen(0, 9, 0), Seen(4, 12, 1, x=80, face=None, look=1), Seen(14, 19, 0, face=2)]
        store(db, make_result(seen, video=make_video(name * 16, f"/archive/{name}.mp4")))
    with open_reader(db) as con:
        whole = gallery.load_gallery(con)
        monkeypatch.setattr(gallery, "PART_ROWS", 1)
        parted = gallery.load_gallery(con)
    assert whole.cannot_link.tolist() == [[0, 1], [2, 3], [4, 5]]
    for field in fields(whole):
        np.testing.assert_array_equal(getattr(parted, field.name), getattr(whole, field.name))
