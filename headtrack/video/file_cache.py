"""Copies of remote files on this machine, in a folder of bounded size; the least recently used go first.

A copy is named by its content and by the address and stamp it had: it is found again by either. It appears
under that name when it is whole. Locks are `flock`: shared on a copy in use, exclusive on a file that is
being written, so that those of a process that died are gone with it.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import time
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import platformdirs

from headtrack.errors import SettingsError, StoreError, VideoError
from headtrack.log import LOGGER
from headtrack.settings import DecodeSettings
from headtrack.types.remote import RemoteFile, suffix_of
from headtrack.types.video import Video
from headtrack.video.remote import describe, fetch

SUFFIX = re.compile(r"\.\w+")
COPY = re.compile(r"[0-9a-f]{16}-[0-9a-f]{16}(\.\w+)?")
PART_SUFFIX = ".part"
ROOM_LOCK = ".room.lock"
# Locks of fetches, by the first letters of the key: their files are never removed, and these stay few.
LOCK_DIGITS = 2
WAIT_S = 0.5
FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that stays as long as it is held.

    Attributes:
        path: of the file.
        video_id: of its content.
    """

    path: Path
    video_id: str


def cache_bytes(settings: DecodeSettings) -> int:
    """Give the most bytes that the copies have together."""
    return round(settings.cache_gb * 1e9)


@contextmanager
def copy_of(remote: RemoteFile, settings: DecodeSettings) -> Generator[Copy, None, None]:
    """Hold a copy of a remote file for the length of a `with` block; fetch it where there is none.

    Raises:
        VideoError: it cannot be fetched, is empty, or is larger than the cache may be.
        StoreError: the disk is full or the folder cannot be written: no other file would fare better.
        SettingsError: `cache_dir` is no absolute path.
    """
    if not remote.stamp:
        remote = describe(remote.url)
    with _folder_of(settings) as folder, _fetched(folder, remote, settings) as copy:
        yield copy


@contextmanager
def copy_of_video(video: Video, settings: DecodeSettings) -> Generator[Copy, None, None]:
    """Hold a copy of a probed remote video: of the very content that was probed.

    Raises:
        VideoError: as `copy_of`; or its content is another one now.
        StoreError: as `copy_of`.
    """
    with _folder_of(settings) as folder:
        copy = _hold(folder, f"{video.video_id}-*{_suffix(video.path)}")
        if copy is not None:
            with copy[1]:
                yield copy[0]
            return
        with _fetched(folder, describe(video.path), settings) as fetched:
            if fetched.video_id != video.video_id:
                raise VideoError(f"{video.path} was changed since it was probed; run again")
            yield fetched


