"""Stand-ins for the Ray actor that fail in ways a real one cannot be made to; see `test_ray`."""

from __future__ import annotations

import os
import time
from pathlib import Path

from headtrack import __version__
from headtrack.cluster.observer import Ready
from headtrack.cluster.placement import Placement
from headtrack.errors import ModelError
from headtrack.settings import Settings
from headtrack.types import Video, VideoFailure


class Scripted:
    """Does what a video's path says: `die`, `break`, `hang`, `model`; else gives a part's folder."""

    def __init__(self, settings: Settings, run_dir: Path, placement: Placement) -> None:
        self.run_dir = run_dir

    def prepare(self) -> Ready:
        return Ready(__version__, "here", os.getpid())

    def analyze(self, video: Video) -> Path | VideoFailure:
        note = self.run_dir / f"{video.video_id}.{os.getpid()}"
        note.touch()
        if "die" in video.path:
            os._exit(9)
        if "once" in video.path and len(list(self.run_dir.glob(f"{video.video_id}.*"))) == 1:
            os._exit(9)
        if "break" in video.path:
            raise ZeroDivisionError("division by zero\nin line two")
        if "model" in video.path:
            raise ModelError("the model is altered; pull it again")
        if "hang" in video.path:
            time.sleep(600)
        return self.run_dir / "parts" / video.video_id


class DiesAtStart(Scripted):
    """Dies before it is ready."""

    def prepare(self) -> Ready:
        os._exit(9)


class LacksModel(Scripted):
    """Cannot get its models."""

    def prepare(self) -> Ready:
        raise ModelError("no model; run `headtrack models pull`")


class OtherVersion(Scripted):
    """Lives on a node with another headtrack."""

    def prepare(self) -> Ready:
        return Ready("0.0.0", "here", os.getpid())
