"""The scores as one object for programs and as a table for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headtrack.evaluation.evaluate import Evaluation
from headtrack.evaluation.protocol import IDENTITY_CLIPS, SHOT_CLIPS, TARGETS, present
from headtrack.evaluation.report_identity import (
    bridges_figures,
    identity_figures,
    look_figures,
    ordering_figures,
    rates,
    reliability_figures,
    spy_figures,
)
from headtrack.evaluation.score_gaps import GapScore
from headtrack.evaluation.score_heads import HeadScore
from headtrack.evaluation.score_identity import IdentityScore
from headtrack.evaluation.score_shots import ShotScore
from headtrack.evaluation.score_tracks import TrackScore, combine_tracks
from headtrack.metrics.counts import known, ratio

# What the table shows of each clip.
CLIP_COLUMNS = (
    "heads.recall",
    "heads.precision",
    "heads.rear_recall",
    "heads.view_accuracy",
    "shots.f1",
    "identity.bcubed_f1",
    "identity.pairwise_f1",
    "tracks.hota",
    "tracks.idf1",
    "tracks.mota",
)


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of the report.

    Attributes:
        scope: `all` or a clip.
        figure: dotted, as in the object.
        value: None where there is nothing to measure.
        at_least: what is wanted; None where nothing is.
    """

    scope: str
    figure: str
    value: float | None
    at_least: float | None

    @property
    def is_met(self) -> bool:
        """Nothing is wanted, or it is reached."""
        return self.at_least is None or (self.value is not None and self.value >= self.at_least)


def evaluation_object(evaluation: Evaluation) -> dict[str, Any]:
    """Give all scores as nested dicts that JSON takes; a figure without anything to measure is None."""
    shots = [evaluation.shots[clip] for clip in present(SHOT_CLIPS, evaluation.shots)]
    identity = [evaluation.identity[clip] for clip in present(IDENTITY_CLIPS, evaluation.identity)]
    equal = sum(row.is_equal for row in evaluation.oracle)
    clips = sorted({*evaluation.heads, *evaluation.shots})
    return {
        "heads": _heads(sum(evaluation.heads.values(), HeadScore())),
        "shots": _shots(sum(shots, ShotScore())),
        "identity": {
            **identity_figures(sum(identity, IdentityScore())),
            "within_every_clip": identity_figures(sum(evaluation.identity.values(), IdentityScore())),
            "over_clips": identity_figures(evaluation.over_clips),
        },
        "tracks": {
            **_tracks(combine_tracks(list(evaluation.tracks.values()))),
            **bridges_figures(sum(evaluation.gaps.values(), GapScore())),
            "visits": evaluation.visits.visits,
            "visits_unbroken": evaluation.visits.unbroken,
            "visits_unbroken_share": known(ratio(evaluation.visits.unbroken, evaluation.visits.visits)),
        },
        "portraits": identity_figures(evaluation.portraits.identity),
        "appearance": look_figures(evaluation.portraits.appearance),
        "ordering": ordering_figures(evaluation.ordering),
        "spy": spy_figures(evaluation.spy),
        "identity_calibration": reliability_figures(evaluation.identity_calibration, "pairs"),
        "link_calibration": reliability_figures(evaluation.link_calibration, "links"),
        "cross_media": {
            "found": evaluation.cross_media.found,
            "people": len(evaluation.cross_media.rows),
            "found_share": known(ratio(evaluation.cross_media.found, len(evaluation.cross_media.rows))),
            "found_at_most_heads": evaluation.cross_media.found_at_most_heads,
            "confused": evaluation.cross_media.confused,
            "persons": {row.identity: row.persons for row in evaluation.cross_media.rows},
        },
        "oracle": {
            "figures": len(evaluation.oracle),
            "equal": equal,
            "equal_share": known(ratio(equal, len(evaluation.oracle))),
            "max_difference": max((abs(r.got - r.expected) for r in evaluation.oracle), default=None),
        },
        "not_analysed": evaluation.not_analysed,
        "clips": {clip: _clip(evaluation, clip) for clip in clips},
    }


