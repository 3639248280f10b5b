"""The part of the report that is about people: who is who, in which look, and how sure that is."""

from __future__ import annotations

from typing import Any

from headtrack.evaluation.score_gaps import Bridges, GapScore
from headtrack.evaluation.score_identity import IdentityScore
from headtrack.evaluation.spy_stills import CastScore
from headtrack.metrics.bcubed import BCubed
from headtrack.metrics.calibration import Reliability
from headtrack.metrics.counts import MatchCounts, known
from headtrack.metrics.ordering import Ordering, mean_known

# Everything here gives dicts that JSON takes; a figure without anything to measure is None.


def identity_figures(score: IdentityScore) -> dict[str, Any]:
    """Give how labelled people were gathered; `people` are labelled, `persons` found."""
    return {**_grouping(score), "people": score.people, "persons": score.persons}


def look_figures(score: IdentityScore) -> dict[str, Any]:
    """Give how the labelled looks of each person were gathered."""
    return {**_grouping(score), "looks": score.people, "looks_found": score.persons}


def _grouping(score: IdentityScore) -> dict[str, Any]:
    return {
        **rates(score.bcubed, "bcubed_"),
        **rates(score.pairs, "pairwise_"),
        "nmi": known(score.mutual.nmi),
        "wcp": known(score.purity.wcp),
        "heads": score.bcubed.items,
        "found_heads_only": {
            **rates(score.hit_bcubed, "bcubed_"),
            **rates(score.hit_pairs, "pairwise_"),
            "heads": score.hit_bcubed.items,
        },
    }


def spy_figures(score: CastScore) -> dict[str, Any]:
    """Give how people were gathered over stills that name them without a box."""
    return {
        **identity_figures(score.every),
        "one_person": identity_figures(score.one_person),
        "persons_by_name": score.persons,
    }


def ordering_figures(score: Ordering) -> dict[str, Any]:
    """Give the shares of triplets in order: all, of each kind, and of the whole chain."""
    return {
        "accuracy": known(score.accuracy),
        "same_look_over_other_look": known(mean_known(score.look)),
        "other_look_over_other_person": known(mean_known(score.identity)),
        "same_look_over_other_person": known(mean_known(score.person)),
        "chain": known(mean_known(score.chain)),
        "anchors": score.anchors,
        "triplets": score.triplets,
    }


def bridges_figures(score: GapScore) -> dict[str, Any]:
    """Give how often a person stayed one over a cut and over an occlusion."""
    return {"over_cuts": _bridges(score.over_cuts), "over_occlusions": _bridges(score.over_occlusions)}


def _bridges(bridges: Bridges) -> dict[str, Any]:
    return {
        "gaps": bridges.gaps,
        "found": bridges.found,
        "one_track": bridges.one_track,
        "one_person": bridges.one_person,
        "one_track_share": known(bridges.one_track_share),
        "one_person_share": known(bridges.one_person_share),
    }


def reliability_figures(promise: Reliability, items: str) -> dict[str, Any]:
    """Give what was promised and kept, by the lower score of each bin that holds anything.

    Args:
        promise: the bins.
        items: what is counted.
    """
    rows = zip(promise.count, promise.mean_score, promise.share_right, strict=True)
    return {
        items: int(promise.count.sum()),
        "right": int(promise.right.sum()),
        "expected_error": known(promise.expected_error),
        "reliability": {
            f"{b / len(promise.count):.1f}": {
                items: int(n),
                "mean_score": float(mean),
                "share_right": float(share),
            }
            for b, (n, mean, share) in enumerate(rows)
            if n
        },
    }


def rates(score: MatchCounts | BCubed, prefix: str) -> dict[str, float | None]:
    """Give precision, recall and F1, their names prefixed."""
    return {
        f"{prefix}precision": known(score.precision),
        f"{prefix}recall": known(score.recall),
        f"{prefix}f1": known(score.f1),
    }
