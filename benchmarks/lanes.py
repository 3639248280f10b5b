"""Measures two passes side by side with a thread each against one after the other with two threads.

    python benchmarks/lanes.py [--threads 2] [--repeats 5] [--passes 40]

For each network of the main job that ONNX Runtime holds on a CPU, both ways in turn, over the same planes.
Prints the median milliseconds a pass, and how many times faster side by side is, as JSON.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import onnxruntime
from outcome import print_outcome

from headtrack.models import mobilenet, yolo_pose
from headtrack.models.centerface import CenterFace
from headtrack.models.forward import Forward, cpu_forward
from headtrack.models.weights import weights_path

FRAME = (1, 3, 384, 640)  # of 16:9, as the networks see it


def networks(threads: int) -> dict[str, tuple[Forward, tuple[int, ...]]]:
    """Give each network with so many threads, and the shape of its input."""
    pose, look = weights_path("yolo11n-pose"), weights_path("mobilenetv2-imagenet")
    face = CenterFace(weights_path("centerface"), threads=threads, image_px=640, min_score=0.5, device="cpu")
    session: onnxruntime.InferenceSession = face._session
    name = session.get_inputs()[0].name
    return {
        "yolo11n-pose": (
            cpu_forward(lambda: yolo_pose.load_pose_network(pose), pose, yolo_pose.EXPORT, threads=threads),
            FRAME,
        ),
        "centerface": (lambda planes: np.asarray(session.run(None, {name: planes})[0]), FRAME),
        "mobilenetv2-imagenet": (
            cpu_forward(lambda: mobilenet.load_network(look), look, mobilenet.EXPORT, threads=threads),
            (8, 3, 224, 224),
        ),
    }


def pass_ms(run: Callable[[], object], passes: int, at_once: int) -> float:
    """Give the milliseconds a pass takes, several at once."""
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(lambda _: run(), range(at_once)))
        started = time.perf_counter()
        list(pool.map(lambda _: run(), range(passes)))
        return 1000 * (time.perf_counter() - started) / passes


def main() -> None:
    """Run both in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--passes", type=int, default=40)
    args = parser.parse_args()
    one, many = networks(1), networks(args.threads)
    figures = {}
    for name, (forward, shape) in one.items():
        planes = np.random.default_rng(0).random(shape, np.float32)
        ways = {
            "side_by_side_ms": (partial(forward, planes), args.threads),
            "one_after_the_other_ms": (partial(many[name][0], planes), 1),
        }
        taken: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(args.repeats):
            for way, (run, at_once) in ways.items():
                taken[way].append(pass_ms(run, args.passes, at_once))
        median = {way: round(statistics.median(times), 1) for way, times in taken.items()}
        figures[name] = {
            **median,
            "times_faster": round(median["one_after_the_other_ms"] / median["side_by_side_ms"], 2),
        }
    print_outcome({"networks": figures, "threads": args.threads})


if __name__ == "__main__":
    main()
