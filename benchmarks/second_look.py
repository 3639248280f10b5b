"""Measures what a second look at a head says: how often true and false boxes are found again.

    python benchmarks/second_look.py YOLO_DIR [--images 220]

Takes labelled pictures with few people, finds heads in each and in a copy that is turned, scaled, moved,
lit and grained as the next frame of a video may be, and counts by score how many boxes come again, of
those that a label matches and of those that none does.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import cv2
import numpy as np
from head_judge import MAX_SPARSE_HEADS, right_boxes
from yolo_labels import labelled_heads

from headtrack.models.head_detector import PoseFaceDetector
from headtrack.ops.boxes import centres, iou_matrix
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, Heads

BINS = (0.3, 0.45, 0.6, 0.8, 0.95, 1.001)
MIN_IOU = 0.4  # of a box found again: the copy is not exactly where it is computed to be


def find(detector: PoseFaceDetector, rgb: np.ndarray) -> Heads:
    """Find the heads of one picture."""
    return detector.detect(FrameBatch(rgb[None], np.zeros(1, np.int32), np.zeros(1)))


def moved_copy(rgb: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Make a copy as a next frame might be; give it with the (2, 3) map of the points."""
    height, width = rgb.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), rng.normal(0, 2), rng.uniform(0.88, 1.12))
    turn[:, 2] += rng.normal(0, 0.03 * width), rng.normal(0, 0.02 * height)
    copy = cv2.warpAffine(rgb, turn, (width, height), borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    copy = copy * rng.uniform(0.8, 1.2) + rng.normal(0, 4, copy.shape)
    return np.clip(copy, 0, 255).astype(np.uint8), turn


def seen_again(heads: Heads, again: Heads, turn: np.ndarray) -> np.ndarray:
    """Say of each head whether its place in the copy has one as well."""
    middle = np.concatenate([centres(heads.xyxy), np.ones((len(heads), 1))], axis=1) @ turn.T
    half = (heads.xyxy[:, 2:] - heads.xyxy[:, :2]) / 2 * np.hypot(*turn[:, 0])
    expected = np.concatenate([middle - half, middle + half], axis=1)
    return iou_matrix(expected, again.xyxy).max(axis=1, initial=0) >= MIN_IOU


def main() -> None:
    """Look twice at each picture and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--images", type=int, default=220)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    detector = PoseFaceDetector(DetectSettings(), device="cpu", threads=1)
    score, right, again = ([np.zeros(0)], [np.zeros(0, bool)], [np.zeros(0, bool)])
    paths = sorted((args.data / "images").glob("*.jpg"))
    done = 0
    for k in rng.permutation(len(paths)):
        labels = labelled_heads(args.data, paths[k].stem)
        if len(labels) > MAX_SPARSE_HEADS or done == args.images:
            continue
        done += 1
        rgb = cv2.cvtColor(cv2.imread(str(paths[k])), cv2.COLOR_BGR2RGB)
        labels = labels * ([rgb.shape[1], rgb.shape[0]] * 2)
        heads = find(detector, rgb)
        copy, turn = moved_copy(rgb, rng)
        score.append(heads.score)
        right.append(right_boxes(heads.xyxy, heads.score, labels))
        again.append(seen_again(heads, find(detector, copy), turn))
    all_scores, all_right, all_again = (np.concatenate(part) for part in (score, right, again))
    print("score        right  seen again   false  seen again")
    for low, high in [*itertools.pairwise(BINS), (BINS[0], BINS[-1])]:
        here = (all_scores >= low) & (all_scores < high)
        parts = [
            f"{int(mask.sum()):7d} {all_again[mask].mean() if mask.any() else np.nan:11.3f}"
            for mask in (here & all_right, here & ~all_right)
        ]
        print(f"{low:.2f}-{min(high, 1):.2f} {' '.join(parts)}")


if __name__ == "__main__":
    main()
