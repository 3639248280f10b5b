"""The user's own detector of heads, as a file: checked and named without loading it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from headtrack.errors import ModelError, SettingsError
from headtrack.settings import DetectSettings, Settings

NETWORK_SUFFIXES = (".pt", ".onnx", ".engine")
PYTHON_SUFFIX = ".py"


@dataclass(frozen=True, slots=True)
class DetectorFile:
    """A file that finds heads.

    Attributes:
        path: of the file, absolute.
        sha256: of its content.
    """

    path: Path
    sha256: str

    @property
    def model_id(self) -> str:
        """Its name together with the first 12 hex digits of its SHA-256, as for other models."""
        return f"{self.path.stem}@{self.sha256[:12]}"

    @property
    def is_python(self) -> bool:
        """It is a Python file, not a network."""
        return self.path.suffix.lower() == PYTHON_SUFFIX


def detector_file(settings: DetectSettings) -> DetectorFile | None:
    """Give the file that `detect.detector` names; None where heads are found by the built-in networks.

    Raises:
        SettingsError: the name does not end as a detector's does.
        ModelError: the file is missing or cannot be read.
    """
    if not settings.detector:
        return None
    path = Path(settings.detector).expanduser().absolute()
    if path.suffix.lower() not in (*NETWORK_SUFFIXES, PYTHON_SUFFIX):
        raise SettingsError(
            f"detect.detector is {settings.detector!r}; give an ultralytics model file "
            f"({', '.join(NETWORK_SUFFIXES)}) or a Python file (.py) that makes a detector"
        )
    try:
        with path.open("rb") as file:
            return DetectorFile(path, hashlib.file_digest(file, "sha256").hexdigest())
    except FileNotFoundError as error:
        raise ModelError(
            f"detector {path} does not exist; give --detector (detect.detector) an existing file, which "
            "every machine of a cluster must find at the same path"
        ) from error
    except OSError as error:
        raise ModelError(f"detector {path} cannot be read: {error.strerror}; give a readable file") from error


def with_absolute_detector(settings: Settings) -> Settings:
    """Give the settings with `detect.detector` as an absolute path, for processes that work elsewhere.

    >>> with_absolute_detector(Settings()) == Settings()
    True
    """
    if not settings.detect.detector:
        return settings
    path = str(Path(settings.detect.detector).expanduser().absolute())
    return replace(settings, detect=replace(settings.detect, detector=path))
