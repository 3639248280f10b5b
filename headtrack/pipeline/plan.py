"""What a run has to do: which inputs hold contents that are new, found without fetching what is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.types import RemoteFile, Video, VideoFailure
from headtrack.video.decode import probe_watched
from headtrack.video.file_cache import cache_bytes, copy_of
from headtrack.video.inputs import Input

# A single transfer does not fill a line to a store far away.
FETCHED_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Batch:
    """Videos to analyse together.

    Attributes:
        videos: at least one.
        last: no further batch comes. The last one may lack it, where what followed turned out to be known.
    """

    videos: list[Video]
    last: bool


@dataclass(slots=True)
class Plan:
    """What is to be done; it grows from batch to batch.

    Attributes:
        done: contents that need not be analysed again.
        content: what lay behind URLs, by URL and stamp, as far as it is known.
        videos: to analyse, contents once each.
        also_at: further paths of contents that are done or in `videos`.
        failures: inputs that are no videos.
        fetched: content of the remote files that were fetched, until it is taken.
    """

    done: set[str]
    content: Mapping[tuple[str, str], str]
    videos: list[Video] = field(default_factory=list)
    also_at: list[tuple[str, str]] = field(default_factory=list)
    failures: list[VideoFailure] = field(default_factory=list)
    fetched: dict[RemoteFile, str] = field(default_factory=dict)

    def known_content(self, source: Input) -> str | None:
        """Give what an input holds, where that is known without reading it."""
        return self.content.get((source.url, source.stamp)) if isinstance(source, RemoteFile) else None

    def take_fetched(self) -> dict[RemoteFile, str]:
        """Give the content of the remote files that were fetched since this was asked last."""
        fetched, self.fetched = self.fetched, {}
        return fetched

    def extend(self, batch: Sequence[Input], settings: DecodeSettings) -> None:
        """Probe inputs, and sort them into new, known and failed ones."""
        planned = {video.video_id for video in self.videos}
        at_hand = {id(s): self.known_content(s) for s in batch}
        unknown = [s for s in batch if at_hand[id(s)] not in self.done | planned]
        failed = _fetch([s for s in unknown if isinstance(s, RemoteFile)], settings)
        for source in batch:
            video_id = at_hand[id(source)]
            if video_id is not None and video_id in self.done | planned:
                self.also_at.append((video_id, str(source)))
                continue
            try:
                if isinstance(source, RemoteFile) and source in failed:
                    raise failed[source]
                video = probe_watched(source, settings)
            except VideoError as error:
                path = str(source.absolute()) if isinstance(source, Path) else source.url
                self.failures.append(VideoFailure(path, "", "probe", type(error).__name__, str(error)))
                continue
            if isinstance(source, RemoteFile):
                self.fetched[source] = video.video_id
            if video.video_id in self.done or video.video_id in planned:
                self.also_at.append((video.video_id, video.path))
            else:
                planned.add(video.video_id)
                self.videos.append(video)


def batches(inputs: Iterable[Input], settings: DecodeSettings) -> Iterator[list[Input]]:
    """Share inputs out so that the copies of one batch stay in the cache until they are analysed.

    All files of this machine come with the first batch, which is given even where it is empty. Remote files
    follow one another until they would fill half the cache; the other half is for whoever else uses it.
    """
    limit = cache_bytes(settings) / 2
    inputs = list(inputs)
    batch: list[Input] = [source for source in inputs if isinstance(source, Path)]
    taken = 0
    for source in inputs:
        if isinstance(source, Path):
            continue
        if taken and taken + source.size > limit:
            yield batch
            batch, taken = [], 0
        batch.append(source)
        taken += max(source.size, 0)
    yield batch


def _fetch(remote: Sequence[RemoteFile], settings: DecodeSettings) -> dict[RemoteFile, VideoError]:
    """Bring files into the cache, several at once; give those that cannot be had, and why."""

    def error_of(source: RemoteFile) -> VideoError | None:
        try:
            with copy_of(source, settings):
                return None
        except VideoError as error:
            return error

    with ThreadPoolExecutor(FETCHED_AT_ONCE) as pool:
        errors = dict(zip(remote, pool.map(error_of, remote), strict=True))
    return {source: error for source, error in errors.items() if error is not None}
