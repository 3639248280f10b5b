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
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
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
EXPORT_FOLDER = "exported"


@dataclass(frozen=True, slots=True)
class Export:
    """How a network is written out.

    Attributes:
        example: shape of an input; axes that are free may have any length.
        free_in: names of the free axes of the input.
        free_out: names of the free axes of the output.
        while_exporting: what the network needs for it.
    """

    example: tuple[int, int, int, int]
    free_in: dict[int, str]
    free_out: dict[int, str]
    while_exporting: Callable[[torch.nn.Module], AbstractContextManager[object]] = nullcontext


def cpu_forward(
    network: Callable[[], torch.nn.Module], path: Path, export: Export, *, threads: int
) -> Forward:
    """Run a network by ONNX Runtime; any batch and any length of its free axes.

    Args:
        network: makes it, in `eval` mode, where it was not exported before; its first output counts.
        path: the file it is read from; the export is kept under its name and content.
        export: how it is written out.
        threads: CPU threads; 0 leaves it to ONNX Runtime.
    """
    session = _session(network, path, export, cpu_options(threads))
    (name,) = (put.name for put in session.get_inputs())
    return lambda planes: np.asarray(session.run(None, {name: planes})[0])


def cpu_options(threads: int) -> onnxruntime.SessionOptions:
    """Give the options of a network on a CPU that it shares with others: its threads do not spin in wait."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


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
    network: Callable[[], torch.nn.Module], path: Path, export: Export, options: onnxruntime.SessionOptions
) -> onnxruntime.InferenceSession:
    kept = models_folder() / EXPORT_FOLDER / f"{path.stem}-{_fingerprint(path)}.onnx"
    if kept.is_file():
        try:
            return _open(kept.read_bytes(), options)
        except Exception as error:  # onnxruntime raises kinds of its own without a common parent
            LOGGER.warning("%s cannot be read (%s); it is exported anew", kept, error)
    exported = _export(network(), export)
    _keep(exported, kept)
    return _open(exported, options)


def _open(model: bytes, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _fingerprint(path: Path) -> str:
    """Give what an export depends on: the weights, and what wrote it."""
    facts = hashlib.sha256(path.read_bytes())
    facts.update(f"{torch.__version__} {OPSET}".encode())
    return facts.hexdigest()[:12]


def _export(network: torch.nn.Module, export: Export) -> bytes:
    with (
        export.while_exporting(network),
        warnings.catch_warnings(),
        tempfile.TemporaryDirectory() as scratch,
    ):
        warnings.simplefilter("ignore")  # tracing warns of every shape that it reads
        file = Path(scratch) / "network.onnx"
        torch.onnx.export(
            network,
            (torch.zeros(export.example),),
            file,
            input_names=["planes"],
            output_names=["rows"],
            dynamic_axes={"planes": export.free_in, "rows": export.free_out},
            opset_version=OPSET,
            # The exporter that traces: the newer one fixes the grid's size where ultralytics caches it.
            dynamo=False,
        )
        return file.read_bytes()


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
