"""People drawn with a pen: keypoints of a standing person whose head is 40 px high."""

from __future__ import annotations

import numpy as np

from headtrack.ops.head_evidence import HeadEvidence

WIDTH, HEIGHT = 640, 480
# Around the middle of the head, for a person who looks into the camera; left is the person's.
HEAD = {
    "nose": (0, 3),
    "left_eye": (6, -2),
    "right_eye": (-6, -2),
    "left_ear": (13, 0),
    "right_ear": (-13, 0),
}
SHOULDERS = {"left_shoulder": (32, 36), "right_shoulder": (-32, 36)}
SEEN, UNSEEN = 0.95, 0.03


def person(x: float, y: float, *, yaw_deg: float = 0.0, scale: float = 1.0) -> np.ndarray:
    """Give (17, 3) keypoints of a person whose head's middle is at x, y; behind the head is unseen."""
    turn = np.radians(yaw_deg)
    points = np.zeros((17, 3))
    depth = {"nose": 13.0, "left_eye": 11.0, "right_eye": 11.0, "left_ear": 0.0, "right_ear": 0.0}
    for i, (name, (dx, dy)) in enumerate(HEAD.items()):
        across, away = dx, depth[name]
        seen = away * np.cos(turn) - across * np.sin(turn) > (-8 if "ear" in name else 0)
        points[i] = (across * np.cos(turn) + away * np.sin(turn), dy, SEEN if seen else UNSEEN)
    for i, (dx, dy) in enumerate(SHOULDERS.values(), start=5):
        points[i] = (dx * np.cos(turn), dy, SEEN)
    for i in range(7, 17):
        points[i] = (0, 60 + 10 * i, SEEN)
    points[:, :2] = points[:, :2] * scale + (x, y)
    return points


def body(x: float, y: float, *, scale: float = 1.0) -> np.ndarray:
    """Give the box of that person."""
    return np.array([x - 40 * scale, y - 22 * scale, x + 40 * scale, y + 240 * scale])


def face(x: float, y: float, *, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Give the face box and the landmarks of a person who looks into the camera."""
    marks = np.array([(-6, -2), (6, -2), (0, 4), (-5, 10), (5, 10)], float) * scale + (x, y)
    return np.array([x - 12 * scale, y - 12 * scale, x + 12 * scale, y + 18 * scale]), marks


def evidence(people=(), faces=(), *, body_score=0.9, face_score=0.9) -> HeadEvidence:
    """Join people (keypoints with their box) and faces to the evidence of one frame."""
    return HeadEvidence(
        width=WIDTH,
        height=HEIGHT,
        body_xyxy=np.array([box for _, box in people]).reshape(-1, 4),
        body_score=np.full(len(people), body_score),
        keypoints=np.array([points for points, _ in people]).reshape(-1, 17, 3),
        face_xyxy=np.array([box for box, _ in faces]).reshape(-1, 4),
        face_score=np.full(len(faces), face_score),
        landmarks=np.array([marks for _, marks in faces]).reshape(-1, 5, 2),
    )
