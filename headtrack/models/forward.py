"""One way to run a convolutional network: on a CPU by ONNX Runtime, on a GPU by torch in half precision.

On a CPU ONNX Runtime takes half to two thirds of torch's time (`benchmarks/pose_runtime.py`), with the
same output to a hundredth of a pixel. The network is exported once and kept beside the model files.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import onnxruntime
import torch

from headtrack.errors import ModelError
from headtrack.log import LOGGER
from headtrack.models.weights import models_folder

# (N, 3, h, w) float32 in 0..1 to the network's first output, (N, ...) float32.
Forward = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]
Item = TypeVar("Item")

OPSET = 17
EXAMPLE_SHAPE = (1, 3, 64, 96)  # any multiples of the network's stride: its sides stay free
EXPORT_FOLDER = "exported"


def cpu_forward(network: torch.nn.Module, path: Path, *, threads: int) -> Forward:
    """Run a network by ONNX Runtime; any batch and any sides.

    Args:
        network: in `eval` mode; its first output counts.
        path: the file it was read from; the export is kept under its name and content.
        threads: CPU threads; 0 leaves it to ONNX Runtime.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = _session(network, path, options)
    (name,) = (put.name for put in session.get_inputs())
    return lambda planes: np.asarray(session.run(None, {name: planes})[0])


def gpu_forward(network: torch.nn.Module, *, device: str) -> Forward:
    """Run a network by torch in half precision; a batch too large for the memory goes in halves.

    Args:
        network: in `eval` mode; its first output counts.
        device: a torch device.
    """
    network = network.to(device).half()

    def run(planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            return network(torch.from_numpy(planes).to(device).half())[0].float().cpu().numpy()

    return lambda planes: np.concatenate(list(in_halves(run, planes))) if len(planes) else run(planes)


def in_halves(run: Callable[[npt.NDArray[Any]], Item], items: npt.NDArray[Any]) -> Iterator[Item]:
    """Run a function over as many items at once as the memory holds.

    Args:
        run: gets a part of the items; raises `torch.OutOfMemoryError` where it is too large.
        items: (N, ...).

    Yields:
        What the function gives for each part, in order.

    Raises:
        ModelError: not even one item fits.
    """
    size, start = max(len(items), 1), 0
    while start < len(items):
        try:
            part = run(items[start : start + size])
        except torch.OutOfMemoryError as error:
            if size == 1:
                raise ModelError(
                    f"the GPU's memory does not hold a network's pass over one frame of {items.shape[1:]}: "
                    f"{error}; lower detect.image_px, free the GPU or set run.device=cpu"
                ) from error
            size = size // 2
            torch.cuda.empty_cache()
            continue
        yield part
        start += size


def _session(
    network: torch.nn.Module, path: Path, options: onnxruntime.SessionOptions
) -> onnxruntime.InferenceSession:
    kept = models_folder() / EXPORT_FOLDER / f"{path.stem}-{_fingerprint(path)}.onnx"
    if kept.is_file():
        try:
            return _open(kept.read_bytes(), options)
        except Exception as error:  # onnxruntime raises kinds of its own without a common parent
            LOGGER.warning("%s cannot be read (%s); it is exported anew", kept, error)
    exported = _export(network)
    _keep(exported, kept)
    return _open(exported, options)


def _open(model: bytes, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _fingerprint(path: Path) -> str:
    """Give what an export depends on: the weights, and what wrote it."""
    facts = hashlib.sha256(path.read_bytes())
    facts.update(f"{torch.__version__} {OPSET}".encode())
    return facts.hexdigest()[:12]


def _export(network: torch.nn.Module) -> bytes:
    with _exporting(network), warnings.catch_warnings(), tempfile.TemporaryDirectory() as scratch:
        warnings.simplefilter("ignore")  # tracing warns of every shape that it reads
        file = Path(scratch) / "network.onnx"
        torch.onnx.export(
            network,
            (torch.zeros(EXAMPLE_SHAPE),),
            file,
            input_names=["planes"],
            output_names=["rows"],
            dynamic_axes={"planes": {0: "n", 2: "height", 3: "width"}, "rows": {0: "n", 2: "anchors"}},
            opset_version=OPSET,
            # The exporter that traces: the newer one fixes the grid's size where ultralytics caches it.
            dynamo=False,
        )
        return file.read_bytes()


@contextmanager
def _exporting(network: torch.nn.Module) -> Iterator[None]:
    """Let an ultralytics head compute its grid from the input, and forget the last one."""
    head: Any = network.model[-1]  # type: ignore[index]
    before = {name: getattr(head, name) for name in ("export", "format", "dynamic")}
    head.export, head.format, head.dynamic = True, "onnx", True
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(head, name, value)


def _keep(exported: bytes, file: Path) -> None:
    """Keep the export for the next process; where that cannot be, it is made again."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(exported)
        temporary.replace(file)
    except OSError as error:
        LOGGER.debug("the exported network could not be kept at %s: %s", file, error)
        with suppress(OSError):
            temporary.unlink()
