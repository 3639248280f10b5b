"""Measures what looking at a small copy of the frame gains on close-ups.

    python benchmarks/close_ups.py YOLO_DIR [--crops 150]

Cuts windows out of labelled pictures so that one head fills 40 to 100 % of the window's height, somewhere in
it, often without shoulders, enlarges them to 640 px and counts how often the head is found at IoU 0.5 and
how many other boxes there are, without and with the small copy.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from yolo_labels import labelled_heads

from headtrack.models.evidence_finder import EvidenceFinder
from headtrack.models.head_detector import PoseFaceDetector
from headtrack.ops.boxes import iou_matrix
from headtrack.ops.head_fits import HEAD_FITS
from headtrack.ops.head_rows import heads_of_union
from headtrack.ops.head_union import unite_heads
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, Heads

MIN_HEAD_PX = 70  # a smaller one is no more than a blur when it fills the window
LONGEST_PX = 640
MIN_IOU = 0.5


def windows(data: Path, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give close-ups as RGB pictures with the box of their head in px, in random order."""
    paths = sorted((data / "images").glob("*.jpg"))
    for k in rng.permutation(len(paths)):
        bgr = cv2.imread(str(paths[k]))
        height, width = bgr.shape[:2]
        boxes = labelled_heads(data, paths[k].stem) * ([width, height] * 2)
        large = np.flatnonzero(boxes[:, 3] - boxes[:, 1] >= MIN_HEAD_PX)
        if not len(large):
            continue
        x1, y1, x2, y2 = boxes[rng.choice(large)]
        tall = min((y2 - y1) / rng.uniform(0.4, 1.0), height)
        wide = min(tall * 16 / 9, width)
        left = np.clip(rng.uniform(x2 - wide, x1), 0, width - wide)
        top = np.clip(rng.uniform(y2 - tall, y1), 0, height - tall)
        part = bgr[round(top) : round(top + tall), round(left) : round(left + wide)]
        scale = LONGEST_PX / max(part.shape[:2])
        large_part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        head = (np.array([x1, y1, x2, y2]) - [left, top, left, top]) * scale
        limits = [large_part.shape[1], large_part.shape[0]] * 2
        yield cv2.cvtColor(large_part, cv2.COLOR_BGR2RGB), np.clip(head, 0, limits)


def main() -> None:
    """Look at each close-up both ways and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--crops", type=int, default=150)
    args = parser.parse_args()
    settings = DetectSettings()
    finder = EvidenceFinder(settings, device="cpu", threads=2)
    detector = PoseFaceDetector(settings, device="cpu", threads=2)
    found: dict[str, list[tuple[bool, float]]] = {"without": [], "with": []}
    for n, (rgb, head) in enumerate(windows(args.data, np.random.default_rng(0))):
        if n == args.crops:
            break
        batch = FrameBatch(rgb[None], np.zeros(1, np.int32), np.zeros(1))
        (evidence,) = finder.find(batch)
        alone: Heads = heads_of_union(0, unite_heads(evidence, HEAD_FITS), evidence, settings)
        for name, heads in (("without", alone), ("with", detector.detect(batch))):
            iou = iou_matrix(head[None], heads.xyxy)[0]
            found[name].append((bool(iou.max(initial=0) >= MIN_IOU), float(iou.max(initial=0))))
    print(f"{len(found['with'])} close-ups   recall at IoU {MIN_IOU}   mean of the best IoU")
    for name, rows in found.items():
        hit, iou = np.array(rows).T
        print(f"{name:8} the small copy {hit.mean():12.3f} {iou.mean():20.3f}")


if __name__ == "__main__":
    main()
