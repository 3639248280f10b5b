"""One pass over a video's frames: heads, shots, tracklets and the embeddings of chosen crops.

Heads are known before the shots are: a look waits, with its crops, until the frames up to it have
been judged, then its heads are associated. What is held at once is one batch of frames, the looks
that wait, and a few crops a live tracklet; of all that went by, 0.1 kB a head and 1 kB a tracklet.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.pipeline.embed import embed_crops, hold_crop
from headtrack.pipeline.growing import Due, Growing, Look
from headtrack.pipeline.models import Models
from headtrack.pipeline.spill import Spill, SpilledEmbeddings
from headtrack.settings import DetectSettings, Settings
from headtrack.shots.cascade import ShotState, finish, push
from headtrack.tracking.associate import LiveTracklets
from headtrack.tracking.number import number_tracklets
from headtrack.types import FrameBatch, Heads, Shots, Tracklets, Video
from headtrack.video.crops import (
    COLOUR_BINS,
    SHAPE_BINS,
    clothing_region,
    colour_histogram,
    head_region,
    head_shape,
)
from headtrack.video.decode import decode
from headtrack.video.thumbnails import thumbnails

HEAD_AND_CLOTHES_BINS = 2 * COLOUR_BINS
JOIN_LOOKS = 256
EMBED_BATCH = 32  # crops embedded at once: enough to fill a GPU, few enough to hold


@dataclass(frozen=True, slots=True)
class Observation:
    """What the frames of one video gave.

    Attributes:
        frame_time_s: (F,) float64.
        shots: of the video.
        heads: (N,) detections.
        colour: (T, B) float32 mean histogram of each tracklet's heads and their clothes.
        looked_at: (L,) int32 frames in which heads were looked for.
        tracklets: aligned with the heads.
        embeddings: of the chosen crops.
        broken_at: frame after which decoding failed, -1 if it did not.
        broken_reason: why.
        switched: which other decoder went on and why; empty where one did it all.
    """

    frame_time_s: npt.NDArray[np.float64]
    shots: Shots
    heads: Heads
    colour: npt.NDArray[np.float32]
    looked_at: npt.NDArray[np.int32]
    tracklets: Tracklets
    embeddings: SpilledEmbeddings
    broken_at: int
    broken_reason: str
    switched: str


@dataclass(slots=True)
class _Pass:
    """What grows while the frames go by."""

    models: Models
    settings: Settings
    growing: Growing
    embedded: Spill
    time_s: list[npt.NDArray[np.float64]] = field(default_factory=list)
    heads: list[Heads] = field(default_factory=list)
    looked_at: list[int] = field(default_factory=list)
    waiting: deque[Look] = field(default_factory=deque)
    due: list[Due] = field(default_factory=list)
    switched: list[str] = field(default_factory=list)

    def associate(self, starts: npt.NDArray[np.int32], final_until: int) -> None:
        """Associate the looks whose shot is known: those before frame `final_until`."""
        while self.waiting and self.waiting[0].frame < final_until:
            look = self.waiting.popleft()
            shot = int(np.searchsorted(starts, look.frame, side="right"))
            self.due += self.growing.add(look, shot=shot)
            self.looked_at.append(look.frame)
            if len(look.heads):
                self.heads.append(look.heads)
        if len(self.heads) > JOIN_LOOKS:  # thousands of small arrays take far more than a few large ones
            self.heads = [Heads.join(self.heads)]
        self.embed(at_least=EMBED_BATCH)

    def embed(self, *, at_least: int) -> None:
        """Embed the crops that are due, in full batches as long as there are that many."""
        while self.due and len(self.due) >= at_least:
            batch, self.due = self.due[:EMBED_BATCH], self.due[EMBED_BATCH:]
            self.embedded.add(embed_crops(self.models, batch))


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
    state = ShotState.start()
    growing = Growing(settings, LiveTracklets.none(HEAD_AND_CLOTHES_BINS + SHAPE_BINS))
    done = _Pass(models, settings, growing, Spill(embed_crops(models, [])))
    frames, due_s, broken = 0, -math.inf, ""
    with closing(decode(video, settings.decode, on_switch=done.switched.append)) as batches:
        for batch in _until_broken(batches):
            if isinstance(batch, VideoError):
                broken = str(batch)
                break
            frames += len(batch)
            done.time_s.append(batch.time_s)
            picked, due_s = _frames_due(batch.time_s, due_s, settings.detect)
            new = _look(batch, picked, models, settings)
            done.waiting += new
            state = push(state, thumbnails(batch.rgb), models.shots, settings.shots)
            done.associate(state.starts, state.final_until)
            if on_frames is not None:
                on_frames(frames, float(batch.time_s[-1]))
    if not frames:
        raise VideoError(broken or f"{video.path} gave no frame; check that it plays")
    shots = finish(state, models.shots, settings.shots)
    done.associate(shots.start[1:], frames)
    done.due += done.growing.finish()
    done.embed(at_least=1)
    return _summed_up(done, shots, frames - 1 if broken else -1, broken)


def _until_broken(batches: Iterator[FrameBatch]) -> Iterator[FrameBatch | VideoError]:
    """Give the batches, and as the last item the error that ended them, if one did."""
    try:
        yield from batches
    except VideoError as error:
        yield error


def _frames_due(
    time_s: npt.NDArray[np.float64], due_s: float, settings: DetectSettings
) -> tuple[list[int], float]:
    """Pick the frames to look at: the first on or after each point of a grid in time.

    The grid starts at 0 and has `fps` points a second, whatever the batches; an `fps` of 0 takes
    every frame.
    """
    if settings.fps == 0:
        return list(range(len(time_s))), due_s
    picked = []
    for k, now_s in enumerate(time_s.tolist()):
        if now_s >= due_s - 1e-6:
            picked.append(k)
            due_s = (math.floor(now_s * settings.fps + 1e-6) + 1) / settings.fps
    return picked, due_s


def _look(batch: FrameBatch, picked: list[int], models: Models, settings: Settings) -> list[Look]:
    """Detect the heads of the picked frames and cut them out while the pixels are there."""
    if not picked:
        return []
    heads = models.detector.detect(FrameBatch(batch.rgb[picked], batch.frame[picked], batch.time_s[picked]))
    looks = []
    for k in picked:
        found = heads[heads.frame == batch.frame[k]]
        rgb = batch.rgb[k]
        crops = [hold_crop(rgb, found, row, settings.embed) for row in range(len(found))]
        colour = np.array([_colours(rgb, found, row) for row in range(len(found))], np.float32)
        colour = colour.reshape(len(found), HEAD_AND_CLOTHES_BINS)
        outlines = np.array([head_shape(head_region(c.crop, c.xyxy)) for c in crops], np.float32)
        parts = [np.sqrt(colour), outlines.reshape(len(found), SHAPE_BINS)]  # each of unit length
        looks.append(
            Look(
                frame=int(batch.frame[k]),
                time_s=float(batch.time_s[k]),
                frame_px=(rgb.shape[1], rgb.shape[0]),
                heads=found,
                crops=crops,
                colour=colour,
                descriptor=(np.concatenate(parts, axis=1) / np.sqrt(2)).astype(np.float32),
            )
        )
    return looks


def _colours(rgb: npt.NDArray[np.uint8], heads: Heads, row: int) -> npt.NDArray[np.float32]:
    """Count the colours of a head and of the clothes below it; unit sum over both."""
    chest = clothing_region(heads.xyxy[row], heads.body_xyxy[row])
    both = np.concatenate([colour_histogram(rgb, heads.xyxy[row]), colour_histogram(rgb, chest)])
    return (both / 2).astype(np.float32)


def _summed_up(done: _Pass, shots: Shots, broken_at: int, broken_reason: str) -> Observation:
    """Put the looks together, number the tracklets and keep the embeddings of those that stay."""
    heads = Heads.join(done.heads)
    raw = np.concatenate([np.zeros(0, np.int32), *done.growing.raw])
    looked_at = np.array(done.looked_at, np.int32)
    frame_time_s = np.concatenate(done.time_s)
    numbered = number_tracklets(
        heads,
        raw,
        shots=shots,
        looked_at=looked_at,
        look_time_s=frame_time_s[looked_at],
        settings=done.settings.track,
    )
    kept = np.flatnonzero(numbered.final >= 0)
    colour = np.empty((len(kept), HEAD_AND_CLOTHES_BINS), np.float32)
    for tracklet, hits in zip(kept.tolist(), np.bincount(raw, minlength=1)[kept].tolist(), strict=True):
        colour[numbered.final[tracklet]] = done.growing.colour[tracklet] / hits
    return Observation(
        frame_time_s=frame_time_s,
        shots=shots,
        heads=heads,
        colour=colour,
        looked_at=looked_at,
        tracklets=numbered.tracklets,
        embeddings=done.embedded.numbered(numbered.final),
        broken_at=broken_at,
        broken_reason=broken_reason,
        switched="; ".join(done.switched),
    )
