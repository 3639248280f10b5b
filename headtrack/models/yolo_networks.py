"""The three kinds of ultralytics detector files, each as one function from pixels to raw rows."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime
import torch

from headtrack.errors import ModelError
from headtrack.models.ultralytics_loader import import_ultralytics, read_network

EXPORT_AGAIN = "export the model with ultralytics, or give the .pt file it was made from"
NOT_RT_DETR = "give a YOLO detector, or put it in by a Python file (docs/detectors.md)"


class YoloNetwork(Protocol):
    """A detection network in memory.

    Attributes:
        names: of its classes, by index.
        task: what it was trained for, as ultralytics calls it.
        input_size: width and height of its input where these are fixed.
        batch_size: the number of images it takes at once where that is fixed.
    """

    names: Mapping[int, str]
    task: str
    input_size: tuple[int, int] | None
    batch_size: int | None

    def run(self, pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Turn (N, h, w, 3) RGB pixels into the network's first output."""
        ...


class TorchNetwork:
    """A `.pt` file."""

    def __init__(self, path: Path, *, device: str, threads: int) -> None:
        """Load the file; torch's threads are set elsewhere."""
        try:
            network = read_network(path)
            names = network.names
            self.names: Mapping[int, str] = dict(enumerate(names) if isinstance(names, list) else names)
            self.task = str(network.task)
            self._network = network.fuse(verbose=False).float().eval().to(device)
        except Exception as error:  # ultralytics raises many kinds, and each means the same here
            raise ModelError(
                f"{path} cannot be loaded as an ultralytics model: {error}; give a .pt file that ultralytics "
                "or `headtrack train detector` wrote"
            ) from error
        if type(network).__name__ == "RTDETRDetectionModel":
            raise ModelError(f"{path} is an RT-DETR; {NOT_RT_DETR}")
        self.input_size = None
        self.batch_size = None
        self._device = device

    def run(self, pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """See `YoloNetwork.run`."""
        with torch.inference_mode():
            raw = self._network(as_planes(pixels, self._device))
        return as_rows(raw)


class OnnxNetwork:
    """An `.onnx` file, held by onnxruntime."""

    def __init__(self, path: Path, *, device: str, threads: int) -> None:
        """Load the file on the GPU where it is wanted and onnxruntime was built for it."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        wanted = ["CUDAExecutionProvider"] if device == "cuda" else []
        providers = [
            p for p in (*wanted, "CPUExecutionProvider") if p in onnxruntime.get_available_providers()
        ]
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=providers)
        except Exception as error:  # onnxruntime's own classes are no public names
            raise ModelError(
                f"{path} cannot be loaded as an ONNX network: {error}; {EXPORT_AGAIN}"
            ) from error
        metadata = self._session.get_modelmeta().custom_metadata_map
        self.names, self.task = _described(path, metadata)
        (first, *_) = self._session.get_inputs()
        self._input, self._type = first.name, np.float16 if "float16" in first.type else np.float32
        batch, _, height, width = first.shape
        fixed = isinstance(width, int) and isinstance(height, int)
        self.input_size = (width, height) if fixed else None
        self.batch_size = batch if isinstance(batch, int) else None

    def run(self, pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """See `YoloNetwork.run`."""
        planes = as_planes(pixels, "cpu").numpy().astype(self._type, copy=False)
        return np.asarray(self._session.run(None, {self._input: planes})[0], np.float32)


class EngineNetwork:
    """An `.engine` file: a TensorRT network made for one kind of GPU."""

    def __init__(self, path: Path, *, device: str, threads: int) -> None:
        """Load the file; what ultralytics wrote before the engine names its classes and its input."""
        if device != "cuda" or importlib.util.find_spec("tensorrt") is None:
            lacking = "an NVIDIA GPU" if device != "cuda" else "the Python package tensorrt"
            raise ModelError(
                f"{path} needs {lacking}, which is not here (run.device is {device}); take the .pt or .onnx "
                "file of the same model, or run where the engine was made"
            )
        metadata = read_engine_metadata(path)
        self.names, self.task = _described(path, metadata)
        import_ultralytics()
        from ultralytics.nn.autobackend import AutoBackend

        try:
            with contextlib.redirect_stdout(sys.stderr):
                self._engine = AutoBackend(str(path), device=torch.device("cuda:0"), verbose=False)
        except Exception as error:  # TensorRT and ultralytics raise many kinds
            raise ModelError(
                f"{path} cannot be loaded by TensorRT: {error}; an engine fits one kind of GPU and one "
                "version of TensorRT: export it again on this machine"
            ) from error
        height, width = metadata["imgsz"]
        dynamic = bool(metadata.get("dynamic", False))
        self.input_size = None if dynamic else (int(width), int(height))
        self.batch_size = int(metadata.get("batch", 1))

    def run(self, pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """See `YoloNetwork.run`."""
        with torch.inference_mode():
            return as_rows(self._engine(as_planes(pixels, "cuda:0")))


NETWORKS: dict[str, type[TorchNetwork] | type[OnnxNetwork] | type[EngineNetwork]] = {
    ".pt": TorchNetwork,
    ".onnx": OnnxNetwork,
    ".engine": EngineNetwork,
}


def as_planes(pixels: npt.NDArray[np.uint8], device: str) -> torch.Tensor:
    """Turn (N, h, w, 3) uint8 pixels into (N, 3, h, w) float32 in 0..1 on a device."""
    planes = torch.from_numpy(pixels).to(device).permute(0, 3, 1, 2).float() / 255
    return planes.contiguous()


def as_rows(raw: Any) -> npt.NDArray[np.float32]:
    """Give the first output of a network as a float32 array."""
    first = raw[0] if isinstance(raw, (tuple, list)) else raw
    return np.asarray(first.float().cpu().numpy(), np.float32)


def read_engine_metadata(path: Path) -> dict[str, Any]:
    """Read what ultralytics wrote before a TensorRT engine: a length, then JSON of that length.

    Raises:
        ModelError: nothing of the kind is there.
    """
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(4), "little", signed=True)
            metadata = json.loads(file.read(length).decode()) if 0 < length < 1 << 20 else None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} is no engine that ultralytics made: {error}; {EXPORT_AGAIN}") from error
    if not isinstance(metadata, dict):
        raise ModelError(f"{path} is no engine that ultralytics made: it names no classes; {EXPORT_AGAIN}")
    return metadata


def _described(path: Path, metadata: Mapping[str, Any]) -> tuple[dict[int, str], str]:
    """Give classes and task as ultralytics notes them in the files it exports."""
    names = metadata.get("names")
    if metadata.get("head") == "RTDETRDecoder":
        raise ModelError(f"{path} is an RT-DETR; {NOT_RT_DETR}")
    try:
        named: Any = ast.literal_eval(names) if isinstance(names, str) else names
        return {int(index): str(name) for index, name in named.items()}, str(metadata["task"])
    except (AttributeError, KeyError, ValueError, SyntaxError) as error:
        raise ModelError(
            f"{path} does not say which classes it finds (names: {names!r}); {EXPORT_AGAIN}"
        ) from error
