from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import StoreError
from headtrack.linking.evidence import gather_evidence
from headtrack.pipeline.spill import Spill, SpilledEmbeddings
from headtrack.types import HeadEmbeddings, Heads, Tracklets
from headtrack.types.arrays import as_array

NONE = HeadEmbeddings.empty(identity_dim=3, appearance_dim=5)


def crops(count: int, tracklets: int, seed: int = 0) -> HeadEmbeddings:
    """Give crops of `tracklets` tracklets in random order; every third has no face."""
    rng = np.random.default_rng(seed)
    identity = rng.normal(size=(count, 3)).astype(np.float32)
    identity[::3] = np.nan
    return HeadEmbeddings(
        head_row=rng.permutation(count),
        tracklet=rng.integers(0, tracklets, count),
        quality=rng.uniform(0, 1, count),
        identity=identity,
        appearance=rng.normal(size=(count, 5)),
        recognisability=rng.uniform(0, 1, count),
    )


def spilled(embeddings: HeadEmbeddings, final: np.ndarray) -> SpilledEmbeddings:
    spill = Spill(NONE)
    for start in range(0, len(embeddings), 32):
        spill.add(embeddings[start : start + 32])
    return spill.numbered(final)


def assert_same(a: object, b: object) -> None:
    for f in fields(a):  # type: ignore[arg-type]
        np.testing.assert_array_equal(getattr(a, f.name), getattr(b, f.name))


@pytest.mark.parametrize(("count", "tracklets"), [(5000, 40), (3000, 1), (3, 3)])
def test_spilled_embeddings_come_back_bit_for_bit_sorted_and_renumbered(count: int, tracklets: int) -> None:
    kept = crops(count, tracklets)
    final = np.arange(tracklets, dtype=np.int32)[::-1] - 1  # the last is dropped, the others turn round
    blocks = list(spilled(kept, final).blocks())
    renumbered = final[kept.tracklet]
    order = np.lexsort((kept.head_row, renumbered))
    order = order[renumbered[order] >= 0]
    joined = HeadEmbeddings.join(blocks, NONE)
    np.testing.assert_array_equal(joined.tracklet, renumbered[order])
    for name in ("head_row", "quality", "identity", "appearance", "recognisability"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(kept, name)[order])


def test_a_tracklet_is_never_cut_into_two_blocks_and_blocks_can_be_read_again() -> None:
    some = spilled(crops(5000, 40), np.arange(40, dtype=np.int32))
    blocks = list(some.blocks())
    assert len(blocks) > 1
    seen = [set(block.tracklet.tolist()) for block in blocks]
    assert sum(map(len, seen)) == len(set.union(*seen)) == 40
    assert [len(block) for block in some.blocks()] == [len(block) for block in blocks]


def test_no_crop_at_all_is_one_empty_block_of_the_right_widths() -> None:
    (block,) = Spill(NONE).numbered(np.zeros(0, np.int32)).blocks()
    assert_same(block, NONE)
    (block,) = spilled(crops(9, 2), np.full(2, -1, np.int32)).blocks()
    assert_same(block, NONE)


def test_evidence_of_spilled_embeddings_equals_that_of_embeddings_in_memory() -> None:
    count, tracklets = 5000, 41  # the last has no crop
    kept = crops(count, tracklets - 1)
    order = np.lexsort((kept.head_row, kept.tracklet))
    of_head = np.arange(count, dtype=np.int32) % tracklets
    nan = np.full
    heads = Heads(
        np.arange(count), np.zeros((count, 4)), np.ones(count), np.zeros(count), nan(count, np.nan),
        nan(count, np.nan), nan((count, 4), np.nan), nan((count, 5, 2), np.nan), nan((count, 4), np.nan),
    )  # fmt: skip
    held, read = (
        gather_evidence(
            heads,
            Tracklets(of_head, np.zeros(tracklets)),
            embeddings,
            colour=as_array("colour", np.ones((tracklets, 2)), np.float32, (None, None)),
            frame_time_s=np.arange(count) / 10,
        )
        for embeddings in (kept[order], spilled(kept, np.arange(tracklets, dtype=np.int32)))
    )
    assert_same(held, read)
    assert held.has_face.tolist() == [True] * 40 + [False]


def test_the_file_has_no_name_and_goes_with_its_last_holder() -> None:
    held = len(os.listdir("/proc/self/fd"))
    some = spilled(crops(9, 2), np.arange(2, dtype=np.int32))
    assert not Path(os.readlink(f"/proc/self/fd/{some.file.fd}")).exists()
    del some
    assert len(os.listdir("/proc/self/fd")) == held


def test_a_full_disk_says_where_it_is_full() -> None:
    spill = Spill(NONE)
    with open("/dev/full", "wb") as full:
        os.dup2(full.fileno(), spill._file.fd)
    with pytest.raises(StoreError, match="TMPDIR"):
        spill.add(crops(9, 2))
