"""Measures the pose network on this CPU: ONNX Runtime against torch.

    python benchmarks/pose_runtime.py [--threads 1] [--repeats 25]

Both run in turn on the same planes; printed are the median of each and of their ratio.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch

from headtrack.models.forward import cpu_forward
from headtrack.models.weights import weights_path
from headtrack.models.yolo_pose import EXPORT, load_pose_network

SIZES = ((384, 640), (224, 384))  # height, width of the network's input


def seconds(run: Callable[[], object]) -> float:
    """Give how long one call takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def main() -> None:
    """Run both in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=25)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    path = weights_path("yolo11n-pose")
    network = load_pose_network(path)
    forward = cpu_forward(lambda: network, path, EXPORT, threads=args.threads)
    print("input       torch ms   onnxruntime ms   ratio   greatest difference px")
    for height, width in SIZES:
        planes = np.random.default_rng(0).random((1, 3, height, width), np.float32)

        def by_torch(planes: np.ndarray = planes) -> np.ndarray:
            with torch.inference_mode():
                return network(torch.from_numpy(planes))[0].numpy()

        difference = np.abs(by_torch()[:, :4] - forward(planes)[:, :4]).max()
        times = np.array(
            [(seconds(by_torch), seconds(lambda planes=planes: forward(planes))) for _ in range(args.repeats)]
        )
        torch_s, runtime_s = np.median(times, axis=0)
        ratio = np.median(times[:, 1] / times[:, 0])
        print(
            f"{width}x{height:<6} {torch_s * 1e3:8.0f} {runtime_s * 1e3:16.0f}"
            f" {ratio:7.2f} {difference:12.4f}"
        )


if __name__ == "__main__":
    main()
