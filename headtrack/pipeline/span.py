"""One worker's part of a long video: watches a span and keeps what stitching needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.pipeline.embed import HeldCrop, embed_crops
from headtrack.pipeline.gathering import Gathering
from headtrack.pipeline.growing import Due, Look
from headtrack.pipeline.looking import DESCRIPTOR_BINS, HEAD_AND_CLOTHES_BINS
from headtrack.pipeline.models import Models
from headtrack.pipeline.stitch import SeenCrop
from headtrack.pipeline.watch import Watched, watch
from headtrack.settings import Settings
from headtrack.shots.remembered import RememberingScorer, hash_of
from headtrack.types import FrameBatch, HeadEmbeddings, Heads, Span, SpanObservation, Video
from headtrack.video.decode import decode_span


def observe_span(video: Video, span: Span, models: Models, settings: Settings) -> SpanObservation:
    """Watch one span as if it were a video; tracklets that cross its ends are seen in parts.

    Args:
        video: as probed.
        span: of the video, as `headtrack.video.spans.split` gives it.
        models: loaded once a worker.
        settings: of the run.

    Raises:
        VideoError: a frame is not what the video's packets promised; the video is to be watched as a whole.
    """
    before_pts = span.start.before_pts
    before_s = -math.inf if before_pts is None else float((before_pts - span.origin_pts) * video.time_base)
    kept = _Kept(models)
    # It numbers frames from the span's first.
    gathering = Gathering[HeldCrop](settings, kept.scorer, kept.embed)
    with (
        closing(decode_span(video, span, settings.decode)) as batches,
        closing(watch(kept.within(span, batches), before_s, models, settings)) as watched,
    ):
        for seen in watched:
            kept.keep(seen)
            looks = [replace(look, frame=look.frame - span.first) for look in seen.looks]
            gathering.take(seen.time_s, seen.thumbnails, looks)
    if not kept.frames:
        raise VideoError(f"{video.path}: the span from frame {span.first} gave no frame")
    gathering.end()
    return kept.observation(video, span)


def _without_pixels(look: Look[HeldCrop]) -> Look[SeenCrop]:
    return Look(
        look.frame, look.time_s, look.frame_px, look.heads, [SeenCrop(c.quality) for c in look.crops],
        look.colour, look.descriptor,
    )  # fmt: skip


class _Kept:
    """What stays of the frames."""

    def __init__(self, models: Models) -> None:
        self.scorer = RememberingScorer(models.shots)
        self.frames = 0
        self._models = models
        self._first = self._next = 0
        self._time_s: list[npt.NDArray[np.float64]] = []
        self._small: list[npt.NDArray[np.uint8]] = []
        self._looks: list[Look[SeenCrop]] = []
        self._embedded: list[HeadEmbeddings] = []

    def embed(self, due: list[Due[HeldCrop]]) -> HeadEmbeddings:
        """Embed crops, and keep the embeddings whatever becomes of their tracklets."""
        embeddings = embed_crops(self._models, due)
        self._embedded.append(embeddings)
        return embeddings

    def within(self, span: Span, batches: Iterable[FrameBatch]) -> Iterator[FrameBatch]:
        """Take the first frame after the span out of the batches; keep what tells it and the first one."""
        for number, batch in enumerate(batches):
            if not number:
                self._first = hash_of(batch.rgb[0])
            if span.stop is None or batch.frame[-1] < span.stop:
                yield batch
                continue
            self._next = hash_of(batch.rgb[-1])
            if len(batch) > 1:
                yield FrameBatch(batch.rgb[:-1], batch.frame[:-1], batch.time_s[:-1])

    def keep(self, seen: Watched) -> None:
        """Keep the numbers of frames, not their pixels."""
        self.frames += len(seen.time_s)
        self._time_s.append(seen.time_s)
        self._small.append(seen.thumbnails)
        self._looks += [_without_pixels(look) for look in seen.looks]

    def observation(self, video: Video, span: Span) -> SpanObservation:
        """Put it together."""
        looks, known = self._looks, self.scorer.known
        colour = [np.zeros((0, HEAD_AND_CLOTHES_BINS), np.float32), *(look.colour for look in looks)]
        descriptor = [np.zeros((0, DESCRIPTOR_BINS), np.float32), *(look.descriptor for look in looks)]
        return SpanObservation(
            span=span,
            width=video.width,
            height=video.height,
            seams=np.array([self._first, self._next], np.uint64),
            time_s=np.concatenate(self._time_s),
            thumbnails=np.concatenate(self._small),
            looked_at=np.array([look.frame for look in looks], np.int32),
            heads=Heads.join([look.heads for look in looks if len(look.heads)]),
            quality=np.array([crop.quality for look in looks for crop in look.crops], np.float64),
            colour=np.concatenate(colour),
            descriptor=np.concatenate(descriptor),
            embeddings=HeadEmbeddings.join(self._embedded, embed_crops(self._models, [])),
            window_key=np.array(list(known), np.uint64),
            window_frames=np.array([len(p) for p in known.values()], np.int32),
            window_p=np.concatenate([np.zeros(0, np.float32), *known.values()]),
        )
