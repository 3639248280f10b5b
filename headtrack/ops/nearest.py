"""The rows of highest inner product among rows that change: exactly for few, by an inverted file for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# With more, an inverted file is sooner done: all pairs of so many rows take ten seconds of a CPU, and
# those that changed are searched again in every round.
EXACT_ROWS = 20_000
ROWS_A_CELL = 100
CELLS_SEARCHED = 32
TRAINING_ROWS_A_CELL = 40
TRAINING_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class NearestRows:
    """What a search found, the highest product first.

    Attributes:
        row: (Q, K) int64; -1 where fewer were found.
        product: (Q, K) float32; -inf where fewer were found.
    """

    row: npt.NDArray[np.int64]
    product: npt.NDArray[np.float32]


class NearestIndex:
    """Rows to search, some of which change or go.

    The same calls give the same answers, whatever the number of threads; who calls bounds it.

    Args:
        rows: (N, F) float32, which the owner may change if it calls `renew`.
        exact_rows: with more, an inverted file finds most of the nearest.

    Source: Johnson, Douze and Jegou 2017 (faiss): an inverted file of about 100 rows a cell, of which
    the 32 nearest cells are searched.
    """

    def __init__(self, rows: npt.NDArray[np.float32], *, exact_rows: int = EXACT_ROWS) -> None:
        self._rows, self._exact_rows = rows, exact_rows
        self._held = np.zeros(len(rows), np.bool_)  # by the inverted file, as they are
        self._file: Any = None

    def renew(self, changed: npt.NDArray[np.integer]) -> None:
        """Take in that some rows changed; each was among those of every search before."""
        if self._file is not None:
            self._drop(changed[self._held[changed]])

    def search(self, query: npt.NDArray[np.float32], among: npt.NDArray[np.int64], count: int) -> NearestRows:
        """Find the rows of highest inner product with each query.

        Args:
            query: (Q, F) float32.
            among: (A,) rows to be found, ascending.
            count: how many to find, K; fewer where there are fewer rows.
        """
        count = min(count, len(among))
        if not len(query) or not count:
            none = np.full((len(query), count), -1)
            return NearestRows(none, np.full(none.shape, -np.inf, np.float32))
        import faiss  # takes a tenth of a second, which small archives need not pay

        query = np.ascontiguousarray(query)
        if len(among) <= self._exact_rows:
            self._file = None
            product, row = faiss.knn(query, self._rows[among], count, metric=faiss.METRIC_INNER_PRODUCT)
            return NearestRows(among[row], product)
        self._keep(among)
        product, row = self._file.search(query, count)
        return NearestRows(row, np.where(row >= 0, product, -np.inf))

    def _keep(self, among: npt.NDArray[np.int64]) -> None:
        """Let the inverted file hold these rows."""
        if self._file is None:
            self._file = _trained_file(self._rows[among])
            self._held[:] = False
        wanted = np.zeros(len(self._rows), np.bool_)
        wanted[among] = True
        self._drop(np.flatnonzero(self._held & ~wanted))
        missing = np.flatnonzero(wanted & ~self._held)
        if len(missing):
            self._file.add_with_ids(self._rows[missing], missing)
            self._held[missing] = True

    def _drop(self, rows: npt.NDArray[np.integer]) -> None:
        if len(rows):
            self._file.remove_ids(rows.astype(np.int64))
            self._held[rows] = False


def _trained_file(rows: npt.NDArray[np.float32]) -> Any:
    import faiss

    width = rows.shape[1]
    file = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(width), width, max(1, len(rows) // ROWS_A_CELL), faiss.METRIC_INNER_PRODUCT
    )
    file.cp.niter = TRAINING_ROUNDS
    file.cp.min_points_per_centroid = 1
    file.cp.max_points_per_centroid = TRAINING_ROWS_A_CELL  # drawn by a fixed seed
    file.train(rows)
    file.nprobe = CELLS_SEARCHED
    return file
