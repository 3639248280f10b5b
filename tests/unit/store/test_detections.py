from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from headtrack.store.detections import DETECTION_SCHEMA, detection_table, detections_of, tracklets_of_heads
from headtrack.types import Detections, Heads, Tracklets


def random_heads(frame: list[int]) -> Heads:
    rng, n = np.random.default_rng(7), len(frame)
    heads = Heads(
        np.array(frame), rng.normal(size=(n, 4)), rng.random(n), rng.integers(0, 4, n), rng.normal(size=n),
        rng.random(n), rng.normal(size=(n, 4)), rng.normal(size=(n, 5, 2)), rng.normal(size=(n, 4)),
    )  # fmt: skip
    unknown = {name: getattr(heads, name).copy() for name in ("yaw_deg", "face_xyxy", "landmarks")}
    for values in unknown.values():
        values[::2] = np.nan
    return Heads(**({f.name: getattr(heads, f.name) for f in fields(heads)} | unknown))


@pytest.mark.parametrize(
    ("looked_at", "frame"),
    [([], []), ([0, 5], []), ([0], [0]), ([0, 5, 10, 15], [5, 5, 15]), ([2, 3], [2, 2, 3])],
)
def test_detections_come_back_from_their_rows_bit_by_bit(looked_at: list[int], frame: list[int]) -> None:
    found = Detections(np.array(looked_at, np.int32), random_heads(frame))
    tracklets = Tracklets(np.arange(len(frame)) - 1, np.zeros(len(frame)))
    table = detection_table("a" * 16, found, tracklets)
    assert table.schema == DETECTION_SCHEMA
    assert table["frame"].to_pylist() == looked_at
    assert table["heads"].to_pylist() == [frame.count(f) for f in looked_at]
    np.testing.assert_array_equal(tracklets_of_heads(table), tracklets.tracklet_of_head)
    again = detections_of(table)
    np.testing.assert_array_equal(again.looked_at, found.looked_at)
    for field in fields(Heads):
        ours, theirs = getattr(again.heads, field.name), getattr(found.heads, field.name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs, err_msg=field.name)


def test_a_frame_looked_at_twice_or_a_head_elsewhere_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        Detections(np.array([0, 0], np.int32), Heads.empty())
    with pytest.raises(ValueError, match="not looked at"):
        Detections(np.array([0, 5], np.int32), random_heads([3]))
