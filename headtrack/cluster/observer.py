"""The Ray actor: loads the models once, then watches one video, or span of one, after another."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace
from pathlib import Path

from headtrack import __version__
from headtrack.cluster.placement import Placement, threads_of
from headtrack.errors import HeadtrackError, VideoError
from headtrack.pipeline.analyze import stitch_video
from headtrack.pipeline.kept import KeptError, analyze_with_kept, was_decoded_alike, with_kept_heads
from headtrack.pipeline.models import Models, load_models
from headtrack.pipeline.span import observe_span
from headtrack.pipeline.stitch import SeamError
from headtrack.settings import Settings
from headtrack.store.kept import drop_kept
from headtrack.store.span_spool import read_spans, remove_spans, write_span
from headtrack.store.spool import write_parts
from headtrack.types import Span, Video, VideoFailure


@dataclass(frozen=True, slots=True)
class Ready:
    """What an actor says of itself when it has its models.

    Attributes:
        version: of headtrack on its node.
        node: name of its machine.
        pid: number of its process there.
    """

    version: str
    node: str
    pid: int


class Observer:
    """Analyses videos in one process of a cluster; frames never leave it.

    Args:
        settings: of the run.
        run_dir: folder of the run, on a disk that every node sees.
        placement: its share of the node.
    """

    def __init__(self, settings: Settings, run_dir: Path, placement: Placement) -> None:
        # Ray gives an actor one CPU thread unless told otherwise.
        threads = threads_of(settings.run, placement)
        self._settings = replace(settings, run=replace(settings.run, threads=threads))
        self._run_dir = run_dir

    def prepare(self) -> Ready:
        """Load the models.

        Raises:
            ModelError: a model cannot be had.
            HeadtrackError: this node does not see the run folder.
        """
        if not self._run_dir.is_dir():
            raise HeadtrackError(
                f"a worker does not see the run folder {self._run_dir}; keep the database and the videos "
                "on a disk that every node mounts at the same path"
            )
        self._models: Models = load_models(self._settings)
        return Ready(__version__, platform.node(), os.getpid())

    def analyze(self, video: Video) -> Path | VideoFailure:
        """Analyse one video and write its part; give the part's folder, or why there is none.

        To be called after `prepare`.
        """
        result = analyze_with_kept(video, self._models, self._settings, run_dir=self._run_dir)
        return result if isinstance(result, VideoFailure) else write_parts(self._run_dir, result)

    def observe_span(self, video: Video, span: Span) -> Path | VideoFailure:
        """Watch a part of a video; give its file, or why the video is to be watched as a whole."""
        try:
            models = with_kept_heads(self._models, self._run_dir, video.video_id)
            seen = observe_span(video, span, models, self._settings)
        except (VideoError, KeptError) as error:
            return VideoFailure(video.path, video.video_id, "decode", type(error).__name__, str(error))
        return write_span(self._run_dir, video.video_id, seen)

    def stitch(self, video: Video) -> Path | None:
        """Put the watched spans of a video together; give its part, None where they do not fit."""
        models = with_kept_heads(self._models, self._run_dir, video.video_id)
        try:
            result = stitch_video(video, read_spans(self._run_dir, video.video_id), models, self._settings)
        except SeamError:
            return None
        if not was_decoded_alike(video, result, models):
            drop_kept(self._run_dir, video.video_id)
            return None
        part = write_parts(self._run_dir, result)
        remove_spans(self._run_dir, video.video_id)
        return part