@contextmanager
def _folder_of(settings: DecodeSettings) -> Iterator[Path]:
    """Give the folder of copies, made where it does not exist; say what its disk does not do."""
    default = Path(platformdirs.user_cache_dir("headtrack")) / "videos"
    folder = Path(settings.cache_dir).expanduser() if settings.cache_dir else default
    if not folder.is_absolute():  # workers on other machines would have it elsewhere
        raise SettingsError(f"decode.cache_dir must be an absolute path, got {settings.cache_dir!r}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    except OSError as error:
        raise _disk_error(folder, error) from error
    yield folder


def _disk_error(folder: Path, error: OSError) -> StoreError:
    remedy = "free some space" if error.errno in FULL else "give yourself the right to write it"
    return StoreError(
        f"no copy of a remote file can be kept in {folder} ({error.strerror}); {remedy}, or name another "
        "folder with --set decode.cache_dir"
    )


def _suffix(url: str) -> str:
    """Give the suffix that a copy keeps: it tells images from videos."""
    suffix = suffix_of(url)
    return suffix if SUFFIX.fullmatch(suffix) else ""


@contextmanager
def _fetched(folder: Path, remote: RemoteFile, settings: DecodeSettings) -> Iterator[Copy]:
    key = hashlib.sha256(f"{remote.url}\n{remote.stamp}".encode()).hexdigest()[:16]
    suffix = _suffix(remote.url)
    pattern = f"*-{key}{suffix}"
    held = _hold(folder, pattern) if remote.stamp else None
    if held is None:
        _check_size(remote, settings)
        try:
            with _locked(folder / f".{key[:LOCK_DIGITS]}.lock"):
                held = _hold(folder, pattern) if remote.stamp else None  # fetched while this one waited
                while held is None:
                    name = _fetch(folder, remote, settings, ending=f"-{key}{suffix}")
                    held = _hold(folder, name)  # None where another process needed the room at once
        except OSError as error:
            raise _disk_error(folder, error) from error
    copy, file = held
    with file:
        yield copy


def _check_size(remote: RemoteFile, settings: DecodeSettings) -> None:
    if remote.size < 0:
        raise VideoError(f"{remote.url}: its server does not say how large it is; fetch it and give the file")
    if not remote.size:
        raise VideoError(f"{remote.url} is empty (0 bytes); copy it again or leave it out")
    if remote.size > cache_bytes(settings):
        raise VideoError(
            f"{remote.url} has {remote.size / 1e9:.3g} GB, more than the cache may hold: allow more with "
            f"--set decode.cache_gb={remote.size * 1.1 / 1e9:.3g} (now {settings.cache_gb:g})"
        )


def _fetch(folder: Path, remote: RemoteFile, settings: DecodeSettings, *, ending: str) -> str:
    """Fetch a file into the folder; give its name there."""
    with _part(folder, remote, cache_bytes(settings)) as part:
        LOGGER.info("fetching %s, %d bytes", remote.url, remote.size)
        name = f"{fetch(remote, part)[:16]}{ending}"
        part.flush()
        with _locked(folder / ROOM_LOCK):  # whoever counts must find it under one name or the other
            os.rename(part.name, folder / name)
    return name


@contextmanager
def _part(folder: Path, remote: RemoteFile, bound: int) -> Iterator[BinaryIO]:
    """Open a file of the remote one's size, under a name that nobody reads; wait for the room it takes."""
    path, told = folder / f".{uuid.uuid4().hex}{PART_SUFFIX}", False
    while True:
        with _locked(folder / ROOM_LOCK):
            if _make_room(folder, remote.size, bound):
                file = path.open("w+b")
                fcntl.flock(file, fcntl.LOCK_EX)
                file.truncate(remote.size)  # counted from now on
                break
        if not told:
            LOGGER.warning("%s waits for room in %s: all copies there are in use", remote.url, folder)
            told = True
        time.sleep(WAIT_S)
    try:
        with file:
            yield file
    finally:
        path.unlink(missing_ok=True)


def _make_room(folder: Path, size: int, bound: int) -> bool:
    """Remove what died half-fetched, then copies that nobody uses until there is room; say if there is."""
    taken, copies = 0, []
    for entry in folder.iterdir():
        state = entry.stat()
        if entry.name.endswith(PART_SUFFIX):
            taken += 0 if _remove_unused(entry) else state.st_size
        elif COPY.fullmatch(entry.name):
            taken += state.st_size
            copies.append((state.st_mtime_ns, entry, state.st_size))
    for _, entry, bytes_ in sorted(copies):
        if taken + size <= bound:
            break
        if _remove_unused(entry):
            LOGGER.debug("removed the copy %s", entry)
            taken -= bytes_
    return taken + size <= bound


def _remove_unused(path: Path) -> bool:
    try:
        with path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return True
    return True


def _hold(folder: Path, pattern: str) -> tuple[Copy, BinaryIO] | None:
    """Find a copy and keep it from being removed while the file given with it is open."""
    for path in sorted(folder.glob(pattern)):
        try:
            file = path.open("rb")
        except FileNotFoundError:
            continue
        fcntl.flock(file, fcntl.LOCK_SH)
        if COPY.fullmatch(path.name) and os.fstat(file.fileno()).st_nlink:
            os.utime(path)
            return Copy(path, path.name[:16]), file
        file.close()
    return None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
