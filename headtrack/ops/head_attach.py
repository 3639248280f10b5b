"""Heads of a detector of heads, and what people and faces found in the same frame say of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from headtrack.ops.boxes import ioa_matrix, iou_matrix
from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_geometry import pose_geometry
from headtrack.ops.head_union import NONE, HeadFits, HeadUnion, faces_of_heads, heads_of_people, mean_yaw_deg
from headtrack.ops.head_view import face_yaw_deg, pose_yaw_deg

Floats = npt.NDArray[np.floating]
Ints = npt.NDArray[np.intp]

# Of a detector's box and the head that a person's keypoints give; from here on they are one head.
MIN_HEAD_IOU = 0.3
# Share of a face that lies in a box from which on it is seen there; a neighbour's reaches in less.
MIN_FACE_SHOWN = 0.2


def attach_evidence(
    head_xyxy: Floats, head_score: Floats, *, evidence: HeadEvidence, fits: HeadFits, showing_face_px: float
) -> HeadUnion:
    """Say of each head whose it is, which face it has and where it looks.

    A person belongs to the head that lies where its keypoints put one; a face to the head it lies
    in. A head with neither has no yaw, and counts as seen from behind where it is so large that a
    face would have been found, and no part of one lies in it.

    Args:
        head_xyxy: (N, 4) px, within the frame.
        head_score: (N,) in 0..1.
        evidence: of the same frame.
        fits: numbers that turn keypoints into heads.
        showing_face_px: smaller side of a head from which a face that looks at the camera is found.

    Returns:
        The same heads in the same order.
    """
    geometry = pose_geometry(evidence.keypoints, evidence.body_xyxy, frame_height=evidence.height)
    posed = heads_of_people(evidence, geometry, fits)
    person = people_of_heads(head_xyxy, posed.xyxy)
    is_large = (head_xyxy[:, 2:] - head_xyxy[:, :2]).min(axis=1) >= showing_face_px
    rear = np.array([posed.rearness[row] if row != NONE else 0.0 for row in person])
    face = faces_of_heads(head_xyxy, rear, evidence)
    is_alone = (person == NONE) & (face == NONE)
    yaw = mean_yaw_deg(pose_yaw_deg(geometry), face_yaw_deg(evidence.landmarks), person=person, face=face)
    return HeadUnion(
        xyxy=head_xyxy,
        score=head_score,
        rearness=np.where(is_alone & is_large & ~_show_face(head_xyxy, evidence), 1.0, rear),
        yaw_deg=np.where(is_alone, np.nan, yaw),
        person=person,
        face=face,
    )


def _show_face(head_xyxy: Floats, evidence: HeadEvidence) -> npt.NDArray[np.bool_]:
    """Say of each box whether a part of a face lies in it: half a face is no rear view."""
    return np.any(ioa_matrix(evidence.face_xyxy, head_xyxy) >= MIN_FACE_SHOWN, axis=0)


def people_of_heads(head_xyxy: Floats, posed_xyxy: Floats) -> Ints:
    """Give the person whose keypoints put a head where each head is, each person once.

    Args:
        head_xyxy: (N, 4) px.
        posed_xyxy: (P, 4) px head of each person, by keypoints.

    Returns:
        (N,) row of the person; -1: none.
    """
    person = np.full(len(head_xyxy), NONE)
    iou = iou_matrix(head_xyxy, posed_xyxy)
    iou = np.where(iou >= MIN_HEAD_IOU, iou, 0)
    heads, people = linear_sum_assignment(iou, maximize=True)
    kept = iou[heads, people] > 0
    person[heads[kept]] = people[kept]
    return person
