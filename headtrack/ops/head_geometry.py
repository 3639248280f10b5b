"""Lengths and directions of a head, read from a person's keypoints or from a face.

Keypoints are COCO's (nose, left eye, right eye, left ear, right ear, left shoulder, right
shoulder, ...; left is the person's left). A pose network gives a place for every point, seen or
not; the places of unseen points still tell the head's size, so they count, with less weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]

NOSE, LEFT_EYE, RIGHT_EYE, LEFT_EAR, RIGHT_EAR, LEFT_SHOULDER, RIGHT_SHOULDER = range(7)
HEAD_POINTS = 5  # the first five keypoints lie on the head
UNSEEN_WEIGHT = 0.05  # of a keypoint of confidence 0, next to 1.05 of a certain one
MIN_LENGTH_PX = 0.5  # keeps logarithms and ratios finite
# Share of a head's height above the middle of its keypoints, where the top of the person's box
# tells nothing (cut by the frame), and the range in which the box's top is believed.
USUAL_TOP = 0.57
TOP_RANGE = (0.40, 0.90)
# A person's box that begins this near to the frame's edge counts as cut, in shares of its height.
CUT_MARGIN = 0.01


@dataclass(frozen=True, slots=True)
class PoseGeometry:
    """What keypoints and the person's box say about each head's place and size.

    Attributes:
        anchor: (N, 2) px, middle of the head's keypoints, weighted by confidence.
        spread: (N,) px, root mean square distance of these points from the anchor.
        neck: (N,) px, from the anchor to the middle of the shoulders.
        top: (N,) px, from the anchor up to the top of the person's box; NaN where the frame cuts it.
        turn_px: (N,) px by which the nose lies to the right of the middle of the ears.
        nod_px: (N,) px by which the nose lies below the middle of the ears.
        lean_px: (N,) px by which the middle of the shoulders lies to the right of the anchor.
        ear_span_px: (N,) px from the right to the left ear; negative where seen from behind.
        eye: (N,) confidence of the better eye.
        nose: (N,) confidence of the nose.
        ear: (N,) confidence of the better ear.
        far_ear: (N,) confidence of the worse ear.
    """

    anchor: Floats
    spread: Floats
    neck: Floats
    top: Floats
    turn_px: Floats
    nod_px: Floats
    lean_px: Floats
    ear_span_px: Floats
    eye: Floats
    nose: Floats
    ear: Floats
    far_ear: Floats


def pose_geometry(keypoints: Floats, body_xyxy: Floats, *, frame_height: float) -> PoseGeometry:
    """Read the geometry of each person's head.

    Args:
        keypoints: (N, 17, 3) x and y in px, confidence in 0..1.
        body_xyxy: (N, 4) px.
        frame_height: px.
    """
    points = np.asarray(keypoints[:, :, :2], np.float64)
    confidence = np.asarray(keypoints[:, :, 2], np.float64)
    head = points[:, :HEAD_POINTS]
    weight = confidence[:, :HEAD_POINTS] + UNSEEN_WEIGHT
    weight = weight / weight.sum(axis=1, keepdims=True)
    anchor = np.einsum("nk,nkd->nd", weight, head)
    spread = np.sqrt(np.einsum("nk,nkd->n", weight, (head - anchor[:, None]) ** 2))
    shoulders = points[:, [LEFT_SHOULDER, RIGHT_SHOULDER]].mean(axis=1)
    ears = points[:, [LEFT_EAR, RIGHT_EAR]].mean(axis=1)
    nose_from_ears = points[:, NOSE] - ears
    cut = body_xyxy[:, 1] <= CUT_MARGIN * frame_height
    return PoseGeometry(
        anchor=anchor,
        spread=np.maximum(spread, MIN_LENGTH_PX),
        neck=np.maximum(np.linalg.norm(shoulders - anchor, axis=1), MIN_LENGTH_PX),
        top=np.where(cut, np.nan, np.maximum(anchor[:, 1] - body_xyxy[:, 1], MIN_LENGTH_PX)),
        turn_px=nose_from_ears[:, 0],
        nod_px=nose_from_ears[:, 1],
        lean_px=shoulders[:, 0] - anchor[:, 0],
        ear_span_px=points[:, LEFT_EAR, 0] - points[:, RIGHT_EAR, 0],
        eye=confidence[:, [LEFT_EYE, RIGHT_EYE]].max(axis=1, initial=0),
        nose=confidence[:, NOSE],
        ear=confidence[:, [LEFT_EAR, RIGHT_EAR]].max(axis=1, initial=0),
        far_ear=confidence[:, [LEFT_EAR, RIGHT_EAR]].min(axis=1, initial=1),
    )


def believed_top(geometry: PoseGeometry, rough_height: Floats) -> Floats:
    """Give the distance from the anchor up to the head's top, as far as the person's box tells.

    A raised hand lifts the box, a cut lowers it; so it counts only within `TOP_RANGE`.

    Args:
        geometry: of N people.
        rough_height: (N,) px, height of the head judged without the box.

    Returns:
        (N,) px.
    """
    low, high = TOP_RANGE
    known = np.clip(geometry.top, low * rough_height, high * rough_height)
    return np.where(np.isnan(geometry.top), USUAL_TOP * rough_height, known)
