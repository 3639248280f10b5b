"""Spans that were watched apart become one video, as if it had been watched in one go.

Shots and tracklets are found once more from the numbers that each span kept, in the order of frames and
with nothing cut at the seams. The crops that are then the best of a whole tracklet are nearly always among
those that the spans embedded; the few others are decoded again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from headtrack.errors import HeadtrackError, VideoError
from headtrack.pipeline.embed import HeldCrop, embed_crops, hold_crop
from headtrack.pipeline.gathering import Gathering, Observation
from headtrack.pipeline.growing import Due, Look
from headtrack.pipeline.models import Models
from headtrack.settings import Settings
from headtrack.shots.remembered import RememberingScorer
from headtrack.types import HeadEmbeddings, Heads, Span, SpanObservation, Video
from headtrack.video.decode import decode_span

TAKE_FRAMES = 256  # thumbnails weighed at once


class SeamError(HeadtrackError):
    """Spans do not fit together: the video is to be watched as a whole."""


@dataclass(frozen=True, slots=True)
class SeenCrop:
    """A crop whose pixels are gone.

    Attributes:
        quality: 0..1.
        embedded: its embeddings as one row; None where its span did not take it for one of the best.
    """

    quality: float
    embedded: HeadEmbeddings | None = None


def stitch(video: Video, parts: Iterable[SpanObservation], models: Models, settings: Settings) -> Observation:
    """Go through the spans of a video in order; give what `observe` gives for the video, bit by bit.

    Args:
        video: as probed.
        parts: of all its spans, in order; each is let go of before the next is asked for.
        models: loaded once a worker.
        settings: those that the spans were watched with.

    Raises:
        SeamError: the spans do not fit together, as in a file whose key frames are none.
    """
    scorer, missing = RememberingScorer(models.shots), _Missing(models)
    gathering = Gathering[SeenCrop](settings, scorer, missing.embed)
    following, seam, to_the_end = 0, 0, False
    for part in parts:
        to_the_end = part.span.stop is None
        if part.span.first != following or (seam and int(part.seams[0]) != seam):
            raise SeamError(f"{video.path}: frame {following} is another one when decoding starts with it")
        following, seam = part.span.first + len(part.time_s), int(part.seams[1])
        if part.span.stop not in (None, following):
            raise SeamError(f"{video.path}: a span has frames up to {following}, not {part.span.stop}")
        # A window may begin in the span before.
        ends = np.cumsum(part.window_frames)[:-1]
        answers = np.split(part.window_p, ends) if len(part.window_key) else []
        scorer.known.update(zip(part.window_key.tolist(), answers, strict=True))
        looks = _looks(part)
        for start in range(0, len(part.time_s), TAKE_FRAMES):
            stop = start + TAKE_FRAMES
            due = [look for look in looks if start <= look.frame - part.span.first < stop]
            gathering.take(part.time_s[start:stop], part.thumbnails[start:stop], due)
    if not to_the_end:
        raise SeamError(f"{video.path}: the spans from frame {following} on are missing")
    shots = gathering.end()
    if missing.crops:
        gathering.add(missing.fetched(video, gathering.heads(), settings))
    return gathering.observation(shots)


def _looks(part: SpanObservation) -> list[Look[SeenCrop]]:
    heads, embedded = (
        part.heads,
        dict(zip(part.embeddings.head_row.tolist(), range(len(part.embeddings)), strict=True)),
    )
    looks = []
    for frame in part.looked_at.tolist():
        first, stop = np.searchsorted(heads.frame, [frame, frame + 1]).tolist()
        crops = [
            SeenCrop(part.quality[row].item(), part.embeddings[[embedded[row]]] if row in embedded else None)
            for row in range(first, stop)
        ]
        looks.append(
            Look(
                frame=frame,
                time_s=float(part.time_s[frame - part.span.first]),
                frame_px=(part.width, part.height),
                heads=heads[first:stop],
                crops=crops,
                colour=part.colour[first:stop],
                descriptor=part.descriptor[first:stop],
            )
        )
    return looks


class _Missing:
    """Gives the embeddings that the spans have, and remembers the crops that they have not."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self.crops: list[tuple[int, int]] = []  # tracklet, head row

    def embed(self, due: list[Due[SeenCrop]]) -> HeadEmbeddings:
        """Look up the embeddings of crops that are due."""
        self.crops += [(tracklet, row) for tracklet, row, crop in due if crop.embedded is None]
        found = [(tracklet, row, crop.embedded) for tracklet, row, crop in due if crop.embedded is not None]
        joined = HeadEmbeddings.join([one for _, _, one in found], embed_crops(self._models, []))
        return HeadEmbeddings(
            np.array([row for _, row, _ in found], np.int32),
            np.array([tracklet for tracklet, _, _ in found], np.int32),
            joined.quality,
            joined.identity,
            joined.appearance,
            joined.recognisability,
        )

    def fetched(self, video: Video, heads: Heads, settings: Settings) -> HeadEmbeddings:
        """Decode once more where the crops are that no span embedded."""
        entries = [entry.frame for entry in video.entries]
        near: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for tracklet, row in self.crops:
            near[bisect_right(entries, int(heads.frame[row])) - 1].append((tracklet, row))
        held: list[Due[HeldCrop]] = []
        for number, crops in sorted(near.items()):
            stop = max(int(heads.frame[row]) for _, row in crops)
            span = Span(video.entries[number], stop, video.entries[0].pts)
            held += _held(video, span, crops, heads, settings)
        return embed_crops(self._models, held)


def _held(
    video: Video, span: Span, crops: list[tuple[int, int]], heads: Heads, settings: Settings
) -> list[Due[HeldCrop]]:
    held: list[Due[HeldCrop]] = []
    try:
        with closing(decode_span(video, span, settings.decode)) as batches:
            for batch in batches:
                for tracklet, row in crops:
                    k = int(heads.frame[row]) - int(batch.frame[0])
                    if 0 <= k < len(batch):
                        first, stop = np.searchsorted(heads.frame, heads.frame[row] + np.arange(2)).tolist()
                        crop = hold_crop(batch.rgb[k], heads[first:stop], row - first, settings.embed)
                        held.append((tracklet, row, crop))
    except VideoError as error:
        raise SeamError(str(error)) from error
    return held
