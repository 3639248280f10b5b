"""What a person said of who is who, on the tracks as they are now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.types.arrays import as_array

MERGE, SPLIT, ASSIGN, REJECT, NAME = "merge", "split", "assign", "reject", "name"


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction in force; rows are those of the gallery, and may be none.

    Attributes:
        number: from 1; the higher one was given later.
        kind: merge, split, assign or reject.
        what: in words.
        a: (A,) int32 rows that are corrected.
        b: (B,) int32 rows they belong to (merge, assign) or do not belong to (split, reject).
        c: (C,) int32 rows of the person they were of before (assign).
    """

    number: int
    kind: str
    what: str
    a: npt.NDArray[np.int32]
    b: npt.NDArray[np.int32]
    c: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        for side in ("a", "b", "c"):
            object.__setattr__(self, side, as_array(side, getattr(self, side), np.int32, (None,)))

    @property
    def together(self) -> npt.NDArray[np.int32]:
        """(K,) int32 rows that are one person, sorted."""
        if self.kind in (MERGE, ASSIGN):
            return np.union1d(self.a, self.b)
        return np.unique(self.a if self.kind == SPLIT else self.a[:0])

    @property
    def apart(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Two sets of rows, int32 and sorted, of which none of one is the person of one of the other."""
        other = {SPLIT: self.b, REJECT: self.b, ASSIGN: self.c}.get(self.kind, self.b[:0])
        return np.unique(self.a if len(other) else self.a[:0]), np.unique(other)
