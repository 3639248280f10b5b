"""What the faces of all tracks say about who is who, for clustering at one limit after another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.face_evidence import FaceScale, same_person_log_odds
from headtrack.ops.linkage_of_many import merges_of_many
from headtrack.ops.merges import Merges
from headtrack.ops.pair_odds import face_odds

# Above, a matrix of all pairs is 128 MiB in float64, clustering holds several, and by the means of
# clusters it is sooner done.
MOST_EXACT_ROWS = 4096


class FaceEvidence:
    """Faces, one row a track or a few tracks of one person, and which rows are different people.

    What clustering computes from it is kept, so that the next limit costs less: the matrix of all pairs
    for few rows, the order of joins for many.

    Args:
        face: (N, D) unit vectors; means of unit vectors where a row stands for several tracks.
        recognisability: (N,) in 0..1.
        scale: of the network that made the faces.
        cannot_link: (P, 2) int32 pairs of rows of different people.
        size: (N,) how many tracks each row stands for; by default one.
        most_exact_rows: with more, clusters are told by their means.

    Attributes:
        cannot_link: as given.
        size: (N,) float64.
        exact: the rows are few enough for all pairs.
    """

    def __init__(
        self,
        face: npt.NDArray[np.floating],
        recognisability: npt.NDArray[np.floating],
        scale: FaceScale,
        *,
        cannot_link: npt.NDArray[np.int32],
        size: npt.NDArray[np.floating] | None = None,
        most_exact_rows: int = MOST_EXACT_ROWS,
    ) -> None:
        self._face, self._recognisability, self._scale = face, recognisability, scale
        self.cannot_link = cannot_link
        self.size = np.ones(len(face)) if size is None else np.asarray(size, np.float64)
        self.exact = len(face) <= most_exact_rows
        self._log_odds: npt.NDArray[np.float64] | None = None
        self._merges: Merges | None = None

    def __len__(self) -> int:
        return len(self._face)

    def log_odds(self) -> npt.NDArray[np.float64]:
        """Give the (N, N) log-odds of the same person, of each two rows."""
        if self._log_odds is None:
            self._log_odds = same_person_log_odds(self._face, self._recognisability, self._scale)
        return self._log_odds

    def merges(self, min_log_odds: float) -> Merges:
        """Give the joins of average linkage from some log-odds on, found by the means of clusters.

        A higher limit than one asked before costs nothing: its joins are among those.
        """
        if self._merges is None or self._merges.lowest > min_log_odds:
            self._merges = merges_of_many(
                face_odds(self._face, self._recognisability, self._scale),
                self.cannot_link,
                size=self.size,
                min_log_odds=min_log_odds,
            )
        return self._merges
