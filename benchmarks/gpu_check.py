"""Compares a GPU with a CPU on the same frames, stage by stage.

    python benchmarks/gpu_check.py [VIDEO] [--device cuda] [--looks 64]

Prints JSON: the share of the CPU's heads that the device found too (IoU of 0.5), and their mean IoU; the
least cosine of the embeddings of faces and looks, made from the same pixels; the greatest difference of the
probabilities of a transition; and per stage the items a second on both, with their ratio. The whole pipeline
then runs on the device. Ends with 1 where embeddings or boxes disagree, with 0 where they agree and where
there is no such device.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from outcome import print_outcome

from headtrack.models.weights import weights_path
from headtrack.ops.boxes import iou_matrix
from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.embed import HeldCrop, hold_crop
from headtrack.pipeline.looking import frames_due
from headtrack.pipeline.models import Models, load_models
from headtrack.settings import Settings
from headtrack.settings_file import load_settings
from headtrack.types import FrameBatch, Heads, Video, VideoFailure
from headtrack.video.crops import head_region
from headtrack.video.decode import decode, probe_watched
from headtrack.video.thumbnails import thumbnails

LEAST_COSINE, LEAST_FOUND, LEAST_IOU, SAME_HEAD_IOU = 0.999, 0.97, 0.95, 0.5
WINDOW_FRAMES = 100
T = TypeVar("T")


def frames_of(video: Video, settings: Settings, looks: int) -> tuple[FrameBatch, npt.NDArray[np.uint8]]:
    """Give the first frames that are due, and the thumbnails of the first 100 frames."""
    rgb, frame, time_s, small = list[Any](), list[int](), list[float](), list[npt.NDArray[np.uint8]]()
    before_s = -np.inf
    for batch in decode(video, settings.decode):
        for k in frames_due(batch.time_s, before_s, settings.detect):
            if len(rgb) < looks:
                rgb.append(batch.rgb[k].copy())
                frame.append(int(batch.frame[k]))
                time_s.append(float(batch.time_s[k]))
        before_s = float(batch.time_s[-1])
        small.append(thumbnails(batch.rgb))
    windows = np.concatenate(small)[:WINDOW_FRAMES]
    return FrameBatch(np.stack(rgb), np.array(frame), np.array(time_s)), windows


def timed(work: Callable[[], T], items: int) -> tuple[T, float]:
    """Run once to warm up and once to measure; give the result and the items a second."""
    work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    started = time.perf_counter()
    result = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return result, items / (time.perf_counter() - started)


def stages(
    models: Models, batch: FrameBatch, small: npt.NDArray[np.uint8], heads: Heads | None, settings: Settings
) -> tuple[dict[str, Any], dict[str, float]]:
    """Run every network alone; the embedders over the heads given, so that both devices see the same."""
    found, looks_a_s = timed(lambda: models.detector.detect(batch), len(batch))
    heads = found if heads is None else heads
    held = list[HeldCrop]()
    for rgb, frame in zip(batch.rgb, batch.frame, strict=True):
        here = heads[heads.frame == frame]
        held += [hold_crop(rgb, here, k, settings.embed) for k in range(len(here))]
    crops = [head_region(h.crop, h.xyxy) for h in held]
    faces = [h for h in held if np.isfinite(h.landmarks).all()]
    chips = np.stack([models.identity.align(h.crop.rgb, h.crop.to_crop(h.landmarks)) for h in faces])
    looks, crops_a_s = timed(lambda: models.appearance.embed(crops), len(crops))
    identity, chips_a_s = timed(lambda: models.identity.embed(chips), len(chips))
    shots, frames_a_s = timed(lambda: models.shots.score(small), len(small))
    results = {"heads": found, "looks": looks, "faces": identity.vector, "shots": shots}
    speeds = {
        "looks_a_second": looks_a_s,
        "crops_a_second": crops_a_s,
        "faces_a_second": chips_a_s,
        "transition_frames_a_second": frames_a_s,
    }
    return results, speeds


def agreement(reference: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """Compare two devices; the first says what is right."""
    best = list[float]()
    for frame in np.unique(reference["heads"].frame):
        there, here = (r["heads"].xyxy[r["heads"].frame == frame] for r in (reference, other))
        iou = iou_matrix(there, here)
        best += (iou.max(axis=1) if len(here) else np.zeros(len(there))).tolist()
    found = np.array(best) >= SAME_HEAD_IOU
    return {
        "heads_found_too": float(found.mean()),
        "mean_iou": float(np.array(best)[found].mean()),
        "least_face_cosine": float((reference["faces"] * other["faces"]).sum(axis=1).min()),
        "least_look_cosine": float((reference["looks"] * other["looks"]).sum(axis=1).min()),
        "greatest_transition_difference": float(np.abs(reference["shots"] - other["shots"]).max()),
    }


def main() -> None:
    """Compare, time, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("video", type=Path, nargs="?")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--looks", type=int, default=64)
    args = parser.parse_args()
    if args.device == "cuda" and not torch.cuda.is_available():
        print_outcome({"skipped": "there is no GPU that torch can use"})
        return
    cpu, device = (load_settings(None, [f"run.device={name}"]) for name in ("cpu", args.device))
    video = probe_watched(args.video or weights_path("carphone"), cpu.decode)
    batch, small = frames_of(video, cpu, args.looks)
    right, slow = stages(load_models(cpu), batch, small, None, cpu)
    if not len(right["heads"]):
        raise SystemExit(f"{video.path} shows no head in its first {len(batch)} looks; give another video")
    models = load_models(device)
    found, fast = stages(models, batch, small, right["heads"], device)
    agrees = agreement(right, found)
    started = time.perf_counter()
    result = analyze_video(video, models, device)
    whole_s = time.perf_counter() - started
    if isinstance(result, VideoFailure):
        raise SystemExit(result.message)
    same = (
        min(agrees["least_face_cosine"], agrees["least_look_cosine"]) >= LEAST_COSINE
        and agrees["heads_found_too"] >= LEAST_FOUND
        and agrees["mean_iou"] >= LEAST_IOU
    )
    print_outcome(
        {
            "agrees": same,
            **{name: round(value, 5) for name, value in agrees.items()},
            "cpu": {name: round(value, 1) for name, value in slow.items()},
            "device": {name: round(value, 1) for name, value in fast.items()},
            "times_faster": {name: round(fast[name] / slow[name], 1) for name in slow},
            "whole_times_real_time": round(video.duration_s / whole_s, 2),
            "name": torch.cuda.get_device_name() if args.device == "cuda" else "cpu",
        }
    )
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
