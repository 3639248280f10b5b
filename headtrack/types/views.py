"""The side from which a head is seen.

A view is stored as a small integer in arrays and as its name in the database.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

VIEW_NAMES: tuple[str, ...] = ("front", "threequarter", "profile", "rear")
FRONT, THREEQUARTER, PROFILE, REAR = range(4)

# |yaw| edges in degrees between the views. Source: the pose buckets of
# "Head Similarity" (arXiv 2605.07766): frontal < 30, oblique 30-60, profile 60-100.
VIEW_EDGES_DEG = (30.0, 60.0, 100.0)


def view_of_yaw(yaw_deg: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """Give the view for each known yaw.

    Args:
        yaw_deg: (N,) float, degrees, 0 looks into the camera; sign is ignored.

    Returns:
        (N,) int8 codes into `VIEW_NAMES`.

    >>> view_of_yaw(np.array([0, -45, 80, 170], np.float32)).tolist()
    [0, 1, 2, 3]
    """
    return np.digitize(np.abs(yaw_deg), VIEW_EDGES_DEG).astype(np.int8)


def view_names(view: Iterable[int]) -> list[str]:
    """Name each view code.

    >>> view_names([0, 3])
    ['front', 'rear']
    """
    return [VIEW_NAMES[int(code)] for code in view]
