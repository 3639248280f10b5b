"""Corrections on real heads, obeyed after the clip was analysed anew with other settings."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from headtrack.store.database import open_reader
from headtrack.store.read import run_checks
from tests.integration.command_line import error_line, headtrack

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("HEADTRACK_DATA", ROOT.parent / "shared" / "data"))
CLIP = DATA / "clips" / "silent.mp4"
STILLS = [DATA / "stills" / "gallery" / f"stage_H2_{name}" for name in ("a.png", "b.jpg", "c.jpg")]

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not CLIP.is_file(), reason=f"no clips in {DATA}; set HEADTRACK_DATA"),
]


def give(cwd: Path, *words: object) -> list[dict[str, str]]:
    done = headtrack(*words, "--format", "csv", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def person_at(db: Path, name: str, x: float) -> str:
    """Give the person in whose boxes a place lies in most frames of a file."""
    with open_reader(db) as con:
        assert run_checks(con) == []
        found = con.execute(
            "SELECT person FROM head_by_frame WHERE parse_filename(path) = ? AND ? BETWEEN x1 AND x2 "
            "GROUP BY person ORDER BY count(*) DESC LIMIT 1",
            [name, x],
        ).fetchone()
    assert found is not None, (name, x)
    return found[0]


def test_corrections_of_a_real_clip_outlive_its_analysis_with_other_settings(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    give(tmp_path, "run", CLIP, *STILLS, "--db", db, "--set", "detect.fps=2")
    listed = give(
        tmp_path,
        *("query", "--db", db),
        "SELECT track, person, median(x1 + x2) / 2 AS x FROM head_by_frame "
        f"WHERE path LIKE '%{CLIP.name}' GROUP BY ALL ORDER BY count(*) DESC, track",
    )
    x_one, x_other = (float(row["x"]) for row in listed[:2])

    def clip_people() -> tuple[str, str]:
        return person_at(db, CLIP.name, x_one), person_at(db, CLIP.name, x_other)

    def still_people() -> list[str]:
        rows = give(
            tmp_path,
            *("query", "--db", db),
            "SELECT person FROM head_by_frame WHERE path LIKE '%stage_H2%' ORDER BY path",
        )
        return [row["person"] for row in rows]

    assert len(set(still_people())) == 1
    first, second = clip_people()
    refused = headtrack("merge", first, second, "--db", db, cwd=tmp_path)
    assert f"{CLIP.name} are both in frame" in error_line(refused, 5)
    wrong = headtrack("split", first, f"{CLIP.name}:99", "--db", db, cwd=tmp_path)
    assert "has no track 99" in error_line(wrong, 5)

    give(tmp_path, "name", second, "Ada", "--db", db)
    give(tmp_path, "merge", "Ada", still_people()[0], "--db", db)
    give(tmp_path, "split", "Ada", "stage_H2_b.jpg:0", "--db", db)
    give(tmp_path, "reject", "stage_H2_c.jpg:0", "Ada", "--db", db)
    give(tmp_path, "assign", "stage_H2_c.jpg:0", first, "--db", db)

    def check() -> None:
        first, second = clip_people()
        a, b, c = still_people()
        assert a == second
        assert c == first
        assert b not in (first, second)
        assert {row["person"] for row in give(tmp_path, "timeline", "Ada", "--db", db)} == {second}

    check()
    again = ("--db", db, "--set", "detect.fps=3", "--set", "identity.method=hdbscan")
    (run,) = give(tmp_path, "run", CLIP, *STILLS, *again)
    assert (run["done"], run["skipped"]) == ("4", "0")
    check()
    met = give(tmp_path, "corrections", "--db", db)
    assert [(row["tracks"], row["tracks_met"]) for row in met] == [(r["tracks"], r["tracks"]) for r in met]

    for _ in range(len(met)):
        give(tmp_path, "undo", "--db", db)
    assert len(set(still_people())) == 1
    assert set(clip_people()).isdisjoint(still_people())
    assert "no correction is in force" in error_line(headtrack("undo", "--db", db, cwd=tmp_path), 5)
