"""Fine-tunes a YOLO11n detector of heads from the backbone of the pose model."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from headtrack.errors import ModelError
from headtrack.models.ultralytics_loader import import_ultralytics
from headtrack.settings import TrainSettings

ARCHITECTURE = "yolo11n.yaml"
RUN = "run"
# The last epochs see pictures as they are, not mosaics of four: this share of all, but no more than that.
WHOLE_PICTURES_SHARE, MAX_WHOLE_PICTURES_EPOCHS = 1 / 3, 10
WARM_UP_EPOCHS = 1
MAX_GPU_LOADERS = 8

# Told the batches done and the batches of the whole training.
OnBatch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a training came.

    Attributes:
        epochs: done.
        wanted: in all.
        path: of the weights after the last whole epoch.
    """

    epochs: int
    wanted: int
    path: Path

    @property
    def is_finished(self) -> bool:
        """Nothing is left to do."""
        return self.epochs >= self.wanted


def last_checkpoint(work: Path) -> Checkpoint | None:
    """Give how far the training in a folder came; None where not one epoch was finished.

    Raises:
        ModelError: the checkpoint cannot be read.
    """
    path = work / RUN / "weights" / "last.pt"
    if not path.is_file():
        return None
    import_ultralytics()  # the file names its classes
    try:
        kept = torch.load(path, map_location="cpu", weights_only=False)
        epoch, wanted = int(kept["epoch"]), int(kept["train_args"]["epochs"])
    except Exception as error:  # pickle raises many kinds
        raise ModelError(
            f"the checkpoint {path} cannot be read ({error}); delete {work} to start anew"
        ) from error
    # Ultralytics writes -1 when it is done.
    return Checkpoint(wanted if epoch < 0 else epoch + 1, wanted, path)


def fine_tune(
    data: Path,
    base: Path,
    work: Path,
    settings: TrainSettings,
    *,
    device: str,
    on_batch: OnBatch | None = None,
) -> Checkpoint:
    """Train, or go on where an earlier call was stopped.

    Backbone, neck and the box branch of the head start as in the base model; the class branch anew.

    Args:
        data: ultralytics' `data.yaml`, with one class.
        base: `.pt` file of a YOLO11n model.
        work: folder for checkpoints, one an epoch.
        settings: of training; those of a checkpoint win.
        device: `cpu`, or `cuda` for every GPU of this machine.
        on_batch: told how far it is; on several GPUs it is not.

    Returns:
        The last checkpoint, finished.

    Raises:
        ModelError: ultralytics cannot train with this.
    """
    kept = last_checkpoint(work)
    if kept is not None and kept.is_finished:
        return kept
    yolo = import_ultralytics().YOLO
    with _kept_to_itself():
        model = yolo(str(kept.path)) if kept else yolo(ARCHITECTURE).load(str(base))
        if on_batch is not None:
            model.add_callback("on_train_batch_end", _counter(on_batch))
        try:
            if kept:
                model.train(resume=True, data=str(data), **_place(device))
            else:
                model.train(
                    data=str(data),
                    project=str(work.absolute()),
                    name=RUN,
                    **_recipe(settings),
                    **_place(device),
                )
        except (RuntimeError, ValueError, AssertionError, FileNotFoundError) as error:
            raise ModelError(
                f"the training broke: {error}; a smaller train.batch or train.image_px takes less memory"
            ) from error
    done = last_checkpoint(work)
    if done is None or not done.is_finished:
        raise ModelError(f"the training ended before its last epoch; the same command goes on from {work}")
    return done


def checkpoint_figures(checkpoint: Checkpoint) -> dict[str, float]:
    """Give what ultralytics measured on the held-out pictures after the last epoch, by its names."""
    import_ultralytics()
    kept = torch.load(checkpoint.path, map_location="cpu", weights_only=False)
    return {name: float(value) for name, value in (kept.get("train_metrics") or {}).items()}


def export_onnx(weights: Path) -> Path:
    """Write `NAME.onnx` beside `NAME.pt`, for pictures of any size; class names travel in it.

    Raises:
        ModelError: it cannot be exported.
    """
    yolo = import_ultralytics().YOLO
    with _kept_to_itself():
        try:
            yolo(str(weights)).export(
                format="onnx", dynamic=True, simplify=False, device="cpu", verbose=False
            )
        except Exception as error:  # torch and onnx raise many kinds
            raise ModelError(f"{weights} cannot be exported to ONNX: {error}") from error
    return weights.with_suffix(".onnx")


def _recipe(settings: TrainSettings) -> dict[str, Any]:
    return {
        "imgsz": settings.image_px,
        "epochs": settings.epochs,
        "batch": settings.batch,
        "lr0": settings.learning_rate,
        "seed": settings.seed,
        "optimizer": "AdamW",
        "cos_lr": True,
        "warmup_epochs": WARM_UP_EPOCHS,
        "close_mosaic": min(int(settings.epochs * WHOLE_PICTURES_SHARE), MAX_WHOLE_PICTURES_EPOCHS),
        "exist_ok": True,
        "save": True,
        "cache": False,
        "val": False,  # but after the last epoch
        "plots": False,
        "amp": False,  # its check would fetch a model
    }


def _place(device: str) -> dict[str, Any]:
    if device == "cpu":
        return {"device": "cpu", "workers": 0}
    gpus = list(range(torch.cuda.device_count()))
    return {"device": gpus, "workers": min(MAX_GPU_LOADERS, len(os.sched_getaffinity(0)))}


def _counter(on_batch: OnBatch) -> Callable[[Any], None]:
    seen = {"epoch": -1, "batches": 0}

    def count(trainer: Any) -> None:
        if trainer.epoch != seen["epoch"]:
            seen.update(epoch=trainer.epoch, batches=0)
        seen["batches"] += 1
        of_epoch = len(trainer.train_loader)
        on_batch(trainer.epoch * of_epoch + seen["batches"], trainer.epochs * of_epoch)

    return count


@contextlib.contextmanager
def _kept_to_itself() -> Iterator[None]:
    """Keep stdout for data, and undo what ultralytics changes for the whole process."""
    environment = dict(os.environ)
    deterministic = torch.are_deterministic_algorithms_enabled()
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries warn their developers
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(deterministic)
            os.environ.clear()
            os.environ.update(environment)
