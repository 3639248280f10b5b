"""Lists and reads what lies behind URLs: the only module that knows fsspec.

Credentials and endpoints come from where fsspec and the package of the protocol look for them: the
environment and their own files. A URL carries none.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, BinaryIO

from headtrack.errors import VideoError
from headtrack.log import LOGGER
from headtrack.types.remote import RemoteFile, is_url

# Large enough that the way there and back does not count, small enough that little is lost when it breaks.
BLOCK_BYTES = 16 * 2**20
ATTEMPTS = 4
FIRST_WAIT_S = 0.5  # doubled from attempt to attempt
# Requests at once where many files are asked for their size: each only waits for its answer.
ASKED_AT_ONCE = 16
MAGIC = frozenset("*?[")
# What stores call the tag that changes with the content, and the time of the last change.
TAGS = ("ETag", "etag", "e_tag", "generation", "md5Hash", "Content-MD5")
TIMES = ("LastModified", "last_modified", "Last-Modified", "updated", "mtime", "modified", "created")
EXTRAS = {
    **dict.fromkeys(("s3", "s3a"), "headtrack[s3]"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az", "adl"), "adlfs"),
    **dict.fromkeys(("http", "https"), "aiohttp"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    "smb": "smbprotocol",
}
NO_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "TokenRetrievalError")
# Trying again changes nothing.
FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, ImportError, ValueError)

FileSystem = Any  # fsspec.AbstractFileSystem, which has no type annotations


def list_url(url: str) -> Iterator[RemoteFile]:
    """List what a URL names: one file, everything below a folder (a prefix), or what a pattern matches.

    Patterns have `*`, `**`, `?` and `[...]`, unless a file is called so; a folder that one matches is listed.
    Sizes and stamps come with the listing, without a request a file.

    Raises:
        VideoError: there is no such thing, it may not be read, or its protocol or store does not answer.
    """
    try:
        fs, name = _opened(url)
        try:
            info = fs.info(name)
        except FileNotFoundError:
            if not MAGIC & set(url.partition("://")[2]) or ("?" in url and url.startswith("http")):
                raise
            yield from _matches(fs, url)
            return
        if info["type"] == "directory":
            yield from _below(fs, url, name)
        else:
            yield _remote(url, info)
    except VideoError:
        raise
    # Each protocol's package has errors of its own, which have no class in common.
    except Exception as error:
        raise _said(url, error) from error


def is_folder(url: str) -> bool:
    """Say whether a URL names a folder or a pattern rather than a file; nothing where it leads nowhere."""
    if MAGIC & set(url.partition("://")[2]) and not url.startswith("http"):
        return True
    try:
        fs, name = _opened(url)
        return url.endswith("/") or fs.isdir(name)
    except Exception as error:
        LOGGER.debug("%s cannot be looked at", url, exc_info=error)
        return False


def describe(url: str) -> RemoteFile:
    """Ask for the size and the stamp of one file.

    Raises:
        VideoError: as `list_url`, or the URL names a folder.
    """
    try:
        fs, name = _opened(url)
        info = fs.info(name)
    except Exception as error:
        raise _said(url, error) from error
    if info["type"] == "directory":
        raise VideoError(f"{url} is a folder; give the files in it")
    return _remote(url, info)


def describe_all(urls: Sequence[str]) -> dict[str, RemoteFile]:
    """Ask for many files at once; of those that cannot be had, size and stamp stay unknown."""
    with ThreadPoolExecutor(ASKED_AT_ONCE) as pool:
        return dict(zip(urls, pool.map(_described_or_not, urls), strict=True))


def read_bytes(url: str) -> bytes:
    """Read a small file whole.

    Raises:
        VideoError: as `list_url`.
    """
    try:
        fs, name = _opened(url)
        return bytes(fs.cat_file(name))
    except Exception as error:
        raise _said(url, error) from error


def fetch(remote: RemoteFile, out: BinaryIO) -> str:
    """Write a file's bytes to `out`; where the transfer breaks, go on from there, `ATTEMPTS` times in all.

    Args:
        remote: as described; its size must be known.
        out: at its beginning.

    Returns:
        SHA-256 of the bytes, in hex.

    Raises:
        VideoError: it cannot be read to its end, or it was changed meanwhile.
        OSError: `out` cannot be written.
    """
    digest, before = hashlib.sha256(), describe(remote.url)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            source = _at(remote, out.tell())
            if source is None:  # it cannot be entered in the middle
                out.seek(0)
                digest, source = hashlib.sha256(), _at(remote, 0)
            with source:
                while out.tell() < remote.size:
                    block = _read(source, min(BLOCK_BYTES, remote.size - out.tell()), remote)
                    out.write(block)
                    digest.update(block)
            break
        except _Broken as broken:
            error = broken.__cause__ or broken
            if isinstance(error, FINAL) or type(error).__name__ in NO_CREDENTIALS or attempt == ATTEMPTS:
                raise _said(remote.url, error, tries=attempt) from error
            LOGGER.info("%s: %s; the transfer goes on from byte %d", remote.url, error, out.tell())
            time.sleep(FIRST_WAIT_S * 2 ** (attempt - 1))
    if before.size != remote.size or describe(remote.url) != before:
        raise VideoError(f"{remote.url} was changed while it was fetched; run again when it stays as it is")
    return digest.hexdigest()


class _Broken(Exception):
    """A transfer broke; the cause says why. What breaks on this machine is not one."""


def _at(remote: RemoteFile, position: int) -> Any:
    """Open a file at a position; None where it can only be read from its beginning."""
    try:
        fs, name = _opened(remote.url)
        source = fs.open(name, "rb", block_size=BLOCK_BYTES, cache_type="none")
        if position:
            try:
                source.seek(position)
            except (ValueError, OSError):
                source.close()
                return None
        return source
    except Exception as error:
        raise _Broken from error


def _read(source: Any, length: int, remote: RemoteFile) -> bytes:
    try:
        block = source.read(length)
    except Exception as error:
        raise _Broken from error
    if not block:
        raise _Broken(f"it ended before its {remote.size} bytes")
    return block


def _opened(url: str) -> tuple[FileSystem, str]:
    """Give the file system of a URL, which remembers no listing, and the name of the file in it."""
    from fsspec.core import url_to_fs

    if not is_url(url):
        raise ValueError(f"{url} is no URL")
    return url_to_fs(url, use_listings_cache=False)


def _below(fs: FileSystem, url: str, name: str) -> Iterator[RemoteFile]:
    found = fs.find(name, detail=True)
    yield from _named(fs, found, url.rstrip("/"), name.rstrip("/"))


def _matches(fs: FileSystem, pattern: str) -> Iterator[RemoteFile]:
    start = min(pattern.index(sign) for sign in MAGIC if sign in pattern.partition("://")[2])
    base = pattern[: pattern.rindex("/", 0, start)]
    base_name = fs._strip_protocol(base)
    for name, info in sorted(fs.glob(fs._strip_protocol(pattern), detail=True).items()):
        found = fs.find(name, detail=True) if info["type"] == "directory" else {name: info}
        yield from _named(fs, found, base, base_name.rstrip("/"))


def _named(fs: FileSystem, found: Mapping[str, Any], url: str, name: str) -> Iterator[RemoteFile]:
    """Give found files their URLs: as the user wrote the beginning, for that may hold the host."""
    for path, info in sorted(found.items()):
        if info["type"] == "directory" or path.rstrip("/") == name or path.endswith("/"):
            continue
        known = info if info.get("size") is not None else fs.info(path)
        yield _remote(f"{url}{path.removeprefix(name)}", known)


def _remote(url: str, info: Mapping[str, Any]) -> RemoteFile:
    size = info.get("size")
    tag = next((str(info[key]) for key in TAGS if info.get(key)), "")
    changed = next((info[key] for key in TIMES if info.get(key)), "")
    if isinstance(changed, datetime):  # some stores list seconds and describe with a date
        changed = changed.timestamp()
    stamp = tag.strip('"') or str(changed)
    size = -1 if size is None else int(size)
    return RemoteFile(url, size, f"{stamp} {size}" if stamp else "")


def _described_or_not(url: str) -> RemoteFile:
    try:
        return describe(url)
    except VideoError as error:
        LOGGER.debug("%s", error)
        return RemoteFile(url)


def _said(url: str, error: BaseException, *, tries: int = 1) -> VideoError:
    """Say in one line why a URL cannot be read, and what to do."""
    protocol = url.partition("://")[0]
    cause = error.__cause__ or error  # web servers that refuse are said to lack the file
    why = " ".join(str(cause).split()) or type(cause).__name__
    if isinstance(error, ImportError):
        package = EXTRAS.get(protocol)
        remedy = f"pip install '{package}'" if package else "install it beside headtrack"
        return VideoError(f"{url}: {protocol}:// needs a package that is not installed ({why}); {remedy}")
    if isinstance(error, ValueError) and "Protocol not known" in str(error):
        return VideoError(
            f"{url}: no protocol {protocol}:// is known; give a path, s3://, https:// or another"
        )
    if isinstance(error, FileNotFoundError):
        return VideoError(f"{url} does not exist ({why}); check the address")
    if isinstance(error, PermissionError):
        return VideoError(f"{url} may not be read ({why}); check the credentials and their rights")
    if type(error).__name__ in NO_CREDENTIALS:
        return VideoError(
            f"{url}: no credentials ({why}); set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, "
            """or FSSPEC_S3='{"anon": true}' for a public bucket"""
        )
    often = f" {tries} times" if tries > 1 else ""
    return VideoError(
        f"{url} cannot be read ({type(error).__name__}{often}: {why}); check that it is whole and that its "
        "store answers, then run again"
    )
