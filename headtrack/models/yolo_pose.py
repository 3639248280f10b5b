"""People and their keypoints by an ultralytics pose model."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from headtrack.errors import ModelError
from headtrack.models.forward import Export, cpu_forward, gpu_forward
from headtrack.models.letterbox import Letterbox
from headtrack.models.ultralytics_loader import read_network
from headtrack.ops.boxes import nms
from headtrack.types.arrays import as_array, concat, select

MAX_IOU = 0.7  # between two people; Source: ultralytics' default `iou`
MAX_PEOPLE = 300  # a frame; Source: ultralytics' default `max_det`


@contextmanager
def _with_free_grid(network: torch.nn.Module) -> Iterator[None]:
    """Let an ultralytics head compute its grid from the input, and forget the last one."""
    head: Any = network.model[-1]  # type: ignore[index]
    before = {name: getattr(head, name) for name in ("export", "format", "dynamic")}
    head.export, head.format, head.dynamic = True, "onnx", True
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(head, name, value)


EXPORT = Export(
    example=(1, 3, 64, 96),  # any multiples of the network's stride
    free_in={0: "n", 2: "height", 3: "width"},
    free_out={0: "n", 2: "anchors"},
    while_exporting=_with_free_grid,
)


@dataclass(frozen=True, slots=True)
class People:
    """People found in a batch of images, best first in each image.

    Attributes:
        image: (N,) int32 index into the batch.
        xyxy: (N, 4) float32 px.
        score: (N,) float32 in 0..1.
        keypoints: (N, 17, 3) float32: x and y in px, confidence in 0..1; COCO order, left and
            right are the person's.
    """

    image: npt.NDArray[np.int32]
    xyxy: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]
    keypoints: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(self.image)
        for name, dtype, shape in (
            ("image", np.int32, (n,)),
            ("xyxy", np.float32, (n, 4)),
            ("score", np.float32, (n,)),
            ("keypoints", np.float32, (n, 17, 3)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))

    def __len__(self) -> int:
        return len(self.image)

    def __getitem__(self, index: Any) -> People:
        return select(self, index)

    @staticmethod
    def empty() -> People:
        """Give no people at all."""
        none = np.zeros(0, np.float32)
        return People(none.astype(np.int32), none.reshape(0, 4), none, none.reshape(0, 17, 3))

    @staticmethod
    def join(parts: list[People]) -> People:
        """Join people of several images in the order given."""
        return concat(parts, People.empty())


class YoloPose:
    """A pose network held on one device.

    The result of an image never depends on the others of its batch: on a CPU each goes through
    the network alone, which costs nothing there.
    """

    def __init__(self, path: Path, *, image_px: int, min_score: float, device: str, threads: int = 0) -> None:
        """Load the network.

        Args:
            path: an ultralytics `.pt` file with 17 COCO keypoints.
            image_px: longest side at which the network sees an image.
            min_score: lowest score of a person that is given.
            device: a torch device, such as `cpu` or `cuda`.
            threads: CPU threads of the network; 0: all.

        Raises:
            ModelError: the file is not such a model.
        """
        self._one_by_one = device == "cpu"
        self._forward = (
            cpu_forward(lambda: load_pose_network(path), path, EXPORT, threads=threads)
            if self._one_by_one
            else gpu_forward(load_pose_network(path), device=device)
        )
        self._image_px = image_px
        self._min_score = min_score

    def at(self, image_px: int) -> YoloPose:
        """Give the same network, looking at images of another longest side."""
        other = copy.copy(self)
        other._image_px = image_px
        return other

    @property
    def images_at_once(self) -> int | None:
        """How many images go through the network together; None: all that `find` is given."""
        return 1 if self._one_by_one else None

    def find(self, rgb: npt.NDArray[np.uint8]) -> People:
        """Find the people of each image.

        Args:
            rgb: (N, H, W, 3) uint8.
        """
        at_once = self.images_at_once or max(len(rgb), 1)
        parts = [self._find(rgb[i : i + at_once], first=i) for i in range(0, len(rgb), at_once)]
        return People.join(parts)

    def _find(self, rgb: npt.NDArray[np.uint8], *, first: int) -> People:
        view = Letterbox.of(rgb.shape[2], rgb.shape[1], image_px=self._image_px)
        pixels = np.stack([view.apply(image) for image in rgb])  # (N, h, w, 3)
        planes = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2), np.float32) / np.float32(255)
        raw = self._forward(planes).transpose(0, 2, 1)  # (N, anchors, 4 + 1 + 51)
        return People.join([_decode(rows, view, self._min_score, first + i) for i, rows in enumerate(raw)])


def _decode(rows: npt.NDArray[np.float32], view: Letterbox, min_score: float, image: int) -> People:
    rows = rows[rows[:, 4] >= min_score]
    half = rows[:, 2:4] / 2
    xyxy = np.concatenate([rows[:, :2] - half, rows[:, :2] + half], axis=1)
    kept = nms(xyxy, rows[:, 4], max_iou=MAX_IOU)[:MAX_PEOPLE]
    rows, xyxy = rows[kept], xyxy[kept]
    keypoints = rows[:, 5:].reshape(len(rows), 17, 3)
    return People(
        image=np.full(len(rows), image),
        xyxy=view.to_image(xyxy.reshape(-1, 2, 2)).reshape(-1, 4),
        score=rows[:, 4],
        keypoints=np.concatenate([view.to_image(keypoints[..., :2]), keypoints[..., 2:]], axis=2),
    )


def load_pose_network(path: Path) -> torch.nn.Module:
    """Read an ultralytics pose model, ready to run on a CPU.

    Raises:
        ModelError: the file is not a COCO pose model.
    """
    try:
        network = read_network(path)
        keypoints = tuple(network.model[-1].kpt_shape)
    except Exception as error:  # ultralytics raises many kinds, and each means the same here
        raise ModelError(
            f"{path} cannot be loaded as an ultralytics pose model: {error}; "
            "fetch it again with `headtrack models pull`"
        ) from error
    if keypoints != (17, 3):
        raise ModelError(f"{path} gives keypoints of shape {keypoints}; a COCO pose model gives (17, 3)")
    return network.fuse(verbose=False).float().eval()
