"""Imports decord without what it does to other libraries."""

from __future__ import annotations

import sys
from types import ModuleType


def import_decord() -> ModuleType:
    """Import decord, and keep it from loading every CUDA library of the `nvidia` packages for all to see.

    decord2 3.4 opens each of them with RTLD_GLOBAL, libnvblas too, which then answers the matrix
    products of a torch imported later and ends the process where no GPU or no CPU BLAS is configured
    ("[NVBLAS] CPU Blas library need to be provided"). It looks for them with
    `importlib.util.find_spec`, to which None in `sys.modules` means "not installed". We decode on the
    CPU, so nothing is missed.
    """
    held = sys.modules.get("nvidia")
    sys.modules["nvidia"] = None  # type: ignore[assignment]
    try:
        import decord
    finally:
        if held is None:
            del sys.modules["nvidia"]
        else:
            sys.modules["nvidia"] = held
    decord.logging.set_level(decord.logging.QUIET)
    return decord
