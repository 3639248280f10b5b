"""What a user names becomes a list of files: videos, images, folders, patterns, manifests, URLs of them."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from urllib.parse import unquote

from headtrack.errors import DatasetError, VideoError
from headtrack.types.remote import RemoteFile, is_url, suffix_of
from headtrack.video.manifest import MANIFEST_SUFFIXES, read_manifest
from headtrack.video.remote import describe_all, is_folder, list_url

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".pgm", ".ppm"})
VIDEO_SUFFIXES = frozenset(
    {
        ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".m2ts", ".mts", ".ts", ".vob",
        ".wmv", ".asf", ".flv", ".f4v", ".3gp", ".3g2", ".ogv", ".mxf", ".dv", ".gif", ".y4m",
    }
)  # fmt: skip
MEDIA_SUFFIXES = IMAGE_SUFFIXES | VIDEO_SUFFIXES
Input = Path | RemoteFile
LOCAL_URL = "file://"
# More suffixes than these make no line that anybody reads.
SHOWN_SUFFIXES = 10


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files to analyse, and what the folders held besides.

    Attributes:
        files: absolute paths and remote files, each file once, in a stable order.
        other: number of files that are neither video nor image, by suffix in lower case, the most
            frequent first; "" where a name has none. Hidden files do not count.
        linked: folders that are links; they were not searched.
        unread: folders that could not be listed.
    """

    files: tuple[Input, ...]
    other: Mapping[str, int]
    linked: tuple[Path, ...]
    unread: tuple[Path, ...]


def find_inputs(paths: Sequence[Path | str]) -> Inputs:
    """List the videos and images behind what a user named.

    A folder is searched to its depths for the usual suffixes of videos and images. Below it, links
    to files are taken and links to folders are not followed, so that the search stays in the tree that
    was named and ends; a link that is itself named is followed. A manifest is a CSV or Parquet file
    with a column `path` of files, folders and patterns; relative paths in it start at its own folder. A
    row that leads nowhere stays in the list: it will be recorded as failed without stopping the run.
    A pattern (`*`, `**`, `?`, `[...]`) is what no file is called; what it matches is taken like the content
    of a folder. A URL may stand wherever a path may; what is below it is listed, not fetched.

    Args:
        paths: files, folders, patterns or manifests; a URL is a text.

    Raises:
        VideoError: a path does not exist, or a folder cannot be read or holds no video and no image; a URL
            cannot be listed.
        DatasetError: a manifest cannot be read, has no column `path`, names nothing, or one of its rows
            is wrong.
    """
    search = _Search()
    found: dict[str, Input] = {}
    for path in paths:
        for file in _expand(_meant(path), search):
            if isinstance(file, RemoteFile):
                found.setdefault(file.url, file)
            else:
                found.setdefault(os.path.realpath(file), Path(os.path.abspath(file)))
    return Inputs(
        files=tuple(found.values()),
        other=_by_suffix(file for file in search.other if file not in found),
        linked=tuple(search.linked),
        unread=tuple(search.unread),
    )


def suffix_counts(other: Mapping[str, int]) -> str:
    """Say how many files of which suffixes there are; rare suffixes are taken together.

    >>> suffix_counts({".txt": 2, "": 1})
    '.txt 2, without suffix 1'
    """
    items = list(other.items())
    parts = [f"{suffix or 'without suffix'} {count}" for suffix, count in items[:SHOWN_SUFFIXES]]
    rest = sum(count for _, count in items[SHOWN_SUFFIXES:])
    return ", ".join([*parts, f"others {rest}"] if rest else parts)


@dataclass(slots=True)
class _Search:
    """What folders held besides videos and images, gathered while they are walked; each thing once."""

    other: dict[str, None] = field(default_factory=dict)
    linked: dict[Path, None] = field(default_factory=dict)
    unread: dict[Path, None] = field(default_factory=dict)


def _meant(path: Path | str) -> Path | str:
    """Give a path as such, and a URL as a text; the URL of a file here is its path."""
    if isinstance(path, Path) or not is_url(path):
        return Path(path)
    if path.lower().startswith(LOCAL_URL):
        return Path(unquote(path[len(LOCAL_URL) :].removeprefix("localhost")))
    protocol, colon, place = path.partition("://")
    return f"{protocol.lower()}{colon}{place}"


