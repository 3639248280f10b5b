"""One video from pixels to tracks. Read this first.

    decode → heads of the looked-at frames → shots → tracklets → crops → embeddings → tracks

The frames pass once; what stays are heads, a few crops a live tracklet, and numbers; embeddings go to disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from headtrack.errors import HeadtrackError, ModelError, StoreError
from headtrack.linking.evidence import gather_evidence, overlapping_pairs
from headtrack.linking.link import link_tracklets
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.pipeline.gathering import Observation
from headtrack.pipeline.models import Models
from headtrack.pipeline.observe import observe
from headtrack.pipeline.provenance import provenance
from headtrack.pipeline.stitch import stitch
from headtrack.settings import Settings
from headtrack.tracking.interpolate import interpolate_boxes
from headtrack.types import SeenTracklets, SpanObservation, Tracks, Video, VideoFailure, VideoResult


def analyze_video(
    video: Video,
    models: Models,
    settings: Settings,
    *,
    on_frames: Callable[[int, float], None] | None = None,
) -> VideoResult | VideoFailure:
    """Find the heads, tracklets and tracks of one video.

    Args:
        video: as probed.
        models: loaded once a worker.
        settings: all sections but `identity` and `run` matter here.
        on_frames: told the number of frames and the seconds of footage done, now and then.

    Returns:
        The result; a failure where not one frame could be decoded or a step broke on this video.

    Raises:
        ModelError: a model fails to load or run: no video of the run would fare better.
        StoreError: the folder for temporary files is full; the same holds.
    """
    try:
        seen = observe(video, models, settings, on_frames=on_frames)
    except (ModelError, StoreError):
        raise
    except HeadtrackError as error:
        return VideoFailure(video.path, video.video_id, "decode", type(error).__name__, str(error))
    return _concluded(video, seen, models, settings)


def stitch_video(
    video: Video, parts: Iterable[SpanObservation], models: Models, settings: Settings
) -> VideoResult:
    """Find the same from spans of the video that were watched apart.

    Args:
        video: as probed.
        parts: all its spans, in order.
        models: loaded once a worker.
        settings: those that the spans were watched with.

    Raises:
        SeamError: the spans do not fit together; `analyze_video` the video.
        ModelError: a model fails to run.
        StoreError: the folder for temporary files is full.
    """
    return _concluded(video, stitch(video, parts, models, settings), models, settings)


def _concluded(video: Video, seen: Observation, models: Models, settings: Settings) -> VideoResult:
    """Link the tracklets and fill the frames between looks."""
    boxes = interpolate_boxes(
        seen.heads, seen.tracklets, shots=seen.shots, looked_at=seen.looked_at, frame_time_s=seen.frame_time_s
    )
    by = SeenTracklets(seen.heads, seen.tracklets, seen.embeddings, seen.colour, seen.frame_time_s)
    return VideoResult(
        video=_as_decoded(video, seen.switched),
        provenance=provenance(settings, models=models.ids, detector=models.detector.model_ids),
        frame_time_s=np.asarray(seen.frame_time_s, np.float64),
        shots=seen.shots,
        looked_at=seen.looked_at,
        heads=seen.heads,
        tracklets=seen.tracklets,
        colour=seen.colour,
        boxes=boxes,
        embeddings=seen.embeddings,
        tracks=linked(by, settings),
        broken_at=seen.broken_at,
        broken_reason=seen.broken_reason,
    )


def linked(seen: SeenTracklets, settings: Settings) -> Tracks:
    """Link tracklets.

    Args:
        seen: the tracklets of one video.
        settings: `link`, and the network that made the faces.
    """
    evidence = gather_evidence(
        seen.heads, seen.tracklets, seen.embeddings, colour=seen.colour, frame_time_s=seen.frame_time_s
    )
    return link_tracklets(
        evidence,
        cannot_link=overlapping_pairs(seen.heads, seen.tracklets),
        face_scale=FACE_SCALES[settings.embed.identity_model],
        settings=settings.link,
    )


def _as_decoded(video: Video, switched: str) -> Video:
    """Add to the reason for the decoder that another one went on, if it did."""
    return replace(video, decoder_reason=f"{video.decoder_reason}; {switched}") if switched else video
