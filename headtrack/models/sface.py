"""Embeds faces with SFace, as a torch module.

Source: Zhong et al., "SFace: Sigmoid-Constrained Hypersphere Loss for Robust Face Recognition",
IEEE TIP 2021; weights of the OpenCV Zoo; alignment as in `cv::FaceRecognizerSF`.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from headtrack.errors import ModelError
from headtrack.models.chips import run_on_chips
from headtrack.models.face_alignment import check_landmarks
from headtrack.models.registry import model_id
from headtrack.ops.vectors import unit
from headtrack.types import FaceEmbeddings

CHIP_PX = 112
EMBEDDING_DIM = 128
# Where the eyes, the nose's tip and the mouth's corners lie in a chip: the ArcFace template.
CHIP_LANDMARKS = np.array(
    [[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]]
)
# Length of the network's output up to which a face counts as unrecognisable, and from which as fully
# recognisable. Pairs of labelled faces, shrunk, blurred and darkened, are told apart the better the
# longer the shorter one: AUC 0.57 at 5 to 6, 0.68, 0.76, 0.85, 0.92, 0.96, and 0.98 above 11
# (`benchmarks/fit_evidence.py`). A grey chip gives 3 to 4.5.
BLANK_LENGTH, CLEAR_LENGTH = 7.0, 11.0


class SFaceEmbedder:
    """Identity embedder: a face and its mirror image through SFace, summed.

    Args:
        path: of `face_recognition_sface_2021dec.onnx`.
        device: `cpu` or `cuda`.
    """

    def __init__(self, path: Path, *, device: str) -> None:
        self._device = torch.device(device)
        chain = read_chain(path).to(self._device).to(memory_format=torch.channels_last)
        self._network = nn.Sequential(_Planes(), chain)

    @property
    def model_id(self) -> str:
        """`name@sha256-prefix`."""
        return model_id("sface")

    @property
    def dim(self) -> int:
        """Length of its vectors."""
        return EMBEDDING_DIM

    def align(self, rgb: npt.NDArray[np.uint8], landmarks: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
        """Cut a (112, 112, 3) uint8 chip; black where it lies outside the image.

        Raises:
            ValueError: landmarks are unknown or lie all in one place.
        """
        check_landmarks(landmarks)
        found = _complex(landmarks)
        centred, wanted = found - found.mean(), _complex(CHIP_LANDMARKS)
        turn = (np.conj(centred) @ (wanted - wanted.mean())) / (np.abs(centred) ** 2).sum()
        shift = wanted.mean() - turn * found.mean()
        to_chip = np.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag]])
        return np.asarray(cv2.warpAffine(rgb, to_chip, (CHIP_PX, CHIP_PX), flags=cv2.INTER_LINEAR), np.uint8)

    def embed(self, chips: npt.NDArray[np.uint8]) -> FaceEmbeddings:
        """Embed (N, 112, 112, 3) uint8 RGB chips; the vectors have 128 numbers."""
        both = self._run(np.stack([chips, chips[:, :, ::-1]], axis=1).reshape(-1, *chips.shape[1:]), views=2)
        raw, mirrored = both[0::2], both[1::2]
        length = np.linalg.norm(raw, axis=1)
        clear = np.clip((length - BLANK_LENGTH) / (CLEAR_LENGTH - BLANK_LENGTH), 0, 1)
        return FaceEmbeddings(vector=unit(unit(raw) + unit(mirrored)), recognisability=clear)

    def embed_raw(self, chips: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Give the network's own output for (N, 112, 112, 3) uint8 RGB chips: (N, 128) float32."""
        return self._run(chips, views=1)

    def _run(self, chips: npt.NDArray[np.uint8], *, views: int) -> npt.NDArray[np.float32]:
        return run_on_chips(
            self._network, chips, side_px=CHIP_PX, dim=EMBEDDING_DIM, device=self._device, views=views
        )


def read_chain(path: Path) -> nn.Sequential:
    """Read an ONNX network whose layers follow one another into torch.

    Raises:
        ModelError: the file is no such network.
    """
    try:
        graph = onnx.load(str(path)).graph
        weights = {w.name: torch.from_numpy(numpy_helper.to_array(w).copy()) for w in graph.initializer}
        layers = [_layer(node, weights).eval() for node in graph.node if node.op_type != "Dropout"]
        return nn.Sequential(*_fused(layers))
    except Exception as error:  # onnx raises protobuf's DecodeError, which is no public name
        raise ModelError(f"model file {path} is not SFace's ONNX network: {error}") from error


def _fused(layers: list[nn.Module]) -> list[nn.Module]:
    """Fold each normalisation into the convolution before it."""
    fused: list[nn.Module] = []
    for layer in layers:
        if isinstance(layer, nn.BatchNorm2d) and fused and isinstance(fused[-1], nn.Conv2d):
            fused[-1] = fuse_conv_bn_eval(fused[-1], layer)
        else:
            fused.append(layer)
    return fused


class _Planes(nn.Module):
    """(N, H, W, 3) uint8 to (N, 3, H, W) float, channels-last in memory as before."""

    def forward(self, chips: torch.Tensor) -> torch.Tensor:
        return chips.permute(0, 3, 1, 2).float()


class _Shifted(nn.Module):
    """Subtracts a number, or multiplies by it."""

    def __init__(self, number: float, *, times: bool) -> None:
        super().__init__()
        self._number, self._times = number, times

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self._number if self._times else x - self._number


def _layer(node: onnx.NodeProto, weights: dict[str, torch.Tensor]) -> nn.Module:
    given = [weights[name] for name in node.input[1:]]
    option = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type in ("Sub", "Mul"):
        return _Shifted(float(given[0]), times=node.op_type == "Mul")
    if node.op_type == "Flatten":
        return nn.Flatten()
    if node.op_type == "PRelu":
        return _filled(nn.PReLU(given[0].numel()), weight=given[0].flatten())
    if node.op_type == "Gemm":
        return _filled(nn.Linear(given[0].shape[1], given[0].shape[0]), weight=given[0], bias=given[1])
    if node.op_type == "BatchNormalization":
        layer = nn.BatchNorm1d if "fc" in node.input[0] else nn.BatchNorm2d
        values = dict(zip(("weight", "bias", "running_mean", "running_var"), given, strict=True))
        return _filled(layer(len(given[0]), eps=option["epsilon"]), **values)
    if node.op_type == "Conv":
        outputs, inputs, height, width = given[0].shape
        groups, stride, padding = option.get("group", 1), option["strides"], option["pads"][:2]
        conv = nn.Conv2d(
            inputs * groups,
            outputs,
            (height, width),
            tuple(stride),
            tuple(padding),
            groups=groups,
            bias=False,
        )
        if len(given) > 1:
            conv.bias = nn.Parameter(torch.empty_like(given[1]))
        return _filled(conv, **dict(zip(("weight", "bias"), given, strict=False)))
    raise ValueError(f"it has a layer of kind {node.op_type}")


def _filled(layer: nn.Module, **values: torch.Tensor) -> nn.Module:
    layer.load_state_dict(values, strict=False)
    missing = set(dict(layer.named_parameters())) - set(values)
    if missing:
        raise ValueError(f"weights {sorted(missing)} of a {type(layer).__name__} are missing")
    return layer


def _complex(xy: npt.NDArray[np.floating]) -> npt.NDArray[np.complexfloating]:
    return xy[:, 0] + 1j * xy[:, 1]
