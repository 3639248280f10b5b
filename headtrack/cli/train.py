"""`headtrack train`: making a detector of heads from one's own labelled pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headtrack.cli.options import ConfigOption, FormatOption, SetOption, VerboseOption
from headtrack.cli.output import Format, Rows, print_rows
from headtrack.cli.progress import Step, step_progress
from headtrack.cli.run import fetch_named
from headtrack.settings_file import load_settings

app = typer.Typer(help="Train a network on your own labelled pictures.", rich_markup_mode=None)

YoloDataOption = Annotated[
    Path,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Folder with images/ and labels/ in YOLO format, with one class, 0: the whole head.",
    ),
]
TogetherOption = Annotated[
    list[str] | None,
    typer.Option(
        "--together",
        metavar="GLOB",
        help="Never hold out pictures whose name without suffix matches: frames of one fixed camera are too "
        "alike to be on both sides. May be repeated.",
    ),
]


@app.callback()
def _train() -> None:
    pass


@app.command("detector")
def train_head_detector(
    data: YoloDataOption,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="Folder for head.pt, head.onnx and training.json."),
    ],
    together: TogetherOption = None,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Fine-tune a detector of heads for --detector.

    It starts from the backbone of the built-in pose model, holds a fifth of the pictures out (chosen
    by name, the same ones ever again) and measures itself on them at the end. The same command goes
    on where it was stopped. How it trains is set by the settings `train.*`, where by `run.device`.

    \b
    Examples:
      headtrack train detector --data heads/ --out my_detector
      headtrack train detector --data heads/ --out my_detector --set train.epochs=50 --set train.image_px=640
      headtrack train detector --data heads/ --out my_detector --together 'camera1_*'
    """  # noqa: D301 (click's paragraph mark)
    settings = load_settings(config, overrides or [])
    from headtrack.models.device import torch_device
    from headtrack.models.threads import set_threads
    from headtrack.training.detector import BASE_MODEL, train_detector

    fetch_named([BASE_MODEL])
    device = torch_device(settings.run.device)
    set_threads(settings.run.threads)
    with step_progress("training", lambda rate: f"{rate:.2f} batches/s") as show:
        trained = train_detector(
            data,
            out,
            settings.train,
            device=device,
            together=together or (),
            on_batch=lambda done, total: show(Step(done, total, f"batch {done} of {total}")),
        )
    row = {
        "weights": trained.weights,
        "onnx": trained.onnx,
        "train": trained.train,
        "held_out": trained.held_out,
        "epochs": trained.epochs,
        "ap50": trained.figures.get("metrics/mAP50(B)"),
        "ap50_95": trained.figures.get("metrics/mAP50-95(B)"),
        "wall_s": trained.wall_s,
    }
    print_rows(Rows(tuple(row), [tuple(row.values())]), form)
