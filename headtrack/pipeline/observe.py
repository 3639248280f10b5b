"""One pass over the frames of a video, or of a span of one, decoded, looked at and gathered."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from functools import partial

from headtrack.errors import VideoError
from headtrack.pipeline.embed import HeldCrop, embed_crops
from headtrack.pipeline.gathering import Gathering, Observation
from headtrack.pipeline.models import Models
from headtrack.pipeline.watch import watch
from headtrack.settings import Settings
from headtrack.types import Video
from headtrack.video.decode import decode


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
    frames, broken, switched = 0, "", list[str]()
    with (
        closing(decode(video, settings.decode, on_switch=switched.append)) as batches,
        closing(watch(batches, -math.inf, models, settings)) as watched,
    ):
        try:
            for seen in watched:
                frames += len(seen.time_s)
                gathering.take(seen.time_s, seen.thumbnails, seen.looks)
                if on_frames is not None:
                    on_frames(frames, float(seen.time_s[-1]))
        except VideoError as error:
            broken = str(error)
    if not frames:
        raise VideoError(broken or f"{video.path} gave no frame; check that it plays")
    shots = gathering.end()
    return gathering.observation(shots, broken_reason=broken, switched="; ".join(switched))
