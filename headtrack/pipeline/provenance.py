"""What the result of a video depends on: as a whole, up to the detector, and up to the links."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from headtrack import __version__
from headtrack.models.detectors import detector_ids
from headtrack.pipeline.models import model_ids
from headtrack.settings import DETECTION_SECTIONS, TRACKLET_SECTIONS, Settings, video_settings_hash
from headtrack.types import Provenance


def provenance(settings: Settings, *, models: Sequence[str], detector: Sequence[str]) -> Provenance:
    """Say what a result depends on.

    Args:
        settings: all sections.
        models: ids of all models, sorted.
        detector: of these, those of the detector, in any order.
    """
    return Provenance(
        settings_hash=video_settings_hash(settings),
        models=tuple(models),
        version=__version__,
        detection_hash=_hash(settings, DETECTION_SECTIONS, detector),
        tracklet_hash=_hash(settings, TRACKLET_SECTIONS, models),
    )


def _hash(settings: Settings, sections: tuple[str, ...], models: Sequence[str]) -> str:
    parts = [video_settings_hash(settings, sections=sections), *sorted(models), __version__]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def expected_provenance(settings: Settings) -> Provenance:
    """Say what results of a run with these settings will depend on, without loading a model."""
    return provenance(settings, models=model_ids(settings), detector=detector_ids(settings.detect))
