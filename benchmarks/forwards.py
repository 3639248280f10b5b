"""Notes every pass through a network in this process, and runs the same passes again, bare."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook


@dataclass(slots=True)
class Forwards:
    """Passes through networks, by network and shape of the input.

    Attributes:
        count: passes of each kind.
        bare: of each kind, one pass over an input that was really seen.
        name: of each network.
        threads: of each network, that one pass takes.
        taken: seconds that the passes of each network took as they were noted.
    """

    count: Counter[tuple[int, tuple[int, ...]]] = field(default_factory=Counter)
    bare: dict[tuple[int, tuple[int, ...]], Callable[[], Any]] = field(default_factory=dict)
    name: dict[int, str] = field(default_factory=dict)
    threads: dict[int, int] = field(default_factory=dict)
    taken: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def note(
        self, network: object, name: str, shape: tuple[int, ...], threads: int, bare: Callable[[], Any]
    ) -> None:
        """Count a pass; passes may be noted from several threads."""
        self.threads[id(network)] = threads
        self.count[id(network), shape] += 1
        self.bare.setdefault((id(network), shape), bare)
        self.name.setdefault(id(network), name)

    def again(self, threads: int) -> dict[str, float]:
        """Run as many passes as were noted; give the seconds that each network took.

        Args:
            threads: in all; where one pass takes fewer, several go on at once.
        """
        seconds: dict[str, float] = {}
        for (network, shape), count in self.count.items():
            bare = self.bare[network, shape]
            with ThreadPoolExecutor(max(1, threads // self.threads[network])) as pool:
                list(pool.map(lambda _, bare=bare: bare(), range(threads)))
                started = time.perf_counter()
                list(pool.map(lambda _, bare=bare: bare(), range(count)))
                name = self.name[network]
                seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - started
        return seconds


@contextmanager
def noted() -> Iterator[Forwards]:
    """Note the passes through networks of ONNX Runtime and torch while a `with` block lasts."""
    found, depth, begun, lock = Forwards(), [0], [0.0], threading.Lock()
    run = onnxruntime.InferenceSession.run

    def run_noted(session: Any, outputs: Any, inputs: dict[str, npt.NDArray[Any]], *more: Any) -> Any:
        ((name, planes),) = inputs.items()
        kept = {name: np.array(planes)}
        label = f"onnxruntime {session.get_outputs()[0].name} of {planes.shape[1:]}"
        threads = session.get_session_options().intra_op_num_threads or torch.get_num_threads()
        with lock:
            found.note(session, label, planes.shape, threads, lambda: run(session, outputs, kept))
        started = time.perf_counter()
        answer = run(session, outputs, inputs, *more)
        with lock:
            found.taken[found.name[id(session)]] += time.perf_counter() - started
        return answer

    def before(module: torch.nn.Module, inputs: Any) -> None:
        if not depth[0]:
            x = inputs[0].detach().clone()
            with lock:
                name, threads = type(module).__name__, torch.get_num_threads()
                found.note(module, name, tuple(x.shape), threads, lambda: _without_gradients(module, x))
            begun[0] = time.perf_counter()
        depth[0] += 1

    def after(module: torch.nn.Module, _inputs: Any, _output: Any) -> None:
        depth[0] -= 1
        if not depth[0]:
            found.taken[found.name[id(module)]] += time.perf_counter() - begun[0]

    hooks = [register_module_forward_pre_hook(before), register_module_forward_hook(after, always_call=True)]
    onnxruntime.InferenceSession.run = run_noted  # type: ignore[method-assign]
    try:
        yield found
    finally:
        onnxruntime.InferenceSession.run = run  # type: ignore[method-assign]
        for hook in hooks:
            hook.remove()


def _without_gradients(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    with torch.inference_mode():
        return module(x)
