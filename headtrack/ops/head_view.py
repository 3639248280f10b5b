"""Which way a head looks, from keypoints or from a face's landmarks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headtrack.ops.head_geometry import PoseGeometry

Floats = npt.NDArray[np.floating]

# A head counts as seen from behind where no eye is seen and the left ear lies left of the right
# one. Both turn over softly, so that a box does not jump between two frames.
REAR_EYE = 0.45  # confidence of the better eye
REAR_EYE_SCALE = 0.04
REAR_YAW_DEG = 90.0
REAR_YAW_SCALE_DEG = 8.0
# A mean adult face in mm: right, down, away from the camera; eyes, nose tip, mouth corners.
# Source: means of Farkas, "Anthropometry of the Head and Face" (1994): pupils 62 mm apart, mouth
# 50 mm wide, eyes to mouth 66 mm, nose tip 24 mm in front of the eyes and of the mouth.
MEAN_FACE_MM = np.array(
    [[-31.0, -33.0, 8.0], [31.0, -33.0, 8.0], [0.0, 0.0, -18.0], [-25.0, 33.0, 5.0], [25.0, 33.0, 5.0]]
)
LOOK = np.array([0.0, 0.0, -1.0])  # of that face, towards the camera


def pose_yaw_deg(geometry: PoseGeometry) -> Floats:
    """Give yaw by where the nose stands between the ears.

    On a round head turned by yaw the nose leaves the middle of the ears by r sin(yaw), and each
    ear lies r cos(yaw) from it.

    Returns:
        (N,) degrees in -180..180, positive turns to the image's right.
    """
    return np.degrees(np.arctan2(geometry.turn_px, geometry.ear_span_px / 2))


def rearness(geometry: PoseGeometry) -> Floats:
    """Give how surely each head is seen from behind, as (N,) in 0..1."""
    no_eye = _step((REAR_EYE - geometry.eye) / REAR_EYE_SCALE)
    away = _step((np.abs(pose_yaw_deg(geometry)) - REAR_YAW_DEG) / REAR_YAW_SCALE_DEG)
    return no_eye * away


def face_yaw_deg(landmarks: Floats) -> Floats:
    """Give yaw of faces by fitting a mean face under scaled orthographic projection.

    Source: the first iteration of DeMenthon and Davis, "Model-Based Object Pose in 25 Lines of
    Code", IJCV 1995.

    Args:
        landmarks: (N, 5, 2) px, ordered as in `Heads.landmarks`.

    Returns:
        (N,) degrees in -180..180, positive turns to the image's right; NaN where landmarks are.

    >>> frontal = MEAN_FACE_MM[None, :, :2]
    >>> face_yaw_deg(frontal).tolist()
    [0.0]
    """
    model = MEAN_FACE_MM - MEAN_FACE_MM.mean(axis=0)
    points = landmarks.astype(np.float64)
    points = points - points.mean(axis=1, keepdims=True)
    rows = np.einsum("ij,njd->ndi", np.linalg.pinv(model), points)  # (N, 2, 3) scaled axes of the image
    length = np.linalg.norm(rows, axis=2, keepdims=True)
    right, down = np.moveaxis(rows / np.maximum(length, 1e-9), 1, 0)
    away = np.cross(right, down)
    return np.degrees(np.arctan2(right @ LOOK, -(away @ LOOK)))


def _step(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(x, -50, 50)))
