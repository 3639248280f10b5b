"""Bad paths, files, settings and labels: one clear message, the documented code, nothing half-written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.factories import Seen, cluster_by_basis, make_result, store
from tests.integration.command_line import error_line, headtrack, states, write_sound, write_video

# Paths


def test_a_path_that_does_not_exist_stops_before_anything_is_made(tmp_path: Path) -> None:
    done = headtrack("run", "no/such/film.mp4", "--db", "people.duckdb", cwd=tmp_path)
    assert "no/such/film.mp4" in error_line(done, 3)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_any_video_stops_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "notes.txt").write_text("none yet")
    done = headtrack("run", "films", "--db", "people.duckdb", cwd=tmp_path)
    assert "films" in error_line(done, 3)
    assert not (tmp_path / "people.duckdb").exists()


def test_a_manifest_without_a_path_column_stops_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("film,year\na.mp4,1999\n")
    done = headtrack("run", "list.csv", "--db", "people.duckdb", cwd=tmp_path)
    message = error_line(done, 6)
    assert "list.csv" in message
    assert "path" in message
    assert not (tmp_path / "people.duckdb").exists()


def test_a_database_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mp4", 3, seed=0)
    done = headtrack("run", film, "--db", "no/such/people.duckdb", cwd=tmp_path)
    assert "no/such" in error_line(done, 5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["film.mp4"]


def test_asking_a_database_that_is_not_there_makes_none(tmp_path: Path) -> None:
    for words in (["people"], ["status"], ["timeline", "p_x"], ["query", "SELECT 1"], ["cluster"]):
        done = headtrack(*words, "--db", "people.duckdb", cwd=tmp_path)
        assert "people.duckdb does not exist" in error_line(done, 5)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_says_what_it_leaves_out_and_follows_no_link_out_of_itself(tmp_path: Path) -> None:
    films, other = tmp_path / "films", tmp_path / "other"
    films.mkdir()
    other.mkdir()
    for file in (films / "zero.mp4", films / "a.txt", films / "b.txt", films / ".hidden.txt"):
        file.touch()
    (other / "private.mp4").touch()
    (films / "link").symlink_to(other)
    done = headtrack("run", "films", "--db", "people.duckdb", cwd=tmp_path)
    error_line(done, 3)
    assert done.stderr.splitlines()[:2] == [
        "left out 2 files that are neither video nor image: .txt 2",
        "did not follow links to folders: films/link; name each as a PATH",
    ]
    assert list(states(tmp_path / "people.duckdb")) == ["zero.mp4"]


# Files that hold no video: recorded with their reason, and the run goes on


def test_files_without_video_are_recorded_with_a_reason_and_told_once(tmp_path: Path) -> None:
    films = tmp_path / "films"
    films.mkdir()
    (films / "zero.mp4").touch()
    (films / "text.mp4").write_text("this is no film\n" * 50)
    (films / "noise.mp4").write_bytes(np.random.default_rng(0).bytes(5000))
    write_sound(films / "sound.mp4")
    os.mkfifo(films / "pipe.mp4")
    names = ["noise.mp4", "pipe.mp4", "sound.mp4", "text.mp4", "zero.mp4"]
    if os.geteuid() != 0:  # root may read everything
        write_video(films / "locked.mp4", 3, seed=0).chmod(0)
        names.append("locked.mp4")
    done = headtrack("run", "films", "--db", "people.duckdb", cwd=tmp_path)
    assert f"all {len(names)} videos failed" in error_line(done, 3)
    found = states(tmp_path / "people.duckdb")
    assert sorted(found) == sorted(names)
    for name in names:
        state, reason = found[name]
        assert state == "failed"
        assert reason
        assert done.stderr.count(str(films / name)) == 1


def test_one_bad_file_alone_is_a_failure_and_what_the_database_held_is_kept_as_before(
    tmp_path: Path,
) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0)]))
    cluster_by_basis(db)
    (tmp_path / "zero.mp4").touch()
    done = headtrack("run", "zero.mp4", "--db", db, "--format", "json", cwd=tmp_path)
    assert "the only video failed, so that nothing was stored of this run" in error_line(done, 3)
    (report,) = json.loads(done.stdout)
    assert (report["failed"], report["people"]) == (1, 1)
    assert {name: state for name, (state, _) in states(db).items()} == {
        "a.mp4": "complete",
        "zero.mp4": "failed",
    }


# Settings


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--set", "detect.fsp=5"], "detect.fps"),
        (["--set", "detect.fps=-1"], "-1"),
        (["--set", "identity.method=magic"], "average"),
        (["--config", "no.toml"], "no.toml"),
        (["--config", "bad.toml"], "bad.toml"),
        (["--detektor", "x"], "--detektor"),
    ],
)
def test_a_wrong_setting_stops_before_anything_is_made(words: list[str], named: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[detect\nfps = 5")
    write_video(tmp_path / "film.mp4", 3, seed=0)
    done = headtrack("run", "film.mp4", "--db", "people.duckdb", *words, cwd=tmp_path)
    assert named in error_line(done, 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.toml", "film.mp4"]


# Labels


def test_eval_on_a_folder_without_labels_says_what_is_missing(tmp_path: Path) -> None:
    assert "no-data" in error_line(headtrack("eval", "--data", "no-data", cwd=tmp_path), 6)
    (tmp_path / "data").mkdir()
    assert "labels" in error_line(headtrack("eval", "--data", "data", cwd=tmp_path), 6)


@pytest.mark.heavy
def test_a_video_that_breaks_off_is_said_to_be_skipped_when_it_comes_again(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "film.mkv", frames=60, seed=3).read_bytes()
    (tmp_path / "film.mkv").write_bytes(whole[: len(whole) // 2])
    words = ("run", "film.mkv", "--db", "people.duckdb")
    first = headtrack(*words, cwd=tmp_path)
    assert "skipped" not in first.stderr
    assert states(tmp_path / "people.duckdb")["film.mkv"][0] == "partial"
    again = headtrack(*words, cwd=tmp_path)
    assert again.returncode == 0
    assert "skipped 1 video that could not be decoded to the end; --force tries again" in again.stderr