def figure_rows(report: dict[str, Any]) -> list[FigureRow]:
    """List every figure of an object that `evaluation_object` gave: the totals, then each clip's."""
    totals = {name: part for name, part in report.items() if name not in ("clips", "not_analysed")}
    rows = [FigureRow("all", name, value, TARGETS.get(name)) for name, value in _flat(totals, "")]
    for clip, figures in report["clips"].items():
        rows += [FigureRow(clip, name, value, None) for name, value in _flat(figures, "")]
    return rows


def report_text(report: dict[str, Any]) -> str:
    """Lay an object that `evaluation_object` gave out as two tables: totals, and clips by main figure."""
    rows = figure_rows(report)
    totals = [["figure", "value", "at least", ""]]
    for row in rows:
        if row.scope == "all":
            wanted = "" if row.at_least is None else ("met" if row.is_met else "NOT MET")
            totals.append([row.figure, _text(row.value), _text(row.at_least, ""), wanted])
    values = {(row.scope, row.figure): row.value for row in rows}
    clips = [["clip", *CLIP_COLUMNS]]
    clips += [[clip, *(_text(values.get((clip, c))) for c in CLIP_COLUMNS)] for clip in report["clips"]]
    parts = [_aligned(totals), _aligned(clips)]
    if report["not_analysed"]:
        parts.append("not analysed: " + ", ".join(report["not_analysed"]))
    return "\n\n".join(parts)


def _clip(evaluation: Evaluation, clip: str) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    if clip in evaluation.heads:
        figures["heads"] = _heads(evaluation.heads[clip])
        figures["identity"] = identity_figures(evaluation.identity[clip])
        figures["tracks"] = {**_tracks(evaluation.tracks[clip]), **bridges_figures(evaluation.gaps[clip])}
    if clip in evaluation.shots:
        figures["shots"] = _shots(evaluation.shots[clip])
    return figures


def _heads(score: HeadScore) -> dict[str, Any]:
    views: dict[str, dict[str, int]] = {}
    promise = reliability_figures(score.promise, "heads")
    for (label, found), n in sorted(score.views.items()):
        views.setdefault(label, {})[found] = n
    return {
        **rates(score.every, ""),
        "rear_recall": known(score.rear.recall),
        "rear_precision": known(score.rear.precision),
        "view_accuracy": known(score.view_accuracy),
        "rear_view_recall": known(score.rear_view_recall),
        "front_not_called_rear": known(score.front_not_called_rear),
        "labelled": score.every.tp + score.every.fn,
        "missed": score.every.fn,
        "false": score.every.fp,
        "rear_labelled": score.rear.tp + score.rear.fn,
        "views": views,
        "calibration_error": promise["expected_error"],
        "reliability": promise["reliability"],
    }


def _shots(score: ShotScore) -> dict[str, Any]:
    return {
        **rates(score.counts, ""),
        "labelled": score.counts.tp + score.counts.fn,
        "missed": score.counts.fn,
        "false": score.counts.fp,
        "false_on_still_change": score.on_still_change,
        "f1_still_changes_excused": known(score.still_changes_excused.f1),
    }


def _tracks(score: TrackScore) -> dict[str, Any]:
    return {
        "hota": score.hota.hota,
        "det_a": score.hota.det_a,
        "ass_a": score.hota.ass_a,
        "loc_a": score.hota.loc_a,
        "idf1": score.identity.f1,
        "mota": score.clear.mota,
        "switches": score.clear.switches,
        "fragments": score.clear.fragments,
    }


def _flat(part: dict[str, Any], prefix: str) -> list[tuple[str, float | None]]:
    figures: list[tuple[str, float | None]] = []
    for name, value in part.items():
        if isinstance(value, dict):
            figures += _flat(value, f"{prefix}{name}.")
        elif not isinstance(value, (str, tuple)):
            figures.append((f"{prefix}{name}", value))
    return figures


def _text(value: float | None, unknown: str = "-") -> str:
    if value is None:
        return unknown
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _aligned(cells: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        for row in cells
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)
