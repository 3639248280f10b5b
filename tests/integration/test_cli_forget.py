"""`headtrack forget` on a real clip: gone, and not back after the clip is analysed again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from headtrack.store.database import open_reader
from headtrack.store.read import run_checks
from tests.integration.command_line import error_line, headtrack

pytestmark = pytest.mark.heavy
DATA = Path(os.environ.get("HEADTRACK_DATA", "../shared/data")).resolve()
CLIP = DATA / "clips" / "silent.mp4"
ONE_THREAD = ("--set", "run.threads=1")
OTHERS = """
SELECT head.* FROM head JOIN tracklet USING (video_id, tracklet) JOIN track_identity USING (video_id, track)
WHERE person <> ? ORDER BY ALL
"""


def ask(folder: Path, sql: str, values: list[str] | None = None) -> list[tuple]:
    with open_reader(folder / "people.duckdb") as con:
        assert run_checks(con) == []
        return con.execute(sql, values or []).fetchall()


def test_a_person_of_a_clip_is_forgotten_and_stays_so_in_later_runs(tmp_path):
    if not CLIP.exists():
        pytest.skip(f"{CLIP} is missing")
    assert headtrack("run", CLIP, *ONE_THREAD, cwd=tmp_path).returncode == 0
    people = json.loads(headtrack("people", "--format", "json", cwd=tmp_path).stdout)
    person = people[0]["person"]
    boxes = ask(tmp_path, "SELECT frame, x1, y1, x2, y2 FROM person_frame JOIN head USING (video_id, frame) "
                          "JOIN tracklet USING (video_id, tracklet) JOIN track_identity AS t USING "
                          "(video_id, track) WHERE t.person = ?", [person])  # fmt: skip
    others = ask(tmp_path, OTHERS, [person])

    dry = headtrack("forget", person, "--format", "json", cwd=tmp_path)
    assert (dry.returncode, json.loads(dry.stdout)[0]["person"]) == (0, person)
    assert "nothing was erased; --yes" in dry.stderr
    assert ask(tmp_path, OTHERS, [person]) == others

    done = headtrack("forget", person, "--yes", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (receipt,) = json.loads(done.stdout)
    assert person not in done.stdout
    assert (receipt["receipt"], receipt["videos"]) == (1, 1)
    assert receipt["heads"] >= json.loads(dry.stdout)[0]["heads"] > 0
    assert ask(tmp_path, OTHERS, [person]) == others
    assert not [f for f in tmp_path.rglob("*") if f.is_file() and person.encode() in f.read_bytes()]
    listed = json.loads(headtrack("query", "--name", "receipts", "--format", "json", cwd=tmp_path).stdout)
    assert [row["digest"] for row in listed] == [receipt["digest"]]

    same = headtrack("run", CLIP, "--force", *ONE_THREAD, cwd=tmp_path)
    assert same.returncode == 0, same.stderr
    assert ask(tmp_path, OTHERS, [person]) == others

    denser = headtrack("run", CLIP, *ONE_THREAD, "--set", "detect.fps=8", cwd=tmp_path)
    assert denser.returncode == 0, denser.stderr
    place = {frame: np.array(box) for frame, *box in boxes}
    found = ask(tmp_path, "SELECT frame, x1, y1, x2, y2 FROM head WHERE tracklet IS NOT NULL")
    back = [box for frame, *box in found if frame in place and iou(np.array(box), place[frame]) > 0.5]
    assert len(back) < 0.05 * len(boxes)
    assert len(found) > 50  # the other one is still there


def iou(a: np.ndarray, b: np.ndarray) -> float:
    common = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None).prod()
    return common / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - common)


def test_an_unknown_person_is_one_error(tmp_path):
    assert "does not exist" in error_line(headtrack("forget", "p_aaaaaaaa", cwd=tmp_path), 5)
    assert headtrack("run", cwd=tmp_path).returncode == 2
