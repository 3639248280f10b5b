"""Heads of one frame from people and faces: one box a head, with score, yaw and rear view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from headtrack.ops.boxes import centres, clip_boxes, ioa_matrix, nms
from headtrack.ops.head_boxes import FaceFit, PoseFit, blend, face_heads, pose_heads, share_inside
from headtrack.ops.head_doubles import MAX_IOA, MAX_IOU
from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_geometry import PoseGeometry, pose_geometry
from headtrack.ops.head_score import face_score_terms, pose_score_terms, probability
from headtrack.ops.head_view import face_yaw_deg, pose_yaw_deg, rearness
from headtrack.types.arrays import as_array

Floats = npt.NDArray[np.floating]
Ints = npt.NDArray[np.intp]

NONE = -1
MIN_FACE_INSIDE = 0.5  # share of a face's box inside the head it belongs to
MAX_FACE_OFFSET = 0.4  # between the middles of face and head, in head heights
MAX_LONE_INSIDE = 0.5  # share of a lone face's box inside a likelier head


@dataclass(frozen=True, slots=True)
class HeadFits:
    """All fitted numbers.

    Attributes:
        facing: for heads with an eye in view.
        rear: for heads seen from behind.
        face: for faces.
        face_share: weight of the face's word on each edge where keypoints speak as well.
        pose_score: of `pose_score_terms`.
        face_score: of `face_score_terms`.
    """

    facing: PoseFit
    rear: PoseFit
    face: FaceFit
    face_share: tuple[float, float, float, float]
    pose_score: tuple[float, ...]
    face_score: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HeadUnion:
    """Heads of one frame, best first.

    Attributes:
        xyxy: (N, 4) float64 px, within the frame.
        score: (N,) float64, probability that this is a head and its box is right.
        rearness: (N,) float64 in 0..1.
        yaw_deg: (N,) float64.
        person: (N,) int64 row of the person in the evidence; -1: none.
        face: (N,) int64 row of the face in the evidence; -1: none.
    """

    xyxy: Floats
    score: Floats
    rearness: Floats
    yaw_deg: Floats
    person: npt.NDArray[np.int64]
    face: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        n = len(self.score)
        for name, dtype, shape in (
            ("xyxy", np.float64, (n, 4)),
            ("score", np.float64, (n,)),
            ("rearness", np.float64, (n,)),
            ("yaw_deg", np.float64, (n,)),
            ("person", np.int64, (n,)),
            ("face", np.int64, (n,)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))


@dataclass(frozen=True, slots=True)
class PoseHeads:
    """Heads as the people of one frame have them, faces joined.

    Attributes:
        xyxy: (P, 4) float64 px, not cut by the frame.
        rearness: (P,) float64 in 0..1.
        face: (P,) int64 row of the face that belongs to each head; -1: none.
        score_terms: (P, K) float64, see `pose_score_terms`.
    """

    xyxy: Floats
    rearness: Floats
    face: npt.NDArray[np.int64]
    score_terms: Floats


def unite_heads(evidence: HeadEvidence, fits: HeadFits) -> HeadUnion:
    """Give each head of a frame once.

    A face inside a person's head refines it; another face makes a head of its own. Of boxes that
    cover the same head, the likeliest stays.

    Args:
        evidence: what the networks found.
        fits: the fitted numbers.
    """
    geometry = pose_geometry(evidence.keypoints, evidence.body_xyxy, frame_height=evidence.height)
    posed = heads_of_people(evidence, geometry, fits)
    posed_score = probability(posed.score_terms, fits.pose_score)
    by_face = face_heads(evidence.face_xyxy, evidence.landmarks, fits.face)
    face_score = probability(face_score_terms(evidence), fits.face_score)
    lone = lone_faces(evidence, face_score, posed=posed, posed_score=posed_score)

    xyxy = np.concatenate([posed.xyxy, by_face[lone]])
    xyxy = clip_boxes(xyxy, width=evidence.width, height=evidence.height)
    score = np.concatenate([posed_score, face_score[lone]])
    rear = np.concatenate([posed.rearness, np.zeros(len(lone))])
    face = np.concatenate([posed.face, lone])
    person = np.concatenate([np.arange(len(posed.face)), np.full(len(lone), NONE)])
    yaw = mean_yaw_deg(pose_yaw_deg(geometry), face_yaw_deg(evidence.landmarks), person=person, face=face)
    kept = nms(xyxy, score, max_iou=MAX_IOU, max_ioa=MAX_IOA)
    return HeadUnion(xyxy[kept], score[kept], rear[kept], yaw[kept], person[kept], face[kept])


def heads_of_people(evidence: HeadEvidence, geometry: PoseGeometry, fits: HeadFits) -> PoseHeads:
    """Give one head a person, refined by the face in it.

    Args:
        evidence: what the networks found.
        geometry: of its people.
        fits: the fitted numbers; the scores are not used.
    """
    rear = rearness(geometry)
    facing_xyxy = pose_heads(geometry, fits.facing)
    alone = blend(facing_xyxy, pose_heads(geometry, fits.rear), rear[:, None])
    face = faces_of_heads(alone, rear, evidence)
    has_face = face != NONE
    by_face = np.array(alone)
    by_face[has_face] = face_heads(
        evidence.face_xyxy[face[has_face]], evidence.landmarks[face[has_face]], fits.face
    )
    xyxy = blend(alone, by_face, np.array(fits.face_share)[None])
    face_score = np.zeros(len(face))
    face_score[has_face] = evidence.face_score[face[has_face]]
    terms = pose_score_terms(
        evidence,
        geometry,
        face_score=face_score,
        inside=share_inside(xyxy, width=evidence.width, height=evidence.height),
    )
    return PoseHeads(xyxy, rear, face, terms)


def faces_of_heads(head_xyxy: Floats, rear: Floats, evidence: HeadEvidence) -> Ints:
    """Give the face that belongs to each head; a head seen from behind has none.

    Args:
        head_xyxy: (P, 4) px.
        rear: (P,) rearness in 0..1.
        evidence: with F faces.

    Returns:
        (P,) row of the face; -1: none.
    """
    face_of_head = np.full(len(head_xyxy), NONE)
    height = np.maximum(head_xyxy[:, 3] - head_xyxy[:, 1], 1)
    offset = centres(evidence.face_xyxy)[None] - centres(head_xyxy)[:, None]  # (P, F, 2)
    distance = np.linalg.norm(offset, axis=2) / height[:, None]
    inside = ioa_matrix(evidence.face_xyxy, head_xyxy).T
    possible = (inside >= MIN_FACE_INSIDE) & (distance <= MAX_FACE_OFFSET) & (rear[:, None] < 0.5)
    heads, faces = linear_sum_assignment(np.where(possible, distance, MAX_FACE_OFFSET + 1))
    kept = possible[heads, faces]
    face_of_head[heads[kept]] = faces[kept]
    return face_of_head


def lone_faces(evidence: HeadEvidence, face_score: Floats, *, posed: PoseHeads, posed_score: Floats) -> Ints:
    """Give the faces that make heads of their own: no person has them, no likelier head covers them.

    The networks see faces in hair, hands and collars; these lie inside a head or near one.

    Args:
        evidence: with F faces.
        face_score: (F,) probability that the head around each face is right.
        posed: heads of the P people.
        posed_score: (P,) probability that each is right.

    Returns:
        (L,) rows of faces, ascending.
    """
    covered = ioa_matrix(evidence.face_xyxy, posed.xyxy) > MAX_LONE_INSIDE  # (F, P)
    likelier = posed_score[None, :] >= face_score[:, None]
    free = ~np.any(covered & likelier, axis=1)
    free[posed.face[posed.face != NONE]] = False
    return np.flatnonzero(free)


def mean_yaw_deg(pose_yaw: Floats, face_yaw: Floats, *, person: Ints, face: Ints) -> Floats:
    """Average the directions that keypoints and landmarks give, on the circle."""
    directions = np.zeros(len(person), dtype=np.complex128)
    for yaw, row in ((pose_yaw, person), (face_yaw, face)):
        known = row != NONE
        directions[known] += np.exp(1j * np.radians(yaw[row[known]]))
    return np.degrees(np.angle(directions))
