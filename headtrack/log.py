"""Log lines and progress go to stderr; stdout is for data."""

from __future__ import annotations

import logging
import sys

LOGGER = logging.getLogger("headtrack")


def set_up_logging(verbose: bool) -> None:
    """Send the package's log to stderr: warnings, or with `verbose` everything."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    LOGGER.handlers[:] = [handler]
    LOGGER.setLevel(logging.DEBUG if verbose else logging.WARNING)
