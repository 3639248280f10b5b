"""Brings ultralytics in, and keeps its side effects out."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch


def import_ultralytics() -> Any:
    """Give the module, imported without network, without a word on stdout, and without its side effects.

    It would write settings to the user's home, set OMP_NUM_THREADS for our child processes and
    change how numpy prints.
    """
    os.environ.setdefault("YOLO_CONFIG_DIR", str(Path(tempfile.gettempdir()) / f"headtrack-{os.getuid()}"))
    os.environ["YOLO_AUTOINSTALL"] = "false"
    os.environ["YOLO_OFFLINE"] = "true"
    os.environ["YOLO_VERBOSE"] = "false"
    threads, printing, cv2_threads = (
        os.environ.get("OMP_NUM_THREADS"),
        np.get_printoptions(),
        cv2.getNumThreads(),
    )
    with contextlib.redirect_stdout(sys.stderr):
        import ultralytics

        _ = ultralytics.YOLO  # it imports its parts at the first look
    np.set_printoptions(**printing)
    torch.set_printoptions(profile="default")
    cv2.setNumThreads(cv2_threads)
    if threads is None:
        os.environ.pop("OMP_NUM_THREADS", None)
    return ultralytics


def read_network(path: Path) -> Any:
    """Read the torch network out of an ultralytics `.pt` file; its words go to stderr.

    Raises:
        Exception: of many kinds, each of which means that the file is no such model.
    """
    yolo = import_ultralytics().YOLO
    with contextlib.redirect_stdout(sys.stderr):
        return yolo(str(path)).model
