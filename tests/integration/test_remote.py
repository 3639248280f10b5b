"""Films in a bucket of a real S3 server: found, fetched once, analysed as those on disk are."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import fsspec
import pytest

from headtrack.errors import VideoError
from headtrack.pipeline.archive import run_archive
from headtrack.pipeline.plan import Batch
from headtrack.settings import DecodeSettings, Settings
from headtrack.settings_file import load_settings
from headtrack.store.database import open_reader
from headtrack.store.read import query
from headtrack.types import VideoFailure
from headtrack.video.decode import decode, probe_watched
from headtrack.video.inputs import Input, find_inputs
from tests.integration.command_line import error_line, headtrack, states, write_video
from tests.integration.s3_server import Server, s3_server
from tests.integration.test_archive import clip  # noqa: F401 (a fixture)

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with s3_server() as started:
        yield started


@pytest.fixture
def bucket(server: Server, request: pytest.FixtureRequest) -> str:
    name = f"films-{abs(hash(request.node.name)) % 10**9}"
    server.make_bucket(name)
    server.break_transfers(0)
    server.take_requests()  # those of the test before
    return name


def settings_in(folder: Path, *more: str) -> Settings:
    return load_settings(None, [f"decode.cache_dir={folder / 'cache'}", "run.threads=1", *more])


def remote(*urls: str) -> tuple[Input, ...]:
    return find_inputs(urls).files


def fetches(server: Server, bucket: str) -> list[str]:
    """Give the objects whose bytes were asked for since this was asked last."""
    asked = [path for method, path in server.take_requests() if method == "GET"]
    return [path.removeprefix(f"/{bucket}/") for path in asked if path.strip("/") != bucket]


def fail_all(batches: Iterable[Batch], run_dir: Path) -> Generator[VideoFailure, None, None]:
    for video in (video for batch in batches for video in batch.videos):
        yield VideoFailure(video.path, video.video_id, "decode", "VideoError", f"{video.path} breaks off")


def test_a_film_in_a_bucket_is_the_film_on_disk(server: Server, bucket: str, tmp_path: Path) -> None:
    film = write_video(tmp_path / "a.mp4", 12, 0)
    server.put(f"{bucket}/deep/a.mp4", film.read_bytes())
    settings = settings_in(tmp_path).decode
    (there,) = remote(f"s3://{bucket}")
    video, local = probe_watched(there, settings), probe_watched(film, settings)
    assert video == dataclasses.replace(local, path=f"s3://{bucket}/deep/a.mp4")
    server.take_requests()
    pixels = [batch.rgb.copy() for batch in decode(video, settings)]
    assert all((a == b.rgb).all() for a, b in zip(pixels, decode(local, settings), strict=True))
    assert server.take_requests() == []  # what was probed is at hand


def test_listing_asks_for_no_object(server: Server, bucket: str) -> None:
    for number in range(30):
        server.put(f"{bucket}/{number % 3}/{number}.mp4", b"x")
    server.take_requests()
    assert len(remote(f"s3://{bucket}/")) == 30
    assert len(remote(f"s3://{bucket}/*/?.mp4")) == 10
    assert all(path.strip("/") in (bucket, f"{bucket}/*/?.mp4") for _, path in server.take_requests())


def test_a_broken_transfer_is_tried_again_and_given_up_in_the_end(
    server: Server, bucket: str, tmp_path: Path
) -> None:
    film = write_video(tmp_path / "a.mp4", 12, 0)
    server.put(f"{bucket}/a.mp4", film.read_bytes())
    (there,) = remote(f"s3://{bucket}/a.mp4")
    settings = settings_in(tmp_path).decode
    server.break_transfers(-1)
    with pytest.raises(VideoError, match=rf"s3://{bucket}/a\.mp4 cannot be read \(\w+ 4 times: "):
        probe_watched(there, settings)
    assert not [path for path in (tmp_path / "cache").iterdir() if path.suffix != ".lock"]
    server.break_transfers(1)
    assert probe_watched(there, settings).frame_count == 12


def test_what_cannot_be_had_is_one_clear_error(
    server: Server, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url, said in (
        (f"s3://{bucket}/gone.mp4", "gone.mp4 does not exist"),
        ("s3://no-such-bucket/", "does not exist"),
        (f"s3://{bucket}/*.mp4", "matches no video"),
    ):
        assert said in error_line(headtrack("run", url, cwd=tmp_path), 3)
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    assert "no credentials" in error_line(headtrack("run", f"s3://{bucket}/", cwd=tmp_path), 3)
    fsspec.get_filesystem_class("s3").clear_instance_cache()


def test_a_run_fetches_each_object_once_and_one_that_fails_does_not_stop_it(
    server: Server, bucket: str, tmp_path: Path
) -> None:
    films = [write_video(tmp_path / f"{k}.mp4", 6, k).read_bytes() for k in range(4)]
    for k, film in enumerate(films):
        server.put(f"{bucket}/{k}.mp4", film)
    server.put(f"{bucket}/bad.mp4", b"no video")
    server.put(f"{bucket}/copy.mp4", films[0])
    size = max(map(len, films))
    # Two of them fill half the cache: several batches.
    settings = settings_in(tmp_path, f"decode.cache_gb={4.5 * size / 1e9}")
    inputs = remote(f"s3://{bucket}/")
    server.take_requests()
    report = run_archive(inputs, tmp_path / "p.duckdb", settings, worker=fail_all)
    assert sorted(fetches(server, bucket)) == ["0.mp4", "1.mp4", "2.mp4", "3.mp4", "bad.mp4", "copy.mp4"]
    assert sorted(f.step for f in report.failures) == ["decode"] * 5 + ["probe"]
    kept = sum(path.stat().st_size for path in (tmp_path / "cache").iterdir())
    assert kept <= 4.5 * size


def test_a_file_larger_than_the_cache_fails_alone(server: Server, bucket: str, tmp_path: Path) -> None:
    server.put(f"{bucket}/large.mp4", write_video(tmp_path / "l.mp4", 60, 0).read_bytes())
    small = write_video(tmp_path / "s.mp4", 2, 1)
    server.put(f"{bucket}/small.mp4", small.read_bytes())
    db, settings = (
        tmp_path / "p.duckdb",
        settings_in(tmp_path, f"decode.cache_gb={1.1e-9 * small.stat().st_size}"),
    )
    run_archive(remote(f"s3://{bucket}/"), db, settings, worker=fail_all)
    state = {name: reason or "" for name, (_, reason) in states(db).items()}
    assert "decode.cache_gb" in state["large.mp4"]
    assert "breaks off" in state["small.mp4"]


@pytest.mark.heavy
def test_a_bucket_gives_the_rows_of_a_folder_and_a_second_run_fetches_nothing(
    clip: Path,  # noqa: F811
    server: Server,
    bucket: str,
    tmp_path: Path,
) -> None:
    server.put(f"{bucket}/a/film.mp4", clip.read_bytes())
    settings, here, there = settings_in(tmp_path), tmp_path / "here.duckdb", tmp_path / "there.duckdb"
    run_archive([clip], here, settings)
    first = run_archive(remote(f"s3://{bucket}/a/"), there, settings)
    assert (first.done, first.failures) == (1, ())
    assert fetches(server, bucket) == ["a/film.mp4"]
    heads = "SELECT * EXCLUDE (path, person, appearance) FROM head_by_frame ORDER BY ALL"
    assert rows(there, heads) == rows(here, heads)
    assert rows(there, "SELECT video_id FROM video") == rows(here, "SELECT video_id FROM video")
    assert rows(there, "SELECT DISTINCT path FROM head_by_frame") == [(f"s3://{bucket}/a/film.mp4",)]

    fresh = dataclasses.replace(settings, decode=DecodeSettings(cache_dir=str(tmp_path / "other")))
    again = run_archive(remote(f"s3://{bucket}/a/"), there, fresh)
    assert (again.done, again.skipped) == (0, 1)
    assert fetches(server, bucket) == []

    server.put(f"{bucket}/b/same.mp4", clip.read_bytes())  # the same content under another name
    moved = run_archive(remote(f"s3://{bucket}/"), there, settings)
    assert (moved.done, moved.skipped) == (0, 2)
    assert fetches(server, bucket) == ["b/same.mp4"]

    changed = clip.read_bytes() + bytes(8)  # after the end of the last box: another content, the same frames
    server.put(f"{bucket}/a/film.mp4", changed)
    last = run_archive(remote(f"s3://{bucket}/a/film.mp4"), there, settings)
    assert (last.done, last.skipped) == (1, 0)
    assert rows(there, "SELECT count(*) FROM video") == [(2,)]

    found = headtrack(
        "find", f"s3://{bucket}/b/same.mp4", "--db", there, "--format", "json",
        "--set", f"decode.cache_dir={tmp_path / 'cache'}", cwd=tmp_path,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert '"best_video"' in found.stdout


def rows(db: Path, sql: str) -> list[tuple]:
    with open_reader(db) as con:
        return query(con, sql).rows
