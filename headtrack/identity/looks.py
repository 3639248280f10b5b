"""The tracks of one person become looks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.identity.evidence import MOST_EXACT_ROWS
from headtrack.ops.linkage import constrained_average_linkage
from headtrack.ops.linkage_of_many import merges_of_many
from headtrack.ops.look_evidence import same_look_log_odds
from headtrack.ops.pair_odds import look_odds

NO_PAIRS = np.zeros((0, 2), np.int32)


def look_labels(
    look: npt.NDArray[np.float32], min_log_odds: float, *, most_exact_rows: int = MOST_EXACT_ROWS
) -> npt.NDArray[np.int32]:
    """Group the tracks of one person by their looks, by average linkage.

    Args:
        look: (N, D) unit vectors; a NaN row is a look of its own.
        min_log_odds: lowest mean log-odds of two groups that joins them.
        most_exact_rows: with more, groups are told by their means.

    Returns:
        (N,) int32 labels, numbered by first row.
    """
    if len(look) <= most_exact_rows:
        odds = np.nan_to_num(same_look_log_odds(look @ look.T), nan=-np.inf)
        return constrained_average_linkage(odds, min_similarity=min_log_odds, cannot_link=NO_PAIRS)
    known = np.flatnonzero(np.isfinite(look).all(axis=1))
    merges = merges_of_many(
        look_odds(look[known]), NO_PAIRS, size=np.ones(len(known)), min_log_odds=min_log_odds
    )
    first = np.arange(len(look))
    labels = merges.labels(min_log_odds)
    first[known] = known[np.unique(labels, return_index=True)[1][labels]]
    return np.unique(first, return_inverse=True)[1].astype(np.int32)
