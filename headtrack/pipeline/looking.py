"""Heads of single frames, and all that is to be known of each once its pixels are gone."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from headtrack.pipeline.embed import HeldCrop, hold_crop
from headtrack.pipeline.growing import Look
from headtrack.pipeline.models import Models
from headtrack.settings import DetectSettings, Settings
from headtrack.types import FrameBatch, Heads
from headtrack.video.crops import (
    COLOUR_BINS,
    SHAPE_BINS,
    clothing_region,
    colour_histogram,
    head_region,
    head_shape,
)

HEAD_AND_CLOTHES_BINS = 2 * COLOUR_BINS
DESCRIPTOR_BINS = HEAD_AND_CLOTHES_BINS + SHAPE_BINS


def frames_due(time_s: npt.NDArray[np.float64], before_s: float, settings: DetectSettings) -> list[int]:
    """Pick the frames to look at: the first on or after each point of a grid in time.

    The grid starts at 0 and has `fps` points a second, whatever the batches; an `fps` of 0 takes
    every frame.

    Args:
        time_s: (N,) float64 of consecutive frames.
        before_s: of the frame before them; minus infinity where they are the first.
        settings: the `detect` section.

    >>> frames_due(np.array([0, 0.1, 0.2, 0.3, 0.5]), -math.inf, DetectSettings(fps=5))
    [0, 2, 4]
    """
    if settings.fps == 0:
        return list(range(len(time_s)))
    point = np.floor(time_s * settings.fps + 1e-6)
    before = math.floor(before_s * settings.fps + 1e-6) if math.isfinite(before_s) else -math.inf
    return np.flatnonzero(np.diff(point, prepend=before) > 0).tolist()


def look_at(batch: FrameBatch, models: Models, settings: Settings) -> list[Look[HeldCrop]]:
    """Detect the heads of frames and cut them out while the pixels are there.

    Args:
        batch: frames that are due, in order.
        models: of the run.
        settings: of the run.
    """
    if not len(batch):
        return []
    heads = models.detector.detect(batch)
    looks = []
    for rgb, frame, time_s in zip(batch.rgb, batch.frame, batch.time_s, strict=True):
        found = heads[heads.frame == frame]
        crops = [hold_crop(rgb, found, row, settings.embed) for row in range(len(found))]
        colour = np.array([_colours(rgb, found, row) for row in range(len(found))], np.float32)
        colour = colour.reshape(len(found), HEAD_AND_CLOTHES_BINS)
        outlines = np.array([head_shape(head_region(c.crop, c.xyxy)) for c in crops], np.float32)
        parts = [np.sqrt(colour), outlines.reshape(len(found), SHAPE_BINS)]  # each of unit length
        looks.append(
            Look(
                frame=int(frame),
                time_s=float(time_s),
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
