"""`headtrack find` on a real clip: who is found again, what is said where nobody can be."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from tests.integration.command_line import error_line, headtrack

pytestmark = pytest.mark.heavy
DATA = Path(os.environ.get("HEADTRACK_DATA", "../shared/data")).resolve()
CLIP = DATA / "clips" / "silent.mp4"
ONE_THREAD = ("--set", "run.threads=1")
AT = 30  # a frame that shows both people, one of them by their face


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    if not CLIP.exists():
        pytest.skip(f"{CLIP} is missing")
    folder = tmp_path_factory.mktemp("find")
    done = headtrack("run", CLIP, *ONE_THREAD, cwd=folder)
    assert done.returncode == 0, done.stderr
    with av.open(str(CLIP)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if number == AT:
                frame.to_image().save(folder / "still.png")
                break
    return folder


def test_the_people_of_a_still_are_found_in_its_video_and_nothing_is_stored(archive):
    before = (archive / "people.duckdb").read_bytes()
    done = headtrack("find", "still.png", *ONE_THREAD, "--format", "json", cwd=archive)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    by_face = [row for row in rows if row["by"] == "face"]
    assert by_face
    firsts = {row["head"]: row for row in reversed(by_face)}
    assert len({row["person"] for row in firsts.values()}) == len(firsts)  # one head, one person
    for row in firsts.values():
        assert row["probability"] > 0.9
        assert (row["best_video"], row["name"]) == (str(CLIP), None)
        assert 0 <= row["best_s"] < 9.7
    assert (archive / "people.duckdb").read_bytes() == before
    assert len(list((archive / "people.duckdb.runs").iterdir())) == 1  # of `run`


def test_the_limit_is_kept_and_csv_has_the_same_columns(archive):
    done = headtrack("find", CLIP, *ONE_THREAD, "--limit", "1", "--format", "csv", cwd=archive)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    heads = [row["head"] for row in rows]
    assert len(set(heads)) == len(heads) >= 2
    assert heads == sorted(heads, key=int)


def test_a_picture_without_a_head_is_one_error_with_a_remedy(archive):
    Image.fromarray(np.full((120, 160, 3), 90, np.uint8)).save(archive / "grey.png")
    done = headtrack("find", "grey.png", *ONE_THREAD, cwd=archive)
    assert "no head was found" in error_line(done, 3)
    assert "--set" in done.stderr
    assert done.stdout == ""


def test_faces_of_another_network_are_not_compared(archive):
    done = headtrack("find", "still.png", "--set", "embed.identity_model=dlib-face-resnet", cwd=archive)
    assert "--set embed.identity_model=sface" in error_line(done, 2)


def test_a_database_without_people_says_so(archive):
    assert headtrack("find", "still.png", "--db", "none.duckdb", cwd=archive).returncode == 5
    blank = archive / "blank"
    blank.mkdir()
    Image.fromarray(np.full((120, 160, 3), 90, np.uint8)).save(blank / "grey.png")
    assert headtrack("run", blank, "--db", "empty.duckdb", *ONE_THREAD, cwd=archive).returncode == 0
    done = headtrack("find", "still.png", "--db", "empty.duckdb", cwd=archive)
    assert "holds nobody yet" in error_line(done, 5)


def test_a_folder_and_a_missing_file_are_refused(archive):
    (archive / "folder").mkdir()
    shutil.copy(archive / "still.png", archive / "folder")
    assert "is a folder" in error_line(headtrack("find", "folder", cwd=archive), 3)
    error_line(headtrack("find", "absent.png", cwd=archive), 3)
