"""A file that lies elsewhere: named by a URL, read through a copy on this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

# Two letters at least: one is a drive on some systems.
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")


def is_url(text: str) -> bool:
    """Say whether a text is a URL and no path.

    >>> is_url("s3://bucket/film.mp4"), is_url("/films/a.mp4"), is_url("film.mp4:3")
    (True, False, False)
    """
    return URL.match(text) is not None


def suffix_of(url: str) -> str:
    """Give the suffix of a URL's file in lower case; what follows `?` in a web address is none of it.

    >>> suffix_of("s3://bucket/Film.MP4"), suffix_of("https://host/a.mov?key=x.y")
    ('.mp4', '.mov')
    """
    path = urlsplit(url).path if url.lower().startswith(("http://", "https://")) else url
    return PurePosixPath(path).suffix.lower()


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file behind a URL, as a listing has it.

    Attributes:
        url: whole, with its protocol.
        size: bytes; -1 where the listing does not say, or it was not asked yet.
        stamp: changes when the content does (entity tag, or time of change, and size); empty where it is not
            known, so that the content must be read to know it again.
    """

    url: str
    size: int = -1
    stamp: str = ""

    def __str__(self) -> str:
        return self.url
