from __future__ import annotations

import fcntl
import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import fsspec
import pytest

from headtrack.errors import SettingsError, StoreError, VideoError
from headtrack.settings import DecodeSettings
from headtrack.types import RemoteFile, Video
from headtrack.video.file_cache import ROOM_LOCK, copy_of, copy_of_video
from headtrack.video.remote import describe

KB = 1000


@pytest.fixture
def cache(tmp_path: Path) -> DecodeSettings:
    """Room for three of the files that `put` makes."""
    return DecodeSettings(cache_dir=str(tmp_path / "cache"), cache_gb=3.5 * KB / 1e9)


@pytest.fixture(autouse=True)
def _store() -> Iterator[None]:
    yield
    fsspec.filesystem("memory").store.clear()


def put(name: str, *, size: int = KB) -> RemoteFile:
    fsspec.filesystem("memory").pipe_file(f"/films/{name}", name.encode().ljust(size, b"."))
    return describe(f"memory://films/{name}")


def copies(cache: DecodeSettings) -> list[str]:
    return sorted(p.read_bytes().decode().rstrip(".") for p in Path(cache.cache_dir).glob("[!.]*"))


def taken(cache: DecodeSettings) -> int:
    """Count bytes at one moment: nothing is removed or renamed under this lock."""
    folder = Path(cache.cache_dir)
    with (folder / ROOM_LOCK).open("a+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return sum(p.stat().st_size for p in folder.iterdir())


def fetch(remote: RemoteFile, cache: DecodeSettings) -> None:
    with copy_of(remote, cache):
        pass


def test_a_copy_has_the_bytes_the_suffix_and_the_id_of_the_content(cache: DecodeSettings) -> None:
    with copy_of(put("a.mp4"), cache) as copy:
        assert copy.path.suffix == ".mp4"
        assert copy.video_id == hashlib.sha256(copy.path.read_bytes()).hexdigest()[:16]


def test_what_is_there_is_not_fetched_again_even_where_the_store_is_gone(cache: DecodeSettings) -> None:
    a = put("a.mp4")
    fetch(a, cache)
    fsspec.filesystem("memory").store.clear()
    fetch(a, cache)
    with pytest.raises(VideoError, match="does not exist"):
        fetch(replace(a, stamp="another"), cache)


def test_the_bound_is_kept_and_what_was_used_least_recently_goes_first(cache: DecodeSettings) -> None:
    files = [put(f"{name}.mp4") for name in "abc"]
    for file in files:
        fetch(file, cache)
    fetch(files[0], cache)
    fetch(put("d.mp4"), cache)
    assert copies(cache) == ["a.mp4", "c.mp4", "d.mp4"]
    assert taken(cache) <= 3.5 * KB


def test_a_copy_in_use_stays_and_a_transfer_waits_for_room(cache: DecodeSettings) -> None:
    with copy_of(put("a.mp4"), cache) as a, copy_of(put("b.mp4"), cache), copy_of(put("c.mp4"), cache) as c:
        waiting = threading.Thread(target=fetch, args=(put("d.mp4"), cache))
        waiting.start()
        waiting.join(1.5)
        assert waiting.is_alive()
        assert copies(cache) == ["a.mp4", "b.mp4", "c.mp4"]
        assert a.path.exists()
        assert c.path.exists()
    waiting.join()
    assert "d.mp4" in copies(cache)
    assert taken(cache) <= 3.5 * KB


def test_a_file_larger_than_the_bound_is_refused_with_the_setting(cache: DecodeSettings) -> None:
    with pytest.raises(VideoError, match=r"large\.mp4 has 5e-06 GB, .* --set decode\.cache_gb=5\.5e-06"):
        fetch(put("large.mp4", size=5 * KB), cache)


def test_an_empty_file_is_refused(cache: DecodeSettings) -> None:
    fsspec.filesystem("memory").touch("/films/empty.mp4")
    with pytest.raises(VideoError, match="is empty"):
        fetch(describe("memory://films/empty.mp4"), cache)


def test_a_transfer_that_fails_leaves_nothing(cache: DecodeSettings) -> None:
    a = put("a.mp4")
    put("a.mp4", size=2 * KB)
    with pytest.raises(VideoError, match="was changed"):
        fetch(a, cache)
    assert taken(cache) == 0


def test_what_a_process_that_died_had_fetched_is_removed_and_what_is_not_ours_stays(
    cache: DecodeSettings,
) -> None:
    folder = Path(cache.cache_dir)
    folder.mkdir()
    (folder / ".0.part").write_bytes(bytes(9 * KB))
    (folder / "notes.txt").write_text("mine")
    fetch(put("a.mp4"), cache)
    assert sorted(p.suffix for p in folder.iterdir() if not p.name.endswith(".lock")) == [".mp4", ".txt"]


def test_many_at_once_fetch_one_file_once_and_keep_the_bound(cache: DecodeSettings) -> None:
    files = [put(f"{name}.mp4") for name in "abcdef"]
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda file: fetch(file, cache), files * 6):
            assert taken(cache) <= 3.5 * KB
    assert len(copies(cache)) == 3


def video(remote: RemoteFile, video_id: str) -> Video:
    return Video(video_id, remote.url, 8, 8, 1, Fraction(1), 1.0, 1.0, 0, Fraction(1), "h264", "pyav", "")


def test_a_probed_video_is_found_by_its_content_and_fetched_where_it_is_gone(cache: DecodeSettings) -> None:
    a = put("a.mp4")
    with copy_of(a, cache) as copy:
        probed = video(a, copy.video_id)
    for _ in range(2):
        with copy_of_video(probed, cache) as again:
            assert again == copy
        copy.path.unlink(missing_ok=True)
    put("a.mp4", size=2 * KB)
    with pytest.raises(VideoError, match="was changed since it was probed"), copy_of_video(probed, cache):
        pass


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    a = put("a.mp4")
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"no copy .* can be kept in .*decode\.cache_dir"):
        fetch(a, DecodeSettings(cache_dir=str(tmp_path / "file" / "below")))
    with pytest.raises(SettingsError, match="absolute"):
        fetch(a, DecodeSettings(cache_dir="here"))
