"""Fit the numbers that turn keypoints and faces into head boxes and scores, and say how good they are.

    python benchmarks/fit_head_box.py YOLO_DIR [--cache FILE.npz] [--out headtrack/ops/head_fits.py]

YOLO_DIR has `images/` and `labels/` with one class, the whole head. The networks run once over
all images (about 0.15 s each on two cores) and their output is kept in FILE. Images `PartA_*` come
from a few fixed cameras and stay in one fold. Without --out the table is printed, not written.
"""

from __future__ import annotations

import argparse
import json
import zlib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import cv2
import numpy as np

from headtrack.metrics.detection import match_frame
from headtrack.ops.boxes import centres, iou_matrix
from headtrack.ops.head_boxes import (
    FaceFit,
    PoseFit,
    face_heads,
    face_shift_terms,
    face_terms,
    height_terms,
    pose_heads,
    pose_terms,
    rough_terms,
    shift_terms,
)
from headtrack.ops.head_evidence import HeadEvidence
from headtrack.ops.head_geometry import PoseGeometry, believed_top, pose_geometry
from headtrack.ops.head_score import face_score_terms
from headtrack.ops.head_union import NONE, HeadFits, heads_of_people, unite_heads
from headtrack.ops.head_view import rearness
from headtrack.types.arrays import select

FOLDS = 5
MIN_IOU = 0.4
MIN_PERSON = 0.1  # people and faces below these are not looked at, here and in the detector
MIN_FACE = 0.2
# A person or face is paired with the labelled head that its middle lies in, unless another is near.
MAX_PAIR_OFFSET, MIN_OTHER_OFFSET = 0.45, 0.6  # in head heights
MIN_PAIR_SCORE = 0.25
MIN_PAIR_PX = 20  # labels of smaller heads are too coarse to learn proportions from
# A face without a person is mostly right in a crowd of tiny people and mostly wrong elsewhere; video
# is mostly elsewhere, so the odds of lone faces are learnt from images with no more heads than this.
MAX_SPARSE_HEADS = 12
RIDGE = 1e-3
HUBER = 0.05  # residual, in head heights, from which a pair counts less


@dataclass(frozen=True)
class LabelledImage:
    """One image: what the networks found, and the labelled heads (N, 4) px."""

    name: str
    evidence: HeadEvidence
    heads: np.ndarray

    @property
    def fold(self) -> int:
        """0 for the fixed cameras, 1 to 4 for the rest."""
        return 0 if self.name.startswith("PartA") else 1 + zlib.crc32(self.name.encode()) % (FOLDS - 1)


