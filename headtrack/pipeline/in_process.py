"""The worker of a run without a cluster: this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from pathlib import Path

from headtrack.errors import HeadtrackError
from headtrack.log import LOGGER
from headtrack.pipeline.kept import analyze_with_kept
from headtrack.pipeline.models import Models, load_models
from headtrack.pipeline.plan import Batch
from headtrack.pipeline.progress import Workers, WorkerState
from headtrack.settings import Settings
from headtrack.store.spool import write_parts
from headtrack.types import Video, VideoFailure, VideoResult


def worker_here(
    settings: Settings, on_seconds: Callable[[Video, float], None]
) -> Callable[[Iterable[Batch], Path], Generator[Path | VideoFailure | Workers, None, None]]:
    """Give a worker for `run_archive` that analyses one video after the other in this process.

    Args:
        settings: of the run.
        on_seconds: told how many seconds of a video are done, now and then.
    """

    def work(batches: Iterable[Batch], run_dir: Path) -> Generator[Path | VideoFailure | Workers, None, None]:
        here, models = WorkerState.here(), None
        for batch in batches:
            if models is None:
                yield (here,)
                models = load_models(settings)
            for video in batch.videos:
                here = replace(here, doing="analysing", path=video.path, since=time.time())
                yield (replace(here, start_s=0.0, stop_s=video.duration_s),)
                result = _analysed(video, models, settings, run_dir, on_seconds)
                if isinstance(result, VideoFailure):
                    yield result
                    continue
                here = replace(here, videos=here.videos + 1, seconds=here.seconds + video.duration_s)
                yield write_parts(run_dir, result)
            here = replace(here, doing="idle", path="", since=time.time())
            yield (here,)

    return work


def _analysed(
    video: Video,
    models: Models,
    settings: Settings,
    run_dir: Path,
    on_seconds: Callable[[Video, float], None],
) -> VideoResult | VideoFailure:
    try:
        return analyze_with_kept(
            video, models, settings, run_dir=run_dir, on_frames=lambda _, seconds: on_seconds(video, seconds)
        )
    except HeadtrackError:
        raise
    except Exception as error:  # a fault of ours that this video brought out: the run goes on
        LOGGER.debug("unexpected error in the analysis of %s", video.path, exc_info=error)
        message = f"unexpected error in the analysis: {error}"
        return VideoFailure(video.path, video.video_id, "analyze", type(error).__name__, message)
