"""Fit the numbers that turn keypoints and faces into head boxes and scores, and say how good they are.

    python benchmarks/fit_head_box.py YOLO_DIR [--cache FILE.npz] [--out headtrack/ops/head_fits.py]

YOLO_DIR has `images/` and `labels/` with one class, the whole head. The networks run once over
all images (about 0.15 s each on two cores) and their output is kept in FILE. Images `PartA_*` come
from a few fixed cameras and stay in one fold. Without --out the table is printed, not written.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
from head_images import FOLDS, LabelledImage, detect_all, pair, read_images
from head_judge import MAX_SPARSE_HEADS, judge, right_boxes

from headtrack.ops.boxes import centres
from headtrack.ops.head_boxes import (
    FaceFit,
    PoseFit,
    face_heads,
    face_shift_terms,
    face_terms,
    height_terms,
    pose_terms,
    rough_terms,
    shift_terms,
)
from headtrack.ops.head_geometry import PoseGeometry, believed_top, pose_geometry
from headtrack.ops.head_score import face_score_terms
from headtrack.ops.head_union import NONE, HeadFits, heads_of_people, unite_heads
from headtrack.ops.head_view import rearness
from headtrack.types.arrays import select

RIDGE = 1e-3
HUBER = 0.05  # residual, in head heights, from which a pair counts less


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
        row, label = pair(geometry.anchor, e.body_score, image.heads)
        whole = ~np.isnan(geometry.top[row]) & (image.heads[label, 1] > 2)
        geometries.append(select(geometry, row[whole]))
        heads.append(image.heads[label[whole]])
    joined = [np.concatenate([getattr(g, f.name) for g in geometries]) for f in fields(PoseGeometry)]
    return PoseGeometry(*joined), np.concatenate(heads)


def _face_pairs(images: list[LabelledImage]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    faces, landmarks, heads = [], [], []
    for image in images:
        e = image.evidence
        row, label = pair(centres(e.face_xyxy), e.face_score, image.heads)
        whole = image.heads[label, 1] > 2
        faces.append(e.face_xyxy[row[whole]])
        landmarks.append(e.landmarks[row[whole]])
        heads.append(image.heads[label[whole]])
    return np.concatenate(faces), np.concatenate(landmarks), np.concatenate(heads)


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
        row, label = pair(geometry.anchor, e.body_score, image.heads)
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
            right = right_boxes(union.xyxy, union.score, image.heads)
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