def main() -> None:
    """Cross-validate, then fit on all and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("head_evidence.npz"))
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    if not args.cache.is_file():
        detect_all(args.data, args.cache)
    images = read_images(args.data, args.cache)
    held_out: list[tuple[LabelledImage, HeadFits]] = []
    for fold in range(FOLDS):
        fits = fit([image for image in images if image.fold != fold])
        held_out += [(image, fits) for image in images if image.fold == fold]
    print(json.dumps(judge(held_out), indent=1))
    table = as_source(fit(images))
    if args.out is None:
        print(table)
    else:
        args.out.write_text(table)


def detect_all(data: Path, cache: Path) -> None:
    """Run both networks over every image and keep what they give."""
    from headtrack.models.centerface import CenterFace
    from headtrack.models.weights import weights_path
    from headtrack.models.yolo_pose import YoloPose

    pose = YoloPose(weights_path("yolo11n-pose"), image_px=640, min_score=MIN_PERSON, device="cpu")
    face = CenterFace(weights_path("centerface"), threads=2, image_px=640, min_score=MIN_FACE, device="cpu")
    paths = sorted((data / "images").glob("*.jpg"))
    columns: dict[str, list[np.ndarray]] = {"size": []}
    for i, path in enumerate(paths):
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        people, faces = pose.find(rgb[None]), face.detect_faces(rgb[None])[0]
        row = {
            "size": np.array([[rgb.shape[1], rgb.shape[0]]]),
            "person_image": np.full(len(people), i),
            "body_xyxy": people.xyxy,
            "body_score": people.score,
            "keypoints": people.keypoints,
            "face_image": np.full(len(faces), i),
            "face_xyxy": faces.xyxy,
            "face_score": faces.score,
            "landmarks": faces.landmarks,
        }
        for key, value in row.items():
            columns.setdefault(key, []).append(value)
        print(f"\r{i + 1} of {len(paths)}", end="")
    arrays = {key: np.concatenate(values) for key, values in columns.items()}
    np.savez_compressed(cache, name=np.array([path.stem for path in paths]), **arrays)


def read_images(data: Path, cache: Path) -> list[LabelledImage]:
    """Join the kept evidence with the labels."""
    kept = np.load(cache)
    images = []
    for i, name in enumerate(kept["name"]):
        width, height = (int(side) for side in kept["size"][i])
        people = (kept["person_image"] == i) & (kept["body_score"] >= MIN_PERSON)
        faces = (kept["face_image"] == i) & (kept["face_score"] >= MIN_FACE)
        evidence = HeadEvidence(
            width,
            height,
            *(kept[key][people] for key in ("body_xyxy", "body_score", "keypoints")),
            *(kept[key][faces] for key in ("face_xyxy", "face_score", "landmarks")),
        )
        rows = np.loadtxt(data / "labels" / f"{name}.txt", ndmin=2).reshape(-1, 5)
        middle, sides = rows[:, 1:3], rows[:, 3:5]
        heads = np.concatenate([middle - sides / 2, middle + sides / 2], axis=1) * ([width, height] * 2)
        images.append(LabelledImage(str(name), evidence, heads))
    return images


def fit(images: list[LabelledImage]) -> HeadFits:
    """Fit boxes first, then how they share the word, then scores."""
    geometry, heads = _pose_pairs(images)
    rear = rearness(geometry) >= 0.5
    facing_fit = _fit_pose(select(geometry, ~rear), heads[~rear])
    rear_fit = _fit_pose(select(geometry, rear), heads[rear])
    faces, landmarks, face_heads_px = _face_pairs(images)
    fits = HeadFits(
        facing_fit, rear_fit, _fit_face(faces, landmarks, face_heads_px), (0.0,) * 4, (0.0,) * 7, (0.0,) * 2
    )
    fits = replace(fits, face_share=_fit_shares(images, fits))
    return _fit_scores(images, fits)


def _pose_pairs(images: list[LabelledImage]) -> tuple[PoseGeometry, np.ndarray]:
    geometries, heads = [], []
    for image in images:
        e = image.evidence
        geometry = pose_geometry(e.keypoints, e.body_xyxy, frame_height=e.height)
        row, label = _pair(geometry.anchor, e.body_score, image.heads)
        whole = ~np.isnan(geometry.top[row]) & (image.heads[label, 1] > 2)
        geometries.append(select(geometry, row[whole]))
        heads.append(image.heads[label[whole]])
    joined = [np.concatenate([getattr(g, f.name) for g in geometries]) for f in fields(PoseGeometry)]
    return PoseGeometry(*joined), np.concatenate(heads)


def _face_pairs(images: list[LabelledImage]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    faces, landmarks, heads = [], [], []
    for image in images:
        e = image.evidence
        row, label = _pair(centres(e.face_xyxy), e.face_score, image.heads)
        whole = image.heads[label, 1] > 2
        faces.append(e.face_xyxy[row[whole]])
        landmarks.append(e.landmarks[row[whole]])
        heads.append(image.heads[label[whole]])
    return np.concatenate(faces), np.concatenate(landmarks), np.concatenate(heads)


def _pair(middle: np.ndarray, score: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pair found with labelled heads, best score first, where there is no doubt; rows of both."""
    if len(heads) == 0:
        return np.zeros(0, int), np.zeros(0, int)
    side = heads[:, 3] - heads[:, 1]
    offset = np.linalg.norm(middle[:, None] - centres(heads)[None], axis=2) / np.maximum(side, 1)
    label_of: dict[int, int] = {}
    for row in np.argsort(-score, kind="stable"):
        if score[row] < MIN_PAIR_SCORE:
            break
        label = int(offset[row].argmin())
        others = np.delete(offset[row], label)
        clear = offset[row, label] < MAX_PAIR_OFFSET and others.min(initial=np.inf) >= MIN_OTHER_OFFSET
        if clear and side[label] >= MIN_PAIR_PX and label not in label_of:
            label_of[label] = int(row)
    return np.array([*label_of.values()], int), np.array([*label_of.keys()], int)


def _fit_pose(geometry: PoseGeometry, heads: np.ndarray) -> PoseFit:
    log_height = np.log(heads[:, 3] - heads[:, 1])
    rough = _regress(rough_terms(geometry), log_height)
    top = believed_top(geometry, np.exp(rough_terms(geometry) @ rough))
    height = _regress(height_terms(geometry, top), log_height)
    unit = np.exp(height_terms(geometry, top) @ height)
    terms = pose_terms(geometry, top, unit)
    x, y = geometry.anchor.T
    return PoseFit(
        rough=_numbers(rough),
        height=_numbers(height),
        up=_numbers(_regress(terms, (y - heads[:, 1]) / unit)),
        down=_numbers(_regress(terms, (heads[:, 3] - y) / unit)),
        width=_numbers(_regress(terms, (heads[:, 2] - heads[:, 0]) / unit)),
        shift=_numbers(_regress(shift_terms(geometry, unit), (centres(heads)[:, 0] - x) / unit)),
    )


