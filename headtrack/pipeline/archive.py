"""The main job over an archive: analyse what is new, commit it, cluster everybody.

Workers write Parquet parts; this process alone writes the database, one transaction a video.
What is interrupted is taken up again: finished parts of an earlier run are committed first, and
videos already in the database with the same content, settings and models are skipped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from headtrack import __version__
from headtrack.errors import VideoError
from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.ids import name_people
from headtrack.log import LOGGER
from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.models import Models
from headtrack.pipeline.progress import RunProgress, to_journal
from headtrack.settings import Settings, video_settings_hash
from headtrack.types import Provenance, Video, VideoFailure
from headtrack.video.probe import probe

Worker = Callable[[list[Video], Path], Iterator[Path | VideoFailure]]
