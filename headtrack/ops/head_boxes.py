"""Head boxes from keypoints or from a face: small linear fits on scale-free measurements.

A head's height comes first (log-linear in a few lengths), then the box around the anchor in
units of that height. The numbers are in `headtrack.ops.head_fits`, made by
`benchmarks/fit_head_box.py`; hair or hat top to chin, from behind to the nape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.ops.boxes import areas, clip_boxes
from headtrack.ops.head_geometry import MIN_LENGTH_PX, PoseGeometry, believed_top

Floats = npt.NDArray[np.floating]
MIN_WIDTH = 0.3  # of a head, in shares of its height
LEFT_EYE, RIGHT_EYE, NOSE, LEFT_MOUTH, RIGHT_MOUTH = range(5)  # of a face, as seen in the image


@dataclass(frozen=True, slots=True)
class PoseFit:
    """Coefficients that turn keypoints into head boxes.

    Attributes:
        rough: of `rough_terms`: log height without the person's box.
        height: of `height_terms`: log height, the unit of the others.
        up: of `pose_terms`: from the anchor up to the head's top.
        down: of `pose_terms`: from the anchor down to the chin or nape.
        width: of `pose_terms`.
        shift: of `shift_terms`: from the anchor to the right, to the box's middle.
    """

    rough: tuple[float, ...]
    height: tuple[float, ...]
    up: tuple[float, ...]
    down: tuple[float, ...]
    width: tuple[float, ...]
    shift: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FaceFit:
    """Coefficients that turn a face's box and landmarks into a head box, in face heights.

    Attributes:
        up: of `face_terms`: from the face's top up to the head's top.
        down: of `face_terms`: from the face's bottom down to the chin.
        width: of `face_terms`.
        shift: of `face_shift_terms`: from the face's middle to the right, to the box's middle.
    """

    up: tuple[float, ...]
    down: tuple[float, ...]
    width: tuple[float, ...]
    shift: tuple[float, ...]


def rough_terms(geometry: PoseGeometry) -> Floats:
    """Give (N, 3) terms of the log height that need no person box."""
    return np.stack([np.ones_like(geometry.neck), np.log(geometry.spread), np.log(geometry.neck)], axis=1)


def height_terms(geometry: PoseGeometry, top_px: Floats) -> Floats:
    """Give (N, 4) terms of the log height."""
    return np.concatenate([rough_terms(geometry), np.log(top_px)[:, None]], axis=1)


def pose_terms(geometry: PoseGeometry, top_px: Floats, unit_px: Floats) -> Floats:
    """Give (N, 6) terms, alike under mirroring, in units of the head's height."""
    return np.stack(
        [
            np.ones_like(unit_px),
            top_px / unit_px,
            geometry.neck / unit_px,
            geometry.spread / unit_px,
            np.abs(geometry.turn_px) / unit_px,
            geometry.nod_px / unit_px,
        ],
        axis=1,
    )


def shift_terms(geometry: PoseGeometry, unit_px: Floats) -> Floats:
    """Give (N, 2) terms that change sign under mirroring, in units of the head's height."""
    return np.stack([geometry.turn_px / unit_px, geometry.lean_px / unit_px], axis=1)


def pose_heads(geometry: PoseGeometry, fit: PoseFit) -> Floats:
    """Give the head box of each person, not cut at the frame's edges.

    Args:
        geometry: of N people.
        fit: coefficients for heads of one kind.

    Returns:
        (N, 4) float64 px.
    """
    rough_px = np.exp(rough_terms(geometry) @ np.array(fit.rough))
    top_px = believed_top(geometry, rough_px)
    unit_px = np.exp(height_terms(geometry, top_px) @ np.array(fit.height))
    terms = pose_terms(geometry, top_px, unit_px)
    x = geometry.anchor[:, 0] + unit_px * (shift_terms(geometry, unit_px) @ np.array(fit.shift))
    half = unit_px * np.maximum(terms @ np.array(fit.width), MIN_WIDTH) / 2
    y1 = geometry.anchor[:, 1] - unit_px * (terms @ np.array(fit.up))
    y2 = geometry.anchor[:, 1] + unit_px * (terms @ np.array(fit.down))
    return np.stack([x - half, y1, x + half, y2], axis=1)


def face_terms(face_xyxy: Floats, landmarks: Floats) -> Floats:
    """Give (N, 4) terms, alike under mirroring, in units of the face's height.

    Args:
        face_xyxy: (N, 4) px.
        landmarks: (N, 5, 2) px, ordered as in `Heads.landmarks`.
    """
    unit_px = np.maximum(face_xyxy[:, 3] - face_xyxy[:, 1], MIN_LENGTH_PX)
    return np.stack(
        [
            np.ones_like(unit_px),
            (face_xyxy[:, 2] - face_xyxy[:, 0]) / unit_px,
            np.abs(face_turn(face_xyxy, landmarks)),
            (landmarks[:, NOSE, 1] - landmarks[:, :2, 1].mean(axis=1)) / unit_px,
        ],
        axis=1,
    )


def face_turn(face_xyxy: Floats, landmarks: Floats) -> Floats:
    """Give how far the nose lies right of the middle of eyes and mouth, in face heights, as (N,)."""
    unit_px = np.maximum(face_xyxy[:, 3] - face_xyxy[:, 1], MIN_LENGTH_PX)
    middle = landmarks[:, [LEFT_EYE, RIGHT_EYE, LEFT_MOUTH, RIGHT_MOUTH], 0].mean(axis=1)
    return (landmarks[:, NOSE, 0] - middle) / unit_px


def face_shift_terms(face_xyxy: Floats, landmarks: Floats) -> Floats:
    """Give (N, 1) terms that change sign under mirroring."""
    return face_turn(face_xyxy, landmarks)[:, None]


def face_heads(face_xyxy: Floats, landmarks: Floats, fit: FaceFit) -> Floats:
    """Give the head box around each face, not cut at the frame's edges.

    Args:
        face_xyxy: (N, 4) px.
        landmarks: (N, 5, 2) px, ordered as in `Heads.landmarks`.
        fit: coefficients.

    Returns:
        (N, 4) float64 px.
    """
    face_xyxy, landmarks = face_xyxy.astype(np.float64), landmarks.astype(np.float64)
    unit_px = np.maximum(face_xyxy[:, 3] - face_xyxy[:, 1], MIN_LENGTH_PX)
    terms = face_terms(face_xyxy, landmarks)
    middle = (face_xyxy[:, 0] + face_xyxy[:, 2]) / 2
    x = middle + unit_px * (face_shift_terms(face_xyxy, landmarks) @ np.array(fit.shift))
    half = unit_px * np.maximum(terms @ np.array(fit.width), MIN_WIDTH) / 2
    y1 = face_xyxy[:, 1] - unit_px * (terms @ np.array(fit.up))
    y2 = face_xyxy[:, 3] + unit_px * (terms @ np.array(fit.down))
    return np.stack([x - half, y1, x + half, y2], axis=1)


def blend(a: Floats, b: Floats, share_of_b: Floats) -> Floats:
    """Go from boxes `a` to boxes `b` by a share in 0..1.

    Args:
        a: (N, 4) px.
        b: (N, 4) px.
        share_of_b: (N, 1), or (1, 4) to give each edge its own.
    """
    return a + (b - a) * share_of_b


def share_inside(xyxy: Floats, *, width: float, height: float) -> Floats:
    """Give the share of each box that lies within the frame, as (N,) in 0..1."""
    area = areas(xyxy)
    inside = areas(clip_boxes(xyxy, width=width, height=height))
    return np.divide(inside, area, out=np.zeros_like(area), where=area > 0)