def _fit_face(faces: np.ndarray, landmarks: np.ndarray, heads: np.ndarray) -> FaceFit:
    unit = faces[:, 3] - faces[:, 1]
    terms = face_terms(faces, landmarks)
    shift = (centres(heads) - centres(faces))[:, 0] / unit
    return FaceFit(
        up=_numbers(_regress(terms, (faces[:, 1] - heads[:, 1]) / unit)),
        down=_numbers(_regress(terms, (heads[:, 3] - faces[:, 3]) / unit)),
        width=_numbers(_regress(terms, (heads[:, 2] - heads[:, 0]) / unit)),
        shift=_numbers(_regress(face_shift_terms(faces, landmarks), shift)),
    )


def _fit_shares(images: list[LabelledImage], fits: HeadFits) -> tuple[float, float, float, float]:
    """Weigh face against keypoints on each edge, mirrored edges alike."""
    by_pose, by_face, truth = [], [], []
    for image in images:
        e = image.evidence
        geometry = pose_geometry(e.keypoints, e.body_xyxy, frame_height=e.height)
        posed = heads_of_people(e, geometry, fits)  # a share of 0: by keypoints alone
        row, label = _pair(geometry.anchor, e.body_score, image.heads)
        both = posed.face[row] != NONE
        row, label = row[both], label[both]
        face = posed.face[row]
        by_pose.append(posed.xyxy[row])
        by_face.append(face_heads(e.face_xyxy[face], e.landmarks[face], fits.face))
        truth.append(image.heads[label])
    pose, face, heads = (np.concatenate(part) for part in (by_pose, by_face, truth))
    unit = (heads[:, 3] - heads[:, 1])[:, None]
    step, error = (face - pose) / unit, (heads - pose) / unit
    sides = float(_regress(step[:, [0, 2]].reshape(-1, 1), error[:, [0, 2]].ravel())[0])
    top, bottom = (float(_regress(step[:, [i]], error[:, i])[0]) for i in (1, 3))
    shares = np.clip([sides, top, sides, bottom], 0, 1)
    return tuple(round(float(share), 3) for share in shares)  # type: ignore[return-value]


def _fit_scores(images: list[LabelledImage], fits: HeadFits) -> HeadFits:
    """Fit the odds that a box is right, on what is left after suppression; twice, as that depends on them."""
    fits = replace(fits, pose_score=(0.0, 1.0, *(0.0,) * 5), face_score=(0.0, 1.0))
    for _ in range(2):
        rows: dict[str, list[np.ndarray]] = {key: [] for key in ("pose", "face")}
        right_of: dict[str, list[np.ndarray]] = {key: [] for key in rows}
        weight_of: dict[str, list[np.ndarray]] = {key: [] for key in rows}
        for image in images:
            e = image.evidence
            union = unite_heads(e, fits)
            right = _right(union.xyxy, union.score, image.heads)
            geometry = pose_geometry(e.keypoints, e.body_xyxy, frame_height=e.height)
            posed = heads_of_people(e, geometry, fits)
            is_person = union.person != NONE
            for key, terms, row, mask in (
                ("pose", posed.score_terms, union.person, is_person),
                ("face", face_score_terms(e), union.face, ~is_person),
            ):
                if key == "face" and len(image.heads) > MAX_SPARSE_HEADS:
                    continue
                rows[key].append(terms[row[mask]])
                right_of[key].append(right[mask])
                # An image of a crowd must not outweigh fifty of two people each.
                weight_of[key].append(np.full(int(mask.sum()), 1 / max(len(mask), 1)))
        pose, face = (
            _logistic(*(np.concatenate(part[key]) for part in (rows, right_of, weight_of)))
            for key in ("pose", "face")
        )
        fits = replace(fits, pose_score=_numbers(pose), face_score=_numbers(face))
    return fits


