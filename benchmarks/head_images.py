"""Labelled images with what the networks find in them, and which find belongs to which label."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from yolo_labels import labelled_heads

from headtrack.ops.boxes import centres
from headtrack.ops.head_evidence import MIN_FACE, MIN_PERSON, HeadEvidence

FOLDS = 5
# A person or face is paired with the labelled head that its middle lies in, unless another is near.
MAX_PAIR_OFFSET, MIN_OTHER_OFFSET = 0.45, 0.6  # in head heights
MIN_PAIR_SCORE = 0.25
MIN_PAIR_PX = 20  # labels of smaller heads are too coarse to learn proportions from


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


def detect_all(data: Path, cache: Path) -> None:
    """Run both networks over every image and keep what they give."""
    from headtrack.models.centerface import CenterFace
    from headtrack.models.weights import weights_path
    from headtrack.models.yolo_pose import YoloPose

    pose = YoloPose(weights_path("yolo11n-pose"), image_px=640, min_score=MIN_PERSON, device="cpu", threads=2)
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
    kept = dict(np.load(cache))  # an npz reads its file anew at every look
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
        heads = labelled_heads(data, str(name)) * ([width, height] * 2)
        images.append(LabelledImage(str(name), evidence, heads))
    return images


def pair(middle: np.ndarray, score: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
