"""Where networks run."""

from __future__ import annotations

import torch

from headtrack.errors import ModelError


def torch_device(wanted: str) -> str:
    """Turn `run.device` into a torch device.

    Raises:
        ModelError: a GPU is wanted and there is none.
    """
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and not torch.cuda.is_available():
        raise ModelError("run.device is cuda, but torch finds no CUDA device; set run.device=cpu or auto")
    return wanted
