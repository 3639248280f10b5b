"""Which detector of heads a run takes: the built-in one, or a file of the user's."""

from __future__ import annotations

from headtrack.models.detector_file import DetectorFile, detector_file
from headtrack.models.evidence_finder import FACE_MODEL, POSE_MODEL
from headtrack.models.head_detector import BoxHeadDetector, PoseFaceDetector
from headtrack.models.python_detector import PythonDetector
from headtrack.models.registry import model_id
from headtrack.models.yolo_head import YoloHead
from headtrack.protocols import HeadDetector
from headtrack.settings import DetectSettings

BUILT_IN = (POSE_MODEL, FACE_MODEL)


def detector_models(settings: DetectSettings) -> tuple[str, ...]:
    """Name the models of the registry that finding heads takes; a Python file brings its own.

    Raises:
        SettingsError: the file's name does not end as a detector's does.
        ModelError: the file is missing or cannot be read.
    """
    file = detector_file(settings)
    return () if file is not None and file.is_python else BUILT_IN


def detector_ids(settings: DetectSettings) -> tuple[str, ...]:
    """Give what `model_ids` of the detector will be, without loading it.

    Raises:
        SettingsError: the file's name does not end as a detector's does.
        ModelError: the file is missing or cannot be read.
    """
    file = detector_file(settings)
    own = () if file is None else (file.model_id,)
    return *own, *(model_id(name) for name in detector_models(settings))


def load_detector(settings: DetectSettings, *, device: str, threads: int) -> HeadDetector:
    """Load the detector that the settings name.

    Args:
        settings: of detection.
        device: `cpu` or `cuda`.
        threads: CPU threads of networks that onnxruntime holds; torch has its own setting.

    Raises:
        SettingsError: the file's name does not end as a detector's does.
        ModelError: the detector cannot be loaded, or is none.
    """
    file = detector_file(settings)
    if file is None:
        return PoseFaceDetector(settings, device=device, threads=threads)
    if file.is_python:
        return PythonDetector(file, settings, device=device, threads=threads)
    boxes = _yolo_head(file, settings, device=device, threads=threads)
    return BoxHeadDetector(boxes, file.model_id, settings, device=device, threads=threads)


def try_detector(settings: DetectSettings, *, device: str, threads: int) -> None:
    """Load the user's file and drop it again, so that a broken one is told before any video is opened.

    Raises:
        SettingsError: the file's name does not end as a detector's does.
        ModelError: the detector cannot be loaded, or is none.
    """
    file = detector_file(settings)
    if file is None:
        return
    if file.is_python:
        PythonDetector(file, settings, device=device, threads=threads)
    else:
        _yolo_head(file, settings, device=device, threads=threads)


def _yolo_head(file: DetectorFile, settings: DetectSettings, *, device: str, threads: int) -> YoloHead:
    return YoloHead(
        file.path, image_px=settings.image_px, min_score=settings.min_score, device=device, threads=threads
    )
