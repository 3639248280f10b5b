"""The rows of highest inner product, exactly for few rows and by an inverted file for many."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

EXACT_PAIRS = 20_000**2  # some ten seconds of one CPU; an inverted file is not worth its training below
ROWS_A_CELL = 100
CELLS_SEARCHED = 32
TRAINING_ROWS_A_CELL = 40


@dataclass(frozen=True, slots=True)
class NearestRows:
    """What a search found, the highest product first.

    Attributes:
        row: (Q, K) int64 into the rows searched; -1 where fewer were found.
        product: (Q, K) float32.
    """

    row: npt.NDArray[np.int64]
    product: npt.NDArray[np.float32]


def nearest_rows(
    query: npt.NDArray[np.float32], rows: npt.NDArray[np.float32], count: int
) -> NearestRows:
    """Find the rows of highest inner product with each query.

    The same rows give the same answer whatever the number of threads, which is OMP_NUM_THREADS, or
    every CPU of this process.

    Args:
        query: (Q, F) float32.
        rows: (N, F) float32.
        count: how many to find, K; fewer where there are fewer rows.

    Source: Johnson, Douze and Jegou 2017 (faiss); above 20,000 x 20,000 pairs its inverted file of about
    100 rows a cell, of which the 32 nearest cells are searched.
    """
    count = min(count, len(rows))
    if not len(query) or not count:
        return NearestRows(np.full((len(query), count), -1), np.zeros((len(query), count), np.float32))
    import faiss  # takes a tenth of a second, which small archives need not pay

    faiss.omp_set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or len(os.sched_getaffinity(0))))
    query, rows = np.ascontiguousarray(query, np.float32), np.ascontiguousarray(rows, np.float32)
    if len(query) * len(rows) <= EXACT_PAIRS:
        product, row = faiss.knn(query, rows, count, metric=faiss.METRIC_INNER_PRODUCT)
    else:
        cells = len(rows) // ROWS_A_CELL
        width = rows.shape[1]
        index = faiss.IndexIVFFlat(faiss.IndexFlatIP(width), width, cells, faiss.METRIC_INNER_PRODUCT)
        index.cp.niter = 6
        index.cp.min_points_per_centroid = 1
        index.cp.max_points_per_centroid = TRAINING_ROWS_A_CELL  # drawn by a fixed seed
        index.train(rows)
        index.add(rows)
        index.nprobe = CELLS_SEARCHED
        product, row = index.search(query, count)
    return NearestRows(row, product)
