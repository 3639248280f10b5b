"""Embeds faces with dlib's face ResNet, as a torch module.

Source: dlib/examples/dnn_face_recognition_ex.cpp (`anet_type`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from headtrack.models.chips import run_on_chips
from headtrack.models.dlib_dat import ConvLayer, FaceResnetWeights, read_face_resnet
from headtrack.models.dlib_landmarks import ShapePredictor
from headtrack.models.face_alignment import align_face
from headtrack.models.registry import model_id
from headtrack.ops.vectors import unit
from headtrack.types import FaceEmbeddings

CHIP_PX = 150
EMBEDDING_DIM = 128
PIXEL_SCALE = 256.0
BLANK_LEVELS = (10, 40, 80, 128, 180, 230)
# Cosine to the blank face from which a face counts as unrecognisable, and up to which as fully
# recognisable. Labelled faces, shrunk to 24 px at the least, reach 0.89; blurred strangers in the
# dark lie at 0.95 to 0.99.
BLANK_COSINE, CLEAR_COSINE = 0.93, 0.86


class ResidualBlock(nn.Module):
    """Two convolutions around a shortcut; a stride of 2 halves the shortcut by averaging.

    Where the two differ in channels or size, the smaller is padded with zeros at its far end.
    """

    def __init__(self, first: ConvLayer, second: ConvLayer) -> None:
        super().__init__()
        self.first = _conv(first)
        self.second = _conv(second)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (N, I, H, W) to (N, O, H', W')."""
        y = self.second(functional.relu(self.first(x)))
        if self.first.stride != (1, 1):
            x = functional.avg_pool2d(x, 2)
        channels, height, width = (max(a, b) for a, b in zip(x.shape[1:], y.shape[1:], strict=True))
        return functional.relu(_padded(x, channels, height, width) + _padded(y, channels, height, width))


class FaceResnet(nn.Module):
    """(N, 150, 150, 3) uint8 RGB chips to (N, 128) float32, not of unit length."""

    def __init__(self, weights: FaceResnetWeights) -> None:
        super().__init__()
        self.register_buffer("mean_rgb", torch.from_numpy(weights.mean_rgb).view(1, 3, 1, 1))
        stem, *rest = weights.convs
        self.stem = _conv(stem)
        self.blocks = nn.Sequential(
            *(ResidualBlock(a, b) for a, b in zip(rest[::2], rest[1::2], strict=True))
        )
        self.linear = nn.Linear(weights.linear.shape[1], weights.linear.shape[0], bias=False)
        self.linear.weight.data = torch.from_numpy(weights.linear)

    def forward(self, chips: torch.Tensor) -> torch.Tensor:
        """Embed a batch of chips."""
        x = chips.permute(0, 3, 1, 2).float()
        x = (x - self.get_buffer("mean_rgb")) / PIXEL_SCALE
        x = functional.max_pool2d(functional.relu(self.stem(x)), 3, 2)
        x = self.blocks(x).mean(dim=(2, 3))
        return self.linear(x)


class DlibFaceEmbedder:
    """Identity embedder: aligns a face as dlib does and embeds it with dlib's ResNet.

    Args:
        network: path of `dlib_face_recognition_resnet_model_v1.dat`.
        predictor: path of `shape_predictor_5_face_landmarks.dat`.
        device: `cpu` or `cuda`.
    """

    def __init__(self, network: Path, predictor: Path, *, device: str) -> None:
        self._device = torch.device(device)
        self._network = FaceResnet(read_face_resnet(network)).eval().to(self._device)
        self._predictor = ShapePredictor(predictor)
        self._blank = self._blank_face()

    @property
    def model_id(self) -> str:
        """`name@sha256-prefix`."""
        return model_id("dlib-face-resnet")

    @property
    def dim(self) -> int:
        """Length of its vectors."""
        return EMBEDDING_DIM

    def align(self, rgb: npt.NDArray[np.uint8], landmarks: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
        """Cut a (150, 150, 3) uint8 chip; see `face_alignment.align_face`."""
        return align_face(self._predictor, rgb, landmarks)

    def embed(self, chips: npt.NDArray[np.uint8]) -> FaceEmbeddings:
        """Embed (N, 150, 150, 3) uint8 RGB chips; the vectors have 128 numbers.

        dlib's own vectors are 1.25 to 1.65 long. Their angles tell people apart as well as their
        distances do: AUC 1.0000 against 0.9998 on 46 stills, 0.9635 against 0.9618 on all faces.
        """
        vector = unit(self.embed_raw(chips))
        clear = (BLANK_COSINE - vector @ self._blank) / (BLANK_COSINE - CLEAR_COSINE)
        return FaceEmbeddings(vector=vector, recognisability=np.clip(clear, 0, 1))

    def embed_raw(self, chips: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Embed chips as dlib's `compute_face_descriptor` does.

        Args:
            chips: (N, 150, 150, 3) uint8 RGB, as `face_chip` cuts them.

        Returns:
            (N, 128) float32; dlib's distances of 0.6 hold between these.
        """
        return run_on_chips(self._network, chips, side_px=CHIP_PX, dim=EMBEDDING_DIM, device=self._device)

    def _blank_face(self) -> npt.NDArray[np.float32]:
        """Give the (128,) unit direction into which faces fall that show nothing.

        Blurred and dark faces of all people embed close to one another, and close to even grey chips.

        Source: the centre of unrecognizable identities of Deng et al., "Harnessing Unrecognizable
        Faces for Improving Face Recognition", WACV 2023; from grey chips instead of a clustering (ours).
        """
        chips = [np.full((CHIP_PX, CHIP_PX, 3), level, np.uint8) for level in BLANK_LEVELS]
        return unit(unit(self.embed_raw(np.stack(chips))).mean(axis=0)[None])[0]


def _conv(layer: ConvLayer) -> nn.Conv2d:
    outputs, inputs, height, width = layer.weight.shape
    conv = nn.Conv2d(inputs, outputs, (height, width), layer.stride, layer.padding)
    conv.weight.data = torch.from_numpy(layer.weight)
    conv.bias = nn.Parameter(torch.from_numpy(layer.bias))
    return conv


def _padded(x: torch.Tensor, channels: int, height: int, width: int) -> torch.Tensor:
    lacking = (channels - x.shape[1], height - x.shape[2], width - x.shape[3])
    if not any(lacking):
        return x
    return functional.pad(x, (0, lacking[2], 0, lacking[1], 0, lacking[0]))
