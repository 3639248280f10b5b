"""What the result of a video depends on, as a whole and up to the detector."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from headtrack import __version__
from headtrack.models.detectors import detector_ids
from headtrack.pipeline.models import model_ids
from headtrack.settings import DETECTION_SECTIONS, Settings, video_settings_hash
from headtrack.types import Provenance


def provenance(settings: Settings, *, models: Sequence[str], detector: Sequence[str]) -> Provenance:
    """Say what a result depends on.

    Args:
        settings: all sections.
        models: ids of all models, sorted.
        detector: of these, those of the detector, in any order.
    """
    detection = [video_settings_hash(settings, sections=DETECTION_SECTIONS), *sorted(detector), __version__]
    return Provenance(
        settings_hash=video_settings_hash(settings),
        models=tuple(models),
        version=__version__,
        detection_hash=hashlib.sha256(json.dumps(detection).encode()).hexdigest()[:16],
    )


def expected_provenance(settings: Settings) -> Provenance:
    """Say what results of a run with these settings will depend on, without loading a model."""
    return provenance(settings, models=model_ids(settings), detector=detector_ids(settings.detect))