def _right(xyxy: np.ndarray, score: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Say of each box, best first, whether it takes a labelled head that no better one took."""
    iou = iou_matrix(xyxy, heads)
    right, free = np.zeros(len(score), bool), np.ones(len(heads), bool)
    for row in np.argsort(-score, kind="stable"):
        candidates = np.where(free, iou[row], 0)
        if len(candidates) and candidates.max() >= MIN_IOU:
            right[row] = True
            free[candidates.argmax()] = False
    return right


def _regress(terms: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Ridge regression with Huber weights; the first term, where it is constant, goes free."""
    penalty = RIDGE * len(target) * np.eye(terms.shape[1])
    if np.all(terms[:, 0] == 1):
        penalty[0, 0] = 0
    weight = np.ones(len(target))
    solution = np.zeros(terms.shape[1])
    for _ in range(20):
        weighted = terms * weight[:, None]
        solution = np.linalg.solve(weighted.T @ terms + penalty, weighted.T @ target)
        weight = np.minimum(1, HUBER / np.maximum(np.abs(target - terms @ solution), 1e-9))
    return solution


def _logistic(terms: np.ndarray, right: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted logistic regression by Newton's method, lightly regularised."""
    weight = weight / weight.mean()
    solution = np.zeros(terms.shape[1])
    penalty = np.eye(terms.shape[1])
    penalty[0, 0] = 0
    for _ in range(30):
        p = 1 / (1 + np.exp(-(terms @ solution)))
        gradient = terms.T @ (weight * (p - right)) + penalty @ solution
        hessian = (terms * (weight * p * (1 - p))[:, None]).T @ terms + penalty + 1e-9 * np.eye(len(solution))
        solution = solution - np.linalg.solve(hessian, gradient)
    return solution


def judge(held_out: list[tuple[LabelledImage, HeadFits]]) -> dict[str, object]:
    """Say how good the fits are on images they were not made from."""
    unions = [(image, unite_heads(image.evidence, fits)) for image, fits in held_out]
    by_score: dict[str, dict[str, float]] = {}
    for min_score in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        tp = fp = fn = tp_large = n_large = 0
        for image, union in unions:
            boxes = union.xyxy[union.score >= min_score]
            match = match_frame(image.heads, boxes, ignore=np.zeros((0, 4)), min_iou=MIN_IOU)
            counts = match.counts
            tp, fp, fn = tp + counts.tp, fp + counts.fp, fn + counts.fn
            large = image.heads[:, 3] - image.heads[:, 1] >= 32
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
    right = np.concatenate([_right(u.xyxy, u.score, image.heads) for image, u in unions])
    bins = np.clip((score * 10).astype(int), 0, 9)
    reliability = {
        f"{b / 10:.1f}": [int((bins == b).sum()), round(float(right[bins == b].mean()), 3)]
        for b in range(10)
        if (bins == b).any()
    }
    gap = sum(
        n * abs(share - score[bins == int(float(b) * 10 + 0.5)].mean())
        for b, (n, share) in reliability.items()
    )
    return {
        "images": len(unions),
        "heads": sum(len(image.heads) for image, _ in unions),
        "by_min_score": by_score,
        "reliability": reliability,
        "calibration_error": round(float(gap / len(score)), 4),
        "box_iou": _box_iou(held_out),
    }


def _box_iou(held_out: list[tuple[LabelledImage, HeadFits]]) -> dict[str, list[float]]:
    """Give pairs, shares of IoU at least 0.5 and 0.7, and median IoU, by what the box came from."""
    found: dict[str, list[float]] = {"facing": [], "rear": [], "face": []}
    for image, fits in held_out:
        e = image.evidence
        geometry = pose_geometry(e.keypoints, e.body_xyxy, frame_height=e.height)
        row, label = _pair(geometry.anchor, e.body_score, image.heads)
        for is_rear, name, one in ((False, "facing", fits.facing), (True, "rear", fits.rear)):
            mine = (rearness(geometry)[row] >= 0.5) == is_rear
            boxes = pose_heads(select(geometry, row[mine]), one)
            found[name] += list(np.diag(iou_matrix(boxes, image.heads[label[mine]])))
        row, label = _pair(centres(e.face_xyxy), e.face_score, image.heads)
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


def as_source(fits: HeadFits) -> str:
    """Write the table as Python."""
    lines = [
        '"""Fitted numbers of the head boxes and scores; made by `benchmarks/fit_head_box.py`, not by hand.',
        "",
        "Fitted on the whole-head boxes of SCUT-HEAD (Peng et al., arXiv 1803.09256).",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from headtrack.ops.head_boxes import FaceFit, PoseFit",
        "from headtrack.ops.head_union import HeadFits",
        "",
        "HEAD_FITS = HeadFits(",
    ]
    for name, value in ((f.name, getattr(fits, f.name)) for f in fields(fits)):
        if isinstance(value, tuple):
            lines.append(f"    {name}={value},")
        else:
            rows = [f"        {key}={numbers}," for key, numbers in asdict(value).items()]
            lines += [f"    {name}={type(value).__name__}(", *rows, "    ),"]
    return "\n".join([*lines, ")", ""])


def _numbers(values: np.ndarray) -> tuple[float, ...]:
    return tuple(round(float(value), 3) for value in values)


if __name__ == "__main__":
    main()
