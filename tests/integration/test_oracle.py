"""Our metrics against TrackEval 1.3.0 and motmetrics 1.4.0 on the same files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.oracle import OracleRow, check_oracle

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("HEADTRACK_DATA", ROOT.parent / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not (DATA / "oracle").is_dir(), reason=f"no oracle values in {DATA}; set HEADTRACK_DATA"
)


@pytest.fixture(scope="module")
def rows() -> list[OracleRow]:
    return check_oracle(DATA)


@needs_data
def test_every_figure_of_both_tools_is_compared(rows: list[OracleRow]):
    compared = {(row.oracle, row.sequence) for row in rows}
    assert compared == {
        ("trackeval", "TUD-Campus"),
        ("trackeval", "TUD-Stadtmitte"),
        ("trackeval", "COMBINED_SEQ"),
        ("motmetrics", "TUD-Campus"),
        ("motmetrics", "TUD-Stadtmitte"),
    }
    assert len(rows) == 3 * 16 + 2 * 18


@needs_data
def test_rates_agree_to_four_digits(rows: list[OracleRow]):
    for row in rows:
        assert row.got == pytest.approx(row.expected, abs=1e-4), row


@needs_data
def test_counts_agree_exactly(rows: list[OracleRow]):
    counts = [row for row in rows if row.is_count]
    assert len(counts) == 3 * 7 + 2 * 11
    assert [row for row in counts if row.got != row.expected] == []


def test_a_count_off_by_one_and_a_rate_off_by_more_than_allowed_are_unequal():
    assert not OracleRow("motmetrics", "s", "num_switches", 7.0, 8.0).is_equal
    assert not OracleRow("trackeval", "s", "HOTA", 0.5, 0.5002).is_equal
    assert OracleRow("trackeval", "s", "HOTA", 0.5, 0.50009).is_equal


def test_without_oracle_files_nothing_is_compared(tmp_path: Path):
    assert check_oracle(tmp_path) == []


def test_a_missing_value_file_and_an_unknown_figure_are_named(tmp_path: Path):
    (tmp_path / "oracle/seq").mkdir(parents=True)
    with pytest.raises(DatasetError, match=r"trackeval\.json cannot be read as JSON"):
        check_oracle(tmp_path)
    for name in ("gt.txt", "test.txt"):
        (tmp_path / "oracle/seq" / name).write_text("1,1,0,0,5,5\n")
    (tmp_path / "oracle/trackeval.json").write_text('{"seq": {"HOTA": 1, "Beauty": 1}}')
    with pytest.raises(DatasetError, match="asks for Beauty of seq, which is not known"):
        check_oracle(tmp_path)
