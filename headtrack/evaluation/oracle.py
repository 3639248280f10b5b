"""Compares the tracking metrics with values that TrackEval and motmetrics gave for the same files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headtrack.errors import DatasetError
from headtrack.evaluation.mot_format import read_mot
from headtrack.metrics.clear import Clear, clear
from headtrack.metrics.counts import MatchCounts
from headtrack.metrics.hota import Hota, combine_hota, hota
from headtrack.metrics.identity_f1 import identity_f1
from headtrack.metrics.mot_events import MotEvents, mot_events
from headtrack.metrics.track_overlap import TrackOverlap, overlap_tracks

COMBINED = "COMBINED_SEQ"
MAX_DIFFERENCE = 1e-4
# Figures that are counts and must be met exactly.
COUNTS = frozenset({"IDSW", "CLR_FP", "CLR_FN", "Frag", "MT", "PT", "ML"})
COUNT_PREFIXES = ("num_", "mostly_", "partially_")


@dataclass(frozen=True, slots=True)
class OracleRow:
    """One figure of one sequence.

    Attributes:
        oracle: who computed the expected value, `trackeval` or `motmetrics`.
        sequence: its folder.
        figure: as the oracle calls it.
        expected: the oracle's value.
        got: ours.
    """

    oracle: str
    sequence: str
    figure: str
    expected: float
    got: float

    @property
    def is_count(self) -> bool:
        """The figure is a whole number."""
        return self.figure in COUNTS or self.figure.startswith(COUNT_PREFIXES)

    @property
    def is_equal(self) -> bool:
        """A count agrees exactly, another figure to 1e-4."""
        return abs(self.expected - self.got) <= (0 if self.is_count else MAX_DIFFERENCE)


def check_oracle(data_dir: Path) -> list[OracleRow]:
    """Compare every value of `oracle/`; give no rows where there is no such folder.

    Raises:
        DatasetError: a file is missing or malformed.
    """
    folder = data_dir / "oracle"
    if not folder.is_dir():
        return []
    rows: list[OracleRow] = []
    for oracle, ours in (("trackeval", _trackeval_figures), ("motmetrics", _motmetrics_figures)):
        expected = _read_json(folder / f"{oracle}.json")
        sequences = {
            name: overlap_tracks(read_mot(folder / name / "gt.txt"), read_mot(folder / name / "test.txt"))
            for name in expected
            if name != COMBINED
        }
        got = ours(sequences)
        for name, figures in expected.items():
            rows += [
                OracleRow(oracle, name, figure, float(value), _figure(got, oracle, name, figure))
                for figure, value in figures.items()
            ]
    return rows


def _figure(got: dict[str, dict[str, float]], oracle: str, name: str, figure: str) -> float:
    try:
        return got[name][figure]
    except KeyError as error:
        raise DatasetError(f"oracle/{oracle}.json asks for {figure} of {name}, which is not known") from error


def _read_json(path: Path) -> dict[str, dict[str, Any]]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path} cannot be read as JSON: {error}") from error


def _trackeval_figures(sequences: dict[str, TrackOverlap]) -> dict[str, dict[str, float]]:
    hotas = {name: hota(sequence) for name, sequence in sequences.items()}
    clears = {name: clear(sequence) for name, sequence in sequences.items()}
    identities = {name: identity_f1(sequence) for name, sequence in sequences.items()}
    hotas[COMBINED] = combine_hota(list(hotas.values()))
    clears[COMBINED] = sum(clears.values(), Clear())
    identities[COMBINED] = sum(identities.values(), MatchCounts())
    return {name: _trackeval_names(hotas[name], clears[name], identities[name]) for name in hotas}


def _trackeval_names(hota_score: Hota, clear_score: Clear, identity: MatchCounts) -> dict[str, float]:
    return {
        "HOTA": hota_score.hota,
        "DetA": hota_score.det_a,
        "AssA": hota_score.ass_a,
        "LocA": hota_score.loc_a,
        "MOTA": clear_score.mota,
        "MOTP": clear_score.motp,
        "IDSW": clear_score.switches,
        "CLR_FP": clear_score.fp,
        "CLR_FN": clear_score.fn,
        "Frag": clear_score.fragments,
        "MT": clear_score.mostly_tracked,
        "PT": clear_score.partly_tracked,
        "ML": clear_score.mostly_lost,
        "IDF1": identity.f1,
        "IDP": identity.precision,
        "IDR": identity.recall,
    }


def _motmetrics_figures(sequences: dict[str, TrackOverlap]) -> dict[str, dict[str, float]]:
    return {
        name: _motmetrics_names(mot_events(sequence), identity_f1(sequence), sequence.truth_tracks)
        for name, sequence in sequences.items()
    }


def _motmetrics_names(events: MotEvents, identity: MatchCounts, objects: int) -> dict[str, float]:
    return {
        "idf1": identity.f1,
        "idp": identity.precision,
        "idr": identity.recall,
        "recall": events.recall,
        "precision": events.precision,
        "num_unique_objects": objects,
        "mostly_tracked": events.mostly_tracked,
        "partially_tracked": events.partly_tracked,
        "mostly_lost": events.mostly_lost,
        "num_false_positives": events.false_positives,
        "num_misses": events.misses,
        "num_switches": events.switches,
        "num_fragmentations": events.fragments,
        "mota": events.mota,
        "motp": events.motp,
        "num_transfer": events.transfers,
        "num_ascend": events.ascents,
        "num_migrate": events.migrations,
    }
