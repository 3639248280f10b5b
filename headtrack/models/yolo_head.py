"""Head boxes straight from an ultralytics detector whose class is a head."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.errors import ModelError
from headtrack.models.letterbox import PAD_VALUE, Letterbox
from headtrack.models.yolo_networks import NETWORKS
from headtrack.ops.boxes import clip_boxes, nms
from headtrack.ops.head_doubles import MAX_IOA, MAX_IOU
from headtrack.types import HeadBoxes

HEAD_CLASSES = ("head", "heads")
# A network with one of these as its only class is good at something else.
OTHER_CLASSES = ("person", "people", "pedestrian", "body", "face", "faces")
MAX_CANDIDATES = 1000  # of an image that are compared with one another
END_TO_END_COLUMNS = 6  # x1, y1, x2, y2, score, class: networks that suppress doubles themselves
PROBE_PX = 160


class YoloHead:
    """The detector, held on one device.

    The result of an image never depends on the others of its batch: on a CPU each goes through
    the network alone.
    """

    def __init__(self, path: Path, *, image_px: int, min_score: float, device: str, threads: int) -> None:
        """Load the network and try it on a grey image.

        Args:
            path: a `.pt`, `.onnx` or `.engine` file of an ultralytics detector with one class, or with
                a class named head.
            image_px: longest side at which the network sees an image; a file whose input is fixed
                keeps its own.
            min_score: lowest score of a head that is given.
            device: `cpu` or `cuda`.
            threads: CPU threads of onnxruntime.

        Raises:
            ModelError: the file is broken, is no detector, has no class head, or cannot run here.
        """
        self._network = NETWORKS[path.suffix.lower()](path, device=device, threads=threads)
        if self._network.task != "detect":
            raise ModelError(
                f"{path} is an ultralytics model for {self._network.task}, with the classes "
                f"{listed(self._network.names)}; give a detector (task detect) with the class head"
            )
        self._class = head_class(self._network.names, path)
        self._path, self._image_px, self._min_score = path, image_px, min_score
        self._at_once = self._network.batch_size or (1 if device == "cpu" else None)
        try:
            self.find(np.full((1, PROBE_PX, PROBE_PX, 3), PAD_VALUE, np.uint8))
        except ModelError:
            raise
        except Exception as error:  # torch, onnxruntime and TensorRT each raise their own kinds
            raise ModelError(f"{path} cannot be run: {error}; export or train it again") from error

    def find(self, rgb: npt.NDArray[np.uint8]) -> list[HeadBoxes]:
        """Find the heads of each image.

        Args:
            rgb: (N, H, W, 3) uint8.
        """
        if len(rgb) == 0:
            return []
        height, width = rgb.shape[1:3]
        fixed = self._network.input_size
        view = (
            Letterbox.of(width, height, image_px=self._image_px)
            if fixed is None
            else Letterbox.within(width, height, padded=fixed)
        )
        at_once = self._at_once or len(rgb)
        found: list[HeadBoxes] = []
        for start in range(0, len(rgb), at_once):
            pixels = np.stack([view.apply(image) for image in rgb[start : start + at_once]])
            n = len(pixels)
            if self._network.batch_size is not None:  # the last batch is filled up
                pixels = np.concatenate([pixels, np.zeros_like(pixels[:1]).repeat(at_once - n, axis=0)])
            found += [self._decode(rows, view, (width, height)) for rows in self._network.run(pixels)[:n]]
        return found

    def _decode(
        self, rows: npt.NDArray[np.float32], view: Letterbox, image_size: tuple[int, int]
    ) -> HeadBoxes:
        """Turn one image's output into heads: rows are 4 + classes by anchors, or already suppressed."""
        if rows.ndim == 2 and rows.shape[0] == 4 + len(self._network.names):
            score = rows[4 + self._class]
            middle, half = rows[:2].T, rows[2:4].T / 2
            xyxy = np.concatenate([middle - half, middle + half], axis=1)
        elif rows.ndim == 2 and rows.shape[1] == END_TO_END_COLUMNS:
            rows = rows[rows[:, 5] == self._class]
            xyxy, score = rows[:, :4], rows[:, 4]
        else:
            raise ModelError(
                f"{self._path} gives {rows.shape} numbers an image, unlike a YOLO detector with the classes "
                f"{listed(self._network.names)}; export one without nms, or give its .pt file"
            )
        likely = np.flatnonzero(score >= self._min_score)
        likely = likely[np.argsort(-score[likely], kind="stable")][:MAX_CANDIDATES]
        xyxy = view.to_image(xyxy[likely].reshape(-1, 2, 2)).reshape(-1, 4)
        xyxy = clip_boxes(xyxy, width=image_size[0], height=image_size[1])
        kept = nms(xyxy, score[likely], max_iou=MAX_IOU, max_ioa=MAX_IOA)
        return HeadBoxes(xyxy[kept], score[likely][kept])


def head_class(names: Mapping[int, str], path: Path) -> int:
    """Give the index of the class that is a head: the one named so, or else the only one.

    Args:
        names: of all classes, by index.
        path: of the file, for the error.

    Raises:
        ModelError: no class is a head.

    >>> head_class({0: "person", 1: "Head"}, Path("a.pt"))
    1
    """
    named = [index for index, name in names.items() if name.strip().lower() in HEAD_CLASSES]
    if len(named) == 1:
        return named[0]
    only = list(names.items())
    if not named and len(only) == 1 and only[0][1].strip().lower() not in OTHER_CLASSES:
        return only[0][0]
    raise ModelError(
        f"{path} has no single class that is a head; its classes are {listed(names)}; give a detector with "
        "one class, or with a class named head (`headtrack train detector` makes one)"
    )


def listed(names: Mapping[int, str], *, at_most: int = 12) -> str:
    """List class names, the first few where there are many.

    >>> listed({0: "cat", 1: "dog"})
    'cat, dog'
    """
    words = list(names.values())
    more = f" and {len(words) - at_most} more" if len(words) > at_most else ""
    return ", ".join(words[:at_most]) + more
