"""Where only what comes after the detector changed, its heads are taken from the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from headtrack.errors import StoreError
from headtrack.log import LOGGER
from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.commit import COMMIT_WAIT_S
from headtrack.pipeline.models import Models
from headtrack.settings import Settings
from headtrack.store.database import open_writer
from headtrack.store.kept import drop_kept, keep_detections, read_kept
from headtrack.types import Detections, FrameBatch, Heads, Provenance, Video, VideoFailure, VideoResult


class KeptError(StoreError):
    """What was kept is of other frames than those decoded now: the detector has to run."""


class KeptDetector:
    """Gives the heads that the detector found in an earlier run, by number of frame.

    Args:
        kept: of the video whose frames it will be shown.
        model_ids: of the detector that found them.
    """

    def __init__(self, kept: Detections, model_ids: tuple[str, ...]) -> None:
        self.kept = kept
        self._model_ids = model_ids

    @property
    def model_ids(self) -> tuple[str, ...]:
        """One `name@sha256-prefix` per model of the detector that found the heads."""
        return self._model_ids

    def detect(self, batch: FrameBatch) -> Heads:
        """Give the heads of the batch's frames, as they were found.

        Raises:
            KeptError: a frame was not looked at then.
        """
        there = np.isin(batch.frame, self.kept.looked_at)
        if not there.all():
            frame = batch.frame[~there][0]
            raise KeptError(f"frame {frame} was not looked at in an earlier run; the detector has to run")
        heads = self.kept.heads
        starts, stops = (np.searchsorted(heads.frame, batch.frame, side=side) for side in ("left", "right"))
        return Heads.join([heads[start:stop] for start, stop in zip(starts, stops, strict=True)])


def keep_heads(
    db: Path, run_dir: Path, videos: Sequence[Video], *, done: Mapping[str, Provenance], now: Provenance
) -> None:
    """Write the heads of videos that the detector need not see again into the run folder.

    Args:
        db: the DuckDB file.
        run_dir: folder of the run.
        videos: to be analysed.
        done: what stored videos depend on, as far as they may be taken over.
        now: what their results will depend on.
    """
    hash_now = now.detection_hash
    known = [v for v in videos if v.video_id in done and done[v.video_id].detection_hash == hash_now]
    if hash_now is None or not known:
        return
    with open_writer(db, wait_s=COMMIT_WAIT_S) as con:
        for video in known:
            keep_detections(con, run_dir, video, hash_now)


def with_kept_heads(models: Models, run_dir: Path, video_id: str) -> Models:
    """Put kept heads in the place of the detector, where the run folder has them of this video.

    Raises:
        StoreError: the file of kept heads is damaged.
    """
    kept = read_kept(run_dir, video_id)
    return models if kept is None else replace(models, detector=KeptDetector(kept, models.detector.model_ids))


def was_decoded_alike(video: Video, result: VideoResult, models: Models) -> bool:
    """Say whether all kept heads, if there were any, are of frames that were decoded as they were then.

    Args:
        video: as probed.
        result: of its analysis.
        models: with which it was analysed.
    """
    if not isinstance(models.detector, KeptDetector):
        return True
    looked_at = np.array_equal(result.looked_at, models.detector.kept.looked_at)
    return looked_at and result.video.decoder_reason == video.decoder_reason


def analyze_with_kept(
    video: Video,
    models: Models,
    settings: Settings,
    *,
    run_dir: Path,
    on_frames: Callable[[int, float], None] | None = None,
) -> VideoResult | VideoFailure:
    """Do what `analyze_video` does, without the detector where the run folder has its heads.

    Where they turn out to be of other frames, they are dropped and the video is analysed wholly.

    Args:
        video: as probed.
        models: loaded once a worker.
        settings: of the run.
        run_dir: folder of the run.
        on_frames: as in `analyze_video`; begins anew where the heads are dropped.

    Raises:
        ModelError: a model fails to load or run.
        StoreError: the folder for temporary files is full, or the file of kept heads is damaged.
    """
    used = with_kept_heads(models, run_dir, video.video_id)
    try:
        result = analyze_video(video, used, settings, on_frames=on_frames)
    except KeptError as error:
        LOGGER.warning("%s is analysed wholly: %s", video.path, error)
    else:
        if isinstance(result, VideoFailure) or was_decoded_alike(video, result, used):
            return result
        LOGGER.warning("%s is analysed wholly: it was decoded otherwise in an earlier run", video.path)
    drop_kept(run_dir, video.video_id)
    return analyze_video(video, models, settings, on_frames=on_frames)
