"""Finds faces and five landmarks with CenterFace.

Source: Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point",
arXiv 1911.03599; output layout as in the authors' decoder.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime

from headtrack.errors import ModelError
from headtrack.models.forward import cpu_options
from headtrack.ops.boxes import clip_boxes, nms

STRIDE_PX = 4  # of the network's output
SIDE_MULTIPLE = 32  # its input's sides are multiples of this
MAX_IOU = 0.3  # of two faces kept, as in the authors' decoder
MAX_ENLARGEMENT = 2.0  # of a small frame: faces that fill the network's view are missed
BATCH_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Faces:
    """Faces of one frame, best first.

    Attributes:
        xyxy: (N, 4) float32 px, brow to chin, clipped to the frame.
        score: (N,) float32 in 0..1.
        landmarks: (N, 5, 2) float32 px, ordered as in `Heads.landmarks`.
    """

    xyxy: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]
    landmarks: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.score)


class CenterFace:
    """The network, held by onnxruntime.

    Args:
        path: of `centerface.onnx`.
        threads: CPU threads.
        image_px: longest side at which the network sees a frame; smaller ones are at most doubled.
        min_score: lowest score of a face that is kept.
        device: `cpu`, or `cuda` where onnxruntime was built for it.
    """

    def __init__(self, path: Path, *, threads: int, image_px: int, min_score: float, device: str) -> None:
        self._image_px = image_px
        self._min_score = min_score
        wanted = (
            ["CUDAExecutionProvider", "CPUExecutionProvider"]
            if device == "cuda"
            else ["CPUExecutionProvider"]
        )
        providers = [name for name in wanted if name in onnxruntime.get_available_providers()]
        self._session = onnxruntime.InferenceSession(
            _with_free_size(path), cpu_options(threads), providers=providers
        )

    def at(self, image_px: int) -> CenterFace:
        """Give the same network, looking at frames of another longest side."""
        other = copy.copy(self)
        other._image_px = image_px
        return other

    def detect_faces(self, rgb: npt.NDArray[np.uint8]) -> list[Faces]:
        """Find the faces of each frame.

        Args:
            rgb: (N, H, W, 3) uint8.

        Returns:
            One value a frame.
        """
        found: list[Faces] = []
        for start in range(0, len(rgb), BATCH_FRAMES):
            found += self._detect_batch(rgb[start : start + BATCH_FRAMES])
        return found

    def _detect_batch(self, rgb: npt.NDArray[np.uint8]) -> list[Faces]:
        height, width = rgb.shape[1:3]
        scale = min(self._image_px / max(height, width), MAX_ENLARGEMENT)
        small = max(1, round(width * scale)), max(1, round(height * scale))
        padded = [-(-side // SIDE_MULTIPLE) * SIDE_MULTIPLE for side in small]
        planes = np.zeros((len(rgb), 3, padded[1], padded[0]), np.float32)
        method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        for plane, image in zip(planes, rgb, strict=True):
            resized = cv2.resize(image, small, interpolation=method)
            plane[:, : small[1], : small[0]] = resized.transpose(2, 0, 1)
        found = self._session.run(None, {self._session.get_inputs()[0].name: planes})
        maps = [np.asarray(values, np.float32) for values in found]
        to_frame = np.array([width / small[0], height / small[1]], np.float32)
        return [
            _decode([m[i] for m in maps], to_frame, rgb.shape[1:3], self._min_score) for i in range(len(rgb))
        ]


def _decode(
    maps: list[npt.NDArray[np.float32]],
    to_frame: npt.NDArray[np.float32],
    frame_shape: tuple[int, ...],
    min_score: float,
) -> Faces:
    """Turn the network's output for one frame into faces.

    Args:
        maps: score (1, h, w), log size (2, h, w), offset (2, h, w), landmarks (10, h, w); each y
            before x.
        to_frame: (2,) frame pixels a network pixel, in x and y.
        frame_shape: height and width of the frame.
        min_score: lowest score that is kept.
    """
    heat, log_size, offset, points = maps
    row, column = np.nonzero(heat[0] >= min_score)
    score = heat[0, row, column]
    sides = np.exp(log_size[::-1, row, column].T) * STRIDE_PX  # (N, 2) width, height
    cell = np.stack([column, row], axis=1) + 0.5 + offset[::-1, row, column].T
    corner = cell * STRIDE_PX - sides / 2
    marks = points[:, row, column].T.reshape(-1, 5, 2)[:, :, ::-1] * sides[:, None] + corner[:, None]
    xyxy = np.concatenate([corner, corner + sides], axis=1) * np.tile(to_frame, 2)
    xyxy = clip_boxes(xyxy.astype(np.float32), width=frame_shape[1], height=frame_shape[0])
    kept = nms(xyxy, score, max_iou=MAX_IOU)
    return Faces(xyxy[kept], score[kept], (marks * to_frame).astype(np.float32)[kept])


def _with_free_size(path: Path) -> bytes:
    """Give the network with any batch, height and width; the file fixes them at 10 x 32 x 32."""
    try:
        model = onnx.load(str(path))
    except Exception as error:  # onnx raises protobuf's DecodeError, which is no public name
        raise ModelError(f"model file {path} is not an ONNX network: {error}") from error
    graph = model.graph
    weights = {initializer.name for initializer in graph.initializer}
    used = {name for node in graph.node for name in node.input}
    inputs = [value for value in graph.input if value.name not in weights]
    for value, scale in [(inputs[0], "in"), *((output, "out") for output in graph.output)]:
        dims = value.type.tensor_type.shape.dim
        for axis, name in ((0, "batch"), (2, f"height_{scale}"), (3, f"width_{scale}")):
            dims[axis].dim_param = name
    kept = [initializer for initializer in graph.initializer if initializer.name in used]
    graph.ClearField("input")  # also lists the weights, which keeps onnxruntime from folding them
    graph.input.extend(inputs)
    graph.ClearField("initializer")  # also holds batch counters of the training
    graph.initializer.extend(kept)
    return model.SerializeToString()