def _expand(path: Path | str, search: _Search) -> Iterator[Input]:
    if isinstance(path, str):
        if suffix_of(path) in MANIFEST_SUFFIXES and not is_folder(path):
            yield from _manifest(path, search)
        else:
            yield from _below_url(path, search)
    elif path.is_dir():
        yield from _folder(path, search)
    elif path.is_symlink() and not path.exists():
        raise VideoError(f"{path} is a link to {os.readlink(path)}, which leads nowhere; mend the link")
    elif not os.path.lexists(path) and glob.has_magic(str(path)):
        yield from _matches(path, search)
    elif not os.path.lexists(path):
        raise VideoError(f"{path} does not exist; check the path, or quote it if it has spaces")
    elif path.suffix.lower() in MANIFEST_SUFFIXES:
        yield from _manifest(path, search)
    else:
        yield path


def _manifest(manifest: Path | str, search: _Search) -> Iterator[Input]:
    rows = [(row.where, _meant(row.path)) for row in read_manifest(manifest)]
    remote = describe_all([path for _, path in rows if isinstance(path, str)])
    for where, path in rows:
        try:
            if isinstance(path, str):
                file = remote[path]
                yield from [file] if file.size >= 0 or not is_folder(path) else _below_url(path, search)
            elif path.is_dir():
                yield from _folder(path, search)
            elif not os.path.lexists(path) and glob.has_magic(str(path)):
                yield from _matches(path, search)
            else:
                yield path
        except VideoError as error:
            raise DatasetError(f"{where}: {error}") from error


def _below_url(url: str, search: _Search) -> Iterator[RemoteFile]:
    """List the media files of a URL; a file that is named itself is taken whatever its suffix."""
    files, other = [], {}
    base = url.rstrip("/").rpartition("/")[0] if glob.has_magic(url) else url
    for file in list_url(url):
        if file.url == url:
            yield file
            return
        if any(part.startswith(".") for part in file.url.removeprefix(base).split("/")):
            continue
        if suffix_of(file.url) in MEDIA_SUFFIXES:
            files.append(file)
        else:
            other[file.url] = None
    if not files:
        raise VideoError(_nothing("pattern" if glob.has_magic(url) else "folder", url, other))
    search.other.update(other)
    yield from files


def _matches(pattern: Path, search: _Search) -> Iterator[Path]:
    """Give what a pattern matches: media files, and those in the folders that it matches."""
    files, other = [], {}
    for name in sorted(glob.glob(str(pattern), recursive=True)):
        path = Path(name)
        if path.is_dir():
            here = _Search()
            files += sorted(_walk(path, here))
            other.update(here.other)
            search.linked.update(here.linked)
            search.unread.update(here.unread)
        elif path.suffix.lower() in MEDIA_SUFFIXES:
            files.append(path)
        else:
            other[os.path.abspath(name)] = None
    if not files:
        raise VideoError(_nothing("pattern", str(pattern), other))
    search.other.update(other)
    yield from files


def _nothing(kind: str, named: str, other: Mapping[str, None]) -> str:
    besides = f", only {suffix_counts(_by_suffix(other))}" if other else ""
    holds = "matches" if kind == "pattern" else "holds"
    return (
        f"{kind} {named} {holds} no video and no image{besides}; name a folder, a file, a pattern or a "
        "manifest that does"
    )


def _folder(folder: Path, search: _Search) -> list[Path]:
    """List the media files below a folder, sorted; note in `search` what else there is."""
    here = _Search()
    files = sorted(_walk(folder, here))
    if folder in here.unread:
        raise VideoError(f"folder {folder} cannot be read; give yourself the right to it or leave it out")
    if not files:
        raise VideoError(_nothing("folder", str(folder), here.other))
    search.other.update(here.other)
    search.linked.update(here.linked)
    search.unread.update(here.unread)
    return files


def _walk(folder: Path, search: _Search) -> Iterator[Path]:
    def note_unread(error: OSError) -> None:
        search.unread[Path(error.filename)] = None

    for root, folders, names in os.walk(folder, onerror=note_unread):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:  # os.walk lists links to folders and does not follow them
            if os.path.islink(os.path.join(root, name)):
                search.linked[Path(root, name)] = None
        for name in names:
            if name.startswith("."):
                continue
            if Path(name).suffix.lower() in MEDIA_SUFFIXES:
                yield Path(root, name)
            else:
                search.other[os.path.abspath(os.path.join(root, name))] = None


def _by_suffix(files: Iterable[str]) -> dict[str, int]:
    """Count files by suffix, the most frequent first."""
    counts = Counter(PurePath(file).suffix.lower() for file in files)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
