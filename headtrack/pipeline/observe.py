"""One pass over the frames of a video, or of a span of one, decoded, looked at and gathered."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

from headtrack.errors import VideoError
from headtrack.pipeline.embed import HeldCrop, embed_crops
from headtrack.pipeline.gathering import Gathering, Observation
from headtrack.pipeline.looking import frames_due, look_at
from headtrack.pipeline.models import Models
from headtrack.settings import Settings
from headtrack.types import FrameBatch, Video
from headtrack.video.decode import decode
from headtrack.video.thumbnails import thumbnails


def observe(
    video: Video,
    models: Models,
    settings: Settings,
    *,
    on_frames: Callable[[int, float], None] | None = None,
) -> Observation:
    """Watch one video from its first frame to its last, or to where it breaks.

    Raises:
        VideoError: not one frame could be decoded.
    """
    gathering = Gathering[HeldCrop](settings, models.shots, partial(embed_crops, models))
    frames, before_s, broken, switched = 0, -math.inf, "", list[str]()
    with closing(decode(video, settings.decode, on_switch=switched.append)) as batches:
        for batch in _until_broken(batches):
            if isinstance(batch, VideoError):
                broken = str(batch)
                break
            frames += len(batch)
            picked = frames_due(batch.time_s, before_s, settings.detect)
            before_s = float(batch.time_s[-1])
            gathering.take(batch.time_s, thumbnails(batch.rgb), look_at(batch, picked, models, settings))
            if on_frames is not None:
                on_frames(frames, before_s)
    if not frames:
        raise VideoError(broken or f"{video.path} gave no frame; check that it plays")
    shots = gathering.end()
    return gathering.observation(shots, broken_reason=broken, switched="; ".join(switched))


def _until_broken(batches: Iterator[FrameBatch]) -> Iterator[FrameBatch | VideoError]:
    """Give the batches, and as the last item the error that ended them, if one did."""
    try:
        yield from batches
    except VideoError as error:
        yield error
