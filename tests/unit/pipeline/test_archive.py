"""The main job with a worker that needs no models."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from headtrack.errors import SettingsError
from headtrack.pipeline.archive import run_archive
from headtrack.pipeline.clustering import cluster_archive
from headtrack.pipeline.plan import Batch
from headtrack.pipeline.provenance import expected_provenance
from headtrack.pipeline.prune import KEPT_RUNS
from headtrack.settings import DecodeSettings, DetectSettings, EmbedSettings, LinkSettings, Settings
from headtrack.store.kept import read_kept
from headtrack.store.spool import run_folder
from headtrack.types import VideoFailure
from headtrack.video.probe import probe
from tests.factories import Seen, make_result, still, store


def fail_all(batches: Iterable[Batch], run_dir: Path) -> Generator[VideoFailure, None, None]:
    for video in (video for batch in batches for video in batch.videos):
        yield VideoFailure(video.path, video.video_id, "decode", "VideoError", f"{video.path} breaks off")


def picture(path: Path, grey: int = 0) -> Path:
    path.write_bytes(b"P5 4 4 255\n" + bytes([grey]) * 16)
    return path


def test_a_copy_of_a_file_that_failed_is_a_failure_and_not_skipped(tmp_path: Path) -> None:
    pictures = [picture(tmp_path / name) for name in ("a.pgm", "copy.pgm")]
    report = run_archive(pictures, tmp_path / "people.duckdb", Settings(), worker=fail_all)
    assert [Path(failure.path).name for failure in report.failures] == ["a.pgm", "copy.pgm"]
    assert (report.done, report.skipped) == (0, 0)


def test_a_failure_is_logged_for_who_wants_to_know_and_is_no_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "headtrack")
    film = picture(tmp_path / "a.pgm")
    run_archive([film], tmp_path / "people.duckdb", Settings(), worker=fail_all)
    lines = [(line.levelname, line.getMessage()) for line in caplog.records if "a.pgm" in line.getMessage()]
    assert lines == [("INFO", f"recording a failure at step decode: {film} breaks off")]


def test_faces_of_two_networks_are_not_mixed_in_one_database(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    store(db, make_result([Seen(0, 9, 0)]))  # with the default network
    runs = sorted(run_folder(db, "x").parent.iterdir())
    other = Settings(embed=EmbedSettings(identity_model="dlib-face-resnet"))
    for attempt in (
        lambda: run_archive([picture(tmp_path / "a.pgm")], db, other, worker=fail_all),
        lambda: cluster_archive(db, other),
    ):
        with pytest.raises(SettingsError, match=r"embedded by sface, .*identity_model=sface, .* new --db"):
            attempt()
    assert sorted(run_folder(db, "x").parent.iterdir()) == runs
    assert cluster_archive(db, Settings()) == (1, 1)


def test_only_the_folders_of_the_latest_runs_stay(tmp_path: Path) -> None:
    db = tmp_path / "people.duckdb"
    for month in range(1, 13):
        folder = run_folder(db, f"2025{month:02d}01T000000-{2**22 + 1}")
        folder.mkdir(parents=True)
        (folder / "progress.jsonl").write_text(
            '{"at": 0, "videos_done": 0, "videos_skipped": 0, "videos_failed": 0, "videos_total": 0, '
            '"seconds_done": 0, "seconds_total": 0, "current": ""}\n'
        )
    report = run_archive([], db, Settings())
    kept = sorted(folder.name for folder in report.run_dir.parent.iterdir())
    assert len(kept) == KEPT_RUNS
    assert kept[-1] == report.run_id
    assert kept[0].startswith("202504")


@pytest.mark.parametrize(
    ("settings", "force", "kept"),
    [
        (Settings(), False, True),
        (Settings(link=LinkSettings(max_gap_s=3.0)), False, True),
        (Settings(detect=DetectSettings(fps=2.0)), False, False),
        (Settings(), True, False),
    ],
)
def test_heads_are_kept_for_the_workers_where_the_detector_would_give_the_same(
    tmp_path: Path, settings: Settings, force: bool, kept: bool
) -> None:
    db, film = tmp_path / "people.duckdb", picture(tmp_path / "a.pgm")
    older = replace(expected_provenance(Settings()), settings_hash="older", tracklet_hash="older")
    store(db, replace(still("", "", [Seen(0, 0, 0)]), video=probe(film, DecodeSettings()), provenance=older))
    found: list[bool] = []

    def look(batches: Iterable[Batch], run_dir: Path) -> Generator[VideoFailure, None, None]:
        for batch in batches:
            found.extend(read_kept(run_dir, video.video_id) is not None for video in batch.videos)
            yield from fail_all([batch], run_dir)

    report = run_archive([film], db, settings, worker=look, force=force)
    assert found == [kept]
    assert report.heads_kept == 0  # it failed
    assert not (report.run_dir / "kept").exists()
