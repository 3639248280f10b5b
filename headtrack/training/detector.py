"""Trains a detector of heads from a folder of labelled pictures, and writes down how."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2

from headtrack import __version__
from headtrack.errors import DatasetError, SettingsError
from headtrack.models.head_training import (
    ARCHITECTURE,
    OnBatch,
    checkpoint_figures,
    export_onnx,
    fine_tune,
)
from headtrack.models.registry import model_id
from headtrack.models.weights import weights_path
from headtrack.settings import TrainSettings
from headtrack.training.split import RULE, Split, split_pictures
from headtrack.training.work_folder import lay_out
from headtrack.training.yolo_folder import read_yolo_folder

BASE_MODEL = "yolo11n-pose"
RECORD, WEIGHTS, ONNX, WORK = "training.json", "head.pt", "head.onnx", "work"
RUNNING, FINISHED = "running", "finished"


@dataclass(frozen=True, slots=True)
class TrainedDetector:
    """What a training left.

    Attributes:
        weights: `head.pt`.
        onnx: the same as ONNX.
        record: `training.json`: data, split, settings, figures.
        train: number of pictures learnt from.
        held_out: number of pictures that `figures` are of.
        epochs: done.
        figures: as ultralytics measures them on the held-out pictures, by its names.
        wall_s: seconds this call took.
    """

    weights: Path
    onnx: Path
    record: Path
    train: int
    held_out: int
    epochs: int
    figures: dict[str, float]
    wall_s: float


def train_detector(
    data: Path,
    out: Path,
    settings: TrainSettings,
    *,
    device: str,
    together: Sequence[str] = (),
    on_batch: OnBatch | None = None,
) -> TrainedDetector:
    """Fine-tune a detector with one class, head, from the pose model's backbone.

    Where `out` holds a training of the same data and settings that was stopped, it goes on after
    its last whole epoch. Nothing is written into `data`.

    Args:
        data: folder in YOLO format, see `read_yolo_folder`.
        out: folder for `head.pt`, `head.onnx`, `training.json`, and `work` with checkpoints.
        settings: of training.
        device: `cpu`, or `cuda` for every GPU of this machine.
        together: see `split_pictures`.
        on_batch: told how far it is.

    Raises:
        DatasetError: the data is malformed or too little.
        SettingsError: `out` holds something else.
        ModelError: the pose model cannot be had, or the training breaks.
    """
    started = time.monotonic()
    split = split_pictures(read_yolo_folder(data), together)
    _check_enough(split, data)
    _check_apart(data, out)
    _check_readable(split)
    plan = _plan(data, split, settings, together)
    work, record = out / WORK, out / RECORD
    _check_same(record, plan)
    base = weights_path(BASE_MODEL)
    _make(out)
    _write(record, {"state": RUNNING, **plan})
    listing = lay_out(split, work / "data")
    done = fine_tune(listing, base, work, settings, device=device, on_batch=on_batch)
    weights = out / WEIGHTS
    shutil.copyfile(done.path, weights)
    onnx = export_onnx(weights)
    figures = checkpoint_figures(done)
    files = {path.name: _sha256(path) for path in (weights, onnx)}
    shutil.rmtree(work / "data")
    _write(
        record, {"state": FINISHED, **plan, "epochs_done": done.epochs, "held_out": figures, "sha256": files}
    )
    return TrainedDetector(
        weights=weights,
        onnx=onnx,
        record=record,
        train=len(split.train),
        held_out=len(split.held_out),
        epochs=done.epochs,
        figures=figures,
        wall_s=time.monotonic() - started,
    )


def _check_enough(split: Split, data: Path) -> None:
    for part, pictures in (("to learn from", split.train), ("held out", split.held_out)):
        if not pictures:
            raise DatasetError(
                f"{data} has no picture {part} ({RULE}, and --together keeps pictures in the other part); "
                "add pictures"
            )
    if not any(len(picture.xywh) for picture in split.train):
        raise DatasetError(f"{data}/labels has no head among the pictures to learn from; label some")


def _plan(data: Path, split: Split, settings: TrainSettings, together: Sequence[str]) -> dict[str, Any]:
    """Give what makes a training this one and no other."""
    parts = {"train": split.train, "held_out": split.held_out}
    digest = hashlib.sha256()
    for picture in (*split.train, *split.held_out):
        digest.update(f"{picture.name} {picture.path.stat().st_size}\n".encode() + picture.xywh.tobytes())
    return {
        "data": str(data.absolute()),
        "data_sha256": digest.hexdigest(),
        "split": {
            "rule": RULE,
            "together": sorted(together),
            "pictures": {part: len(pictures) for part, pictures in parts.items()},
            "heads": {part: sum(len(p.xywh) for p in pictures) for part, pictures in parts.items()},
        },
        "base": model_id(BASE_MODEL),
        "architecture": ARCHITECTURE,
        "settings": asdict(settings),
        "headtrack": __version__,
    }


def _check_apart(data: Path, out: Path) -> None:
    if out.resolve().is_relative_to(data.resolve()):
        raise SettingsError(f"--out {out} lies in --data {data}; give a folder outside of it")


def _check_readable(split: Split) -> None:
    """Refuse pictures that cannot be read: training would leave them out without a word that counts."""
    for picture in (*split.train, *split.held_out):
        # At an eighth of its size, where the format allows it: a tenth of the time.
        if cv2.imread(str(picture.path), cv2.IMREAD_REDUCED_GRAYSCALE_8) is None:
            raise DatasetError(
                f"{picture.path} cannot be read as a picture; mend it, or take it and its label file out"
            )


def _check_same(record: Path, plan: dict[str, Any]) -> None:
    """Go on only with what was begun: weights of two trainings must not mix."""
    try:
        kept = json.loads(record.read_text())
        state = kept.pop("state")
    except FileNotFoundError:
        there = [name for name in (WEIGHTS, ONNX, WORK) if (record.parent / name).exists()]
        if there:
            raise SettingsError(
                f"--out {record.parent} holds {', '.join(there)} of something else; give another folder"
            ) from None
        return
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise SettingsError(f"{record} cannot be read ({error}); give --out another folder") from error
    if state == FINISHED:
        raise SettingsError(
            f"--out {record.parent} holds a finished detector; give another folder, or delete this one first"
        )
    changed = [key for key in plan if key not in ("data", "headtrack") and kept.get(key) != plan[key]]
    if changed:
        raise SettingsError(
            f"--out {record.parent} holds an unfinished training with another {', '.join(changed)} (see "
            f"{RECORD} there); repeat its command to go on, or give another folder"
        )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"--out {folder} cannot be made ({error.strerror}); give a place that can be written"
        ) from error


def _write(path: Path, record: dict[str, Any]) -> None:
    """Write a file at once, so that a stop leaves the old one or the new one."""
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps(record, indent=1) + "\n")
    os.replace(scratch, path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
