"""What the analysis of one video gives: a result, or a failure as a value."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from headtrack.types.heads import BoxTrack, Heads
from headtrack.types.shots import Shots
from headtrack.types.tracks import EmbeddingBlocks, Tracklets, Tracks
from headtrack.types.video import Video


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result depends on besides the video's bytes.

    Attributes:
        settings_hash: of every setting that changes a video's result.
        models: one `name@sha256-prefix` per model used, sorted.
        version: of headtrack.
        detection_hash: of all on which the detector's heads depend, as far as it is part of the above; None
            where a version stored the result that did not know of it. It does not count in a comparison.
        tracklet_hash: the same of tracklets and their embeddings.
    """

    settings_hash: str
    models: tuple[str, ...]
    version: str
    detection_hash: str | None = field(compare=False)
    tracklet_hash: str | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class VideoResult:
    """All that was found in one video.

    Attributes:
        video: as probed.
        provenance: what the result depends on.
        frame_time_s: (F,) float64, time of every decoded frame; F is the true frame count.
        shots: covering 0..F.
        looked_at: (L,) int32 frames in which heads were looked for.
        heads: detected heads, sorted by frame; each in a frame of `looked_at`.
        tracklets: aligned with `heads`.
        colour: (T, B) float32 mean histogram of each tracklet's heads and their clothes, unit sum.
        boxes: boxes of every tracklet at every frame, detected and interpolated.
        embeddings: of the chosen crops.
        tracks: aligned with the tracklets.
        broken_at: the frame after which decoding failed; -1 where all was decoded.
        broken_reason: why; empty where all was decoded.
    """

    video: Video
    provenance: Provenance
    frame_time_s: npt.NDArray[np.float64]
    shots: Shots
    looked_at: npt.NDArray[np.int32]
    heads: Heads
    tracklets: Tracklets
    colour: npt.NDArray[np.float32]
    boxes: BoxTrack
    embeddings: EmbeddingBlocks
    tracks: Tracks
    broken_at: int = -1
    broken_reason: str = ""


@dataclass(frozen=True, slots=True)
class VideoFailure:
    """A video that gave nothing: returned, not raised.

    Attributes:
        path: as the user gave it, made absolute; or its URL.
        video_id: empty where the file could not even be read.
        step: probe, decode, detect, ...
        error: class name of the error.
        message: one line for the user.
    """

    path: str
    video_id: str
    step: str
    error: str
    message: str
