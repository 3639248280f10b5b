"""How good head boxes and scores are on images that the fits were not made from."""

from __future__ import annotations

import numpy as np
from head_images import LabelledImage, pair

from headtrack.metrics.calibration import reliability
from headtrack.metrics.detection import match_frame
from headtrack.ops.boxes import centres, iou_matrix
from headtrack.ops.head_boxes import face_heads, pose_heads
from headtrack.ops.head_geometry import pose_geometry
from headtrack.ops.head_union import NONE, HeadFits, HeadUnion, unite_heads
from headtrack.ops.head_view import rearness
from headtrack.types.arrays import select

MIN_IOU = 0.5
# A face without a person is mostly right in a crowd of tiny people and mostly wrong elsewhere; video
# is mostly elsewhere, so the odds of lone faces are learnt from images with no more heads than this.
MAX_SPARSE_HEADS = 12
LARGE_PX = 32


def judge(held_out: list[tuple[LabelledImage, HeadFits]]) -> dict[str, object]:
    """Say how good the fits are on images they were not made from: all of them, and those of few people."""
    unions = [(image, unite_heads(image.evidence, fits)) for image, fits in held_out]
    sparse = [(image, union) for image, union in unions if len(image.heads) <= MAX_SPARSE_HEADS]
    return {"all": _figures(unions), "sparse": _figures(sparse), "box_iou": _box_iou(held_out)}


def _figures(unions: list[tuple[LabelledImage, HeadUnion]]) -> dict[str, object]:
    by_score: dict[str, dict[str, float]] = {}
    for min_score in (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6):
        tp = fp = fn = tp_large = n_large = 0
        for image, union in unions:
            boxes = union.xyxy[union.score >= min_score]
            match = match_frame(image.heads, boxes, ignore=np.zeros((0, 4)), min_iou=MIN_IOU)
            counts = match.counts
            tp, fp, fn = tp + counts.tp, fp + counts.fp, fn + counts.fn
            large = image.heads[:, 3] - image.heads[:, 1] >= LARGE_PX
            n_large += int(large.sum())
            tp_large += int((match.predicted_of_truth[large] != NONE).sum())
        recall, precision = tp / (tp + fn), tp / max(tp + fp, 1)
        by_score[str(min_score)] = {
            "recall": round(recall, 3),
            "precision": round(precision, 3),
            "f1": round(2 * recall * precision / (recall + precision), 3),
            "recall_32px": round(tp_large / n_large, 3),
        }
    score = np.concatenate([union.score for _, union in unions])
    right = np.concatenate([right_boxes(u.xyxy, u.score, image.heads) for image, u in unions])
    promise = reliability(score, right)
    return {
        "images": len(unions),
        "heads": sum(len(image.heads) for image, _ in unions),
        "by_min_score": by_score,
        "reliability": {
            f"{b / len(promise.count):.1f}": [int(n), round(float(share), 3)]
            for b, (n, share) in enumerate(zip(promise.count, promise.share_right, strict=True))
            if n
        },
        "calibration_error": round(promise.expected_error, 4),
    }


def _box_iou(held_out: list[tuple[LabelledImage, HeadFits]]) -> dict[str, list[float]]:
    """Give pairs, shares of IoU at least 0.5 and 0.7, and median IoU, by what the box came from."""
    found: dict[str, list[float]] = {"facing": [], "rear": [], "face": []}
    for image, fits in held_out:
        e = image.evidence
        geometry = pose_geometry(e.keypoints, e.body_xyxy, frame_height=e.height)
        row, label = pair(geometry.anchor, e.body_score, image.heads)
        for is_rear, name, one in ((False, "facing", fits.facing), (True, "rear", fits.rear)):
            mine = (rearness(geometry)[row] >= 0.5) == is_rear
            boxes = pose_heads(select(geometry, row[mine]), one)
            found[name] += list(np.diag(iou_matrix(boxes, image.heads[label[mine]])))
        row, label = pair(centres(e.face_xyxy), e.face_score, image.heads)
        boxes = face_heads(e.face_xyxy[row], e.landmarks[row], fits.face)
        found["face"] += list(np.diag(iou_matrix(boxes, image.heads[label])))
    return {
        name: [
            len(v),
            *(
                round(float(x), 3)
                for x in (np.median(v), np.mean(np.array(v) >= 0.5), np.mean(np.array(v) >= 0.7))
            ),
        ]
        for name, v in found.items()
    }


def right_boxes(xyxy: np.ndarray, score: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Say of each box, best first, whether it takes a labelled head that no better one took."""
    iou = iou_matrix(xyxy, heads)
    right, free = np.zeros(len(score), bool), np.ones(len(heads), bool)
    for row in np.argsort(-score, kind="stable"):
        candidates = np.where(free, iou[row], 0)
        if len(candidates) and candidates.max() >= MIN_IOU:
            right[row] = True
            free[candidates.argmax()] = False
    return right
