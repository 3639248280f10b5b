"""Ways to cluster tracks into identities, behind one signature; the table is the choice.

Which one is the default, and what each of them measured, is in `docs/adr/0004-identity-clustering.md`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from headtrack.errors import SettingsError
from headtrack.identity.evidence import FaceEvidence
from headtrack.ops.linkage import constrained_average_linkage
from headtrack.ops.log_odds import log_odds

# Two tracks make a cluster, and one person alone is one.
DENSITY: dict[str, Any] = {
    "metric": "precomputed",
    "min_cluster_size": 2,
    "min_samples": 1,
    "allow_single_cluster": True,
}


# hdbscan holds about four matrices of all pairs in float64: 3 GB at this many.
MOST_DENSITY_ROWS = 10_000


def average_linkage(evidence: FaceEvidence, min_probability: float) -> npt.NDArray[np.int32]:
    """Join clusters while the mean log-odds of the same person, over all their pairs, suffice.

    Args:
        evidence: what the faces say.
        min_probability: 0..1.

    Returns:
        (N,) int32 labels.
    """
    limit = log_odds(min_probability)
    if not evidence.exact:
        return evidence.merges(limit).labels(limit)
    return constrained_average_linkage(
        evidence.log_odds(), min_similarity=limit, cannot_link=evidence.cannot_link, size=evidence.size
    )


def hdbscan_labels(evidence: FaceEvidence, min_probability: float) -> npt.NDArray[np.int32]:
    """Cluster by density with `hdbscan`; noise points become singletons, constraints split clusters.

    Arguments and result as in `average_linkage`; `min_probability` bounds the distance inside a
    cluster through `cluster_selection_epsilon`.

    Raises:
        SettingsError: there are too many rows for a matrix of all pairs.
    """
    if len(evidence) < 3:  # hdbscan needs more points than neighbours
        return average_linkage(evidence, min_probability)
    _check_rows(evidence, "hdbscan")
    import hdbscan

    odds = evidence.log_odds()
    distance = 1 / (1 + np.exp(odds))  # probability of two people
    np.fill_diagonal(distance, 0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module="sklearn")
        labels = hdbscan.HDBSCAN(**DENSITY, cluster_selection_epsilon=1 - min_probability).fit_predict(
            distance
        )
    return _within_constraints(labels, odds, evidence.cannot_link)


def fast_hdbscan_labels(evidence: FaceEvidence, min_probability: float) -> npt.NDArray[np.int32]:
    """Cluster by density with `fast_hdbscan`; otherwise as `hdbscan_labels`."""
    if len(evidence) < 3:
        return average_linkage(evidence, min_probability)
    _check_rows(evidence, "fast-hdbscan")
    import fast_hdbscan

    # Its own vector metrics need a further package above 30 dimensions: it gets the distances, as a
    # sparse matrix of all pairs in which no stored entry is 0.
    odds = evidence.log_odds()
    distance = np.maximum(1 / (1 + np.exp(odds)), np.finfo(np.float32).eps)
    np.fill_diagonal(distance, 0)
    clusterer = fast_hdbscan.HDBSCAN(**DENSITY, cluster_selection_epsilon=1 - min_probability)
    labels = clusterer.fit_predict(csr_array(distance))
    return _within_constraints(labels, odds, evidence.cannot_link)


def _check_rows(evidence: FaceEvidence, method: str) -> None:
    if len(evidence) > MOST_DENSITY_ROWS:
        raise SettingsError(
            f"identity.method {method} compares all pairs of {len(evidence)} tracks with a face, and takes "
            f"{MOST_DENSITY_ROWS} at most; --set identity.method=average has no such limit"
        )


def _within_constraints(
    labels: npt.NDArray[np.int32], similarity: npt.NDArray[np.float64], cannot_link: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Make noise singletons and split each cluster as far as its cannot-link pairs demand."""
    labels = np.where(labels < 0, labels.max(initial=-1) + 1 + np.arange(len(labels)), labels)
    inside = np.where(labels[:, None] == labels[None], similarity - similarity.min(initial=0), -np.inf)
    return constrained_average_linkage(inside, min_similarity=0.0, cannot_link=cannot_link)


Method = Callable[[FaceEvidence, float], npt.NDArray[np.int32]]
METHODS: dict[str, Method] = {
    "average": average_linkage,
    "hdbscan": hdbscan_labels,
    "fast-hdbscan": fast_hdbscan_labels,
}
