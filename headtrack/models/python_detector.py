"""A detector that a user wrote: one Python file with one function.

The file holds `make_detector(settings, *, device, threads)`, which gives any object that keeps
`headtrack.protocols.HeadDetector`; docs/detectors.md has one that runs.
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from types import ModuleType
from typing import Any

import numpy as np

from headtrack.errors import HeadtrackError, ModelError
from headtrack.models.detector_file import DetectorFile
from headtrack.protocols import HeadDetector
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, Heads

FACTORY = "make_detector"
SIGNATURE = f"{FACTORY}(settings, *, device, threads)"


class PythonDetector:
    """The user's detector, with its answers checked against the protocol.

    The file's SHA-256 stands for the whole of it in the database, so that what a run would do is
    known without making the detector; its own `model_ids` are for its author.
    """

    def __init__(self, file: DetectorFile, settings: DetectSettings, *, device: str, threads: int) -> None:
        """Read the file and make its detector.

        Args:
            file: a Python file.
            settings: given to its function.
            device: `cpu` or `cuda`, given to its function.
            threads: CPU threads it may use, given to its function.

        Raises:
            ModelError: the file breaks, lacks the function, or gives something else than a detector.
        """
        self._file = file
        make: Any = getattr(_read_module(file), FACTORY, None)
        if not callable(make):
            raise ModelError(
                f"detector {file.path} has no function {SIGNATURE}; add it, see docs/detectors.md"
            )
        try:
            made = make(settings, device=device, threads=threads)
        except HeadtrackError:
            raise
        except (Exception, SystemExit) as error:  # whatever the user's code raises
            raise ModelError(
                f"{SIGNATURE} of detector {file.path} failed: {type(error).__name__}: {error}; mend the file"
            ) from error
        if not isinstance(made, HeadDetector) or not callable(made.detect):
            raise ModelError(
                f"{FACTORY} of detector {file.path} gave a {type(made).__name__}; it must give an object "
                "with `model_ids` and `detect(batch)`, see docs/detectors.md"
            )
        self._detector = made

    @property
    def model_ids(self) -> tuple[str, ...]:
        """The file's `name@sha256-prefix`."""
        return (self._file.model_id,)

    def detect(self, batch: FrameBatch) -> Heads:
        """Give the heads of the batch's frames, sorted by frame, then left edge.

        Raises:
            ModelError: the user's detector failed or gave something else.
        """
        try:
            heads = self._detector.detect(batch)
        except HeadtrackError:
            raise
        except (Exception, SystemExit) as error:  # whatever the user's code raises
            raise ModelError(
                f"`detect` of detector {self._file.path} failed{_place(error, self._file)}: "
                f"{type(error).__name__}: {error}; mend the file"
            ) from error
        wrong = _what_is_wrong(heads, batch)
        if wrong:
            raise ModelError(f"`detect` of detector {self._file.path} {wrong}; see docs/detectors.md")
        return heads


def _what_is_wrong(heads: object, batch: FrameBatch) -> str:
    """Say how an answer breaks the protocol; nothing where it keeps it."""
    if not isinstance(heads, Heads):
        return f"gave a {type(heads).__name__}, not headtrack.types.Heads"
    strange = np.setdiff1d(heads.frame, batch.frame)
    if len(strange):
        return f"gave heads of frame {strange[0]}, which is not in batch.frame"
    if not np.isfinite(heads.xyxy).all():
        return "gave a box that is not finite"
    if not ((heads.score >= 0) & (heads.score <= 1)).all():
        return "gave a score that is not within 0 to 1"
    if not (heads.xyxy[:, :2] < heads.xyxy[:, 2:]).all():
        return "gave a box without width or height; boxes are x1, y1, x2, y2"
    height, width = batch.rgb.shape[1:3]
    if len(heads) and (heads.xyxy.min() < -1 or (heads.xyxy[:, 2:] > np.array([width, height]) + 1).any()):
        return f"gave a box that leaves the frame of {width} x {height}; cut it at the edges"
    order = np.lexsort((heads.xyxy[:, 0], heads.frame))
    if not np.array_equal(heads.frame[order], heads.frame) or not np.array_equal(
        heads.xyxy[order, 0], heads.xyxy[:, 0]
    ):
        return "gave heads that are not sorted by frame, then left edge"
    return ""


def _place(error: BaseException, file: DetectorFile) -> str:
    """Give the last line of the user's file that an error came through."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file.path)
    ]
    return f" in line {lines[-1]}" if lines else ""


def _read_module(file: DetectorFile) -> ModuleType:
    name = f"headtrack_detector_{file.sha256[:12]}"
    spec = importlib.util.spec_from_file_location(name, file.path)
    if spec is None or spec.loader is None:
        raise ModelError(f"detector {file.path} cannot be read as a Python file; give it the suffix .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its dataclasses look themselves up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the user's code raises
        del sys.modules[name]
        raise ModelError(
            f"detector {file.path} cannot be imported: {type(error).__name__}: {error}; mend the file"
        ) from error
    return module
