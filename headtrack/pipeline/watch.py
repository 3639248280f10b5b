"""Looks at the frames of one batch while the heads of the batch before are gathered."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from headtrack.errors import VideoError
from headtrack.models.threads import start_thread, thread_count
from headtrack.pipeline.embed import HeldCrop
from headtrack.pipeline.growing import Look
from headtrack.pipeline.looking import frames_due, look_at
from headtrack.pipeline.models import Models
from headtrack.settings import Settings
from headtrack.types import FrameBatch
from headtrack.video.thumbnails import thumbnails

Looks = list[Look[HeldCrop]]


@dataclass(frozen=True, slots=True)
class Watched:
    """Consecutive frames without their pixels.

    Attributes:
        time_s: (N,) float64 of the frames.
        thumbnails: (N, 27, 48, 3) uint8 of the frames.
        looks: at those that were looked at.
    """

    time_s: npt.NDArray[np.float64]
    thumbnails: npt.NDArray[np.uint8]
    looks: Looks


def watch(
    batches: Iterator[FrameBatch], before_s: float, models: Models, settings: Settings
) -> Generator[Watched, None, None]:
    """Look at the frames that are due; with several threads, one batch ahead of what is yielded.

    Args:
        batches: as `decode` gives them; of two batches at most the frames looked at are held.
        before_s: time of the frame before the first; minus infinity where there is none.
        models: of the run.
        settings: of the run.

    Raises:
        VideoError: as the batches raise it, once all that came before is yielded.
    """
    before: Callable[[], Watched] | None = None
    broken: VideoError | None = None
    with _second_thread(settings) as start:
        for batch in _until_broken(batches):
            if isinstance(batch, VideoError):
                broken = batch
                break
            picked = frames_due(batch.time_s, before_s, settings.detect)
            before_s = float(batch.time_s[-1])
            # Of the looked at a copy: the pixels are gone when the next batch is asked for.
            due = FrameBatch(batch.rgb[picked], batch.frame[picked], batch.time_s[picked])
            begun = start(due, models, settings)
            small, time_s = thumbnails(batch.rgb), batch.time_s
            if before is not None:
                yield before()
            before = partial(_watched, time_s, small, begun)
        if before is not None:
            yield before()
    if broken is not None:
        raise broken


def _watched(
    time_s: npt.NDArray[np.float64], small: npt.NDArray[np.uint8], looks: Callable[[], Looks]
) -> Watched:
    return Watched(time_s, small, looks())


def _until_broken(batches: Iterator[FrameBatch]) -> Iterator[FrameBatch | VideoError]:
    """Give the batches, and as the last item the error that ended them, if one did."""
    try:
        yield from batches
    except VideoError as error:
        yield error


@contextmanager
def _second_thread(
    settings: Settings,
) -> Iterator[Callable[[FrameBatch, Models, Settings], Callable[[], Looks]]]:
    """Give what begins a look and returns how to wait for it; with one thread to use it is done at once."""
    if thread_count(settings.run.threads) == 1:

        def now(batch: FrameBatch, models: Models, settings: Settings) -> Callable[[], Looks]:
            looks = look_at(batch, models, settings)
            return lambda: looks

        yield now
        return
    with ThreadPoolExecutor(1, "look", start_thread) as pool:
        try:
            yield lambda batch, models, settings: pool.submit(look_at, batch, models, settings).result
        finally:
            pool.shutdown(cancel_futures=True)
