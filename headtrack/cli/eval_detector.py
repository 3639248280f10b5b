"""`headtrack eval detector`: how good a detector of heads is on labelled pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headtrack.cli.options import (
    ConfigOption,
    DetectorOption,
    FormatOption,
    SetOption,
    VerboseOption,
    settings_with_detector,
)
from headtrack.cli.output import Format, Rows, print_json, print_rows
from headtrack.cli.progress import Step, step_progress
from headtrack.cli.run import fetch_named
from headtrack.cli.train import TogetherOption
from headtrack.errors import SettingsError

if TYPE_CHECKING:
    from headtrack.evaluation.detector_pictures import TruePicture


class Part(StrEnum):
    """Which pictures of a YOLO folder are measured with."""

    held_out = "held-out"
    all = "all"


def evaluate_detector(
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Folder with images/ and labels/ in YOLO format, or folder of labelled clips with "
            "labels/heads.csv, whose labels have views.",
        ),
    ],
    detector: DetectorOption = None,
    part: Annotated[
        Part | None,
        typer.Option(
            "--part",
            help="Of a YOLO folder: the fifth that `headtrack train detector` holds out, or all; held-out "
            "where not given.",
        ),
    ] = None,
    together: TogetherOption = None,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Score a detector of heads on labelled pictures or on the labelled frames of clips.

    Gives average precision at IoU 0.5 (AP50) and over 0.5 to 0.95 (AP50-95), both over the whole
    ranking, then precision and recall at IoU 0.5 with the limit detect.min_score, recall by the size
    of the head (geometric mean of its sides, in pixels of the picture) and, for clips, by the
    labelled view. Without --detector it scores the built-in networks.

    \b
    Examples:
      headtrack eval detector --data heads/
      headtrack eval detector --data heads/ --detector my_detector/head.onnx --together 'camera1_*'
      headtrack eval detector --data ../shared/data --format json
    """  # noqa: D301 (click's paragraph mark)
    settings = settings_with_detector(config, overrides, detector)
    from headtrack.evaluation.score_detector import RANK_MIN_SCORE, score_detector, score_object
    from headtrack.models.detectors import detector_models, load_detector
    from headtrack.models.device import torch_device
    from headtrack.models.threads import set_threads

    pictures, total = _pictures(data, part, together or [])
    fetch_named(list(detector_models(settings.detect)))
    threads = set_threads(settings.run.threads)
    ranking = replace(settings.detect, min_score=min(RANK_MIN_SCORE, settings.detect.min_score))
    loaded = load_detector(ranking, device=torch_device(settings.run.device), threads=threads)
    with step_progress("detecting", lambda rate: f"{rate:.1f} pictures/s") as show:
        score = score_detector(
            pictures,
            loaded,
            min_score=settings.detect.min_score,
            on_picture=lambda done: show(Step(done, total, f"{done} of {total} pictures")),
        )
    report = {"detector": list(loaded.model_ids), **score_object(score)}
    if form is Format.json:
        print_json(report)
    else:
        print_rows(_rows(report), form)


def _pictures(data: Path, part: Part | None, together: list[str]) -> tuple[Iterator[TruePicture], int]:
    """Give the labelled pictures of a folder of either kind, and how many there are."""
    from headtrack.evaluation.detector_pictures import labelled_frames, labelled_pictures
    from headtrack.evaluation.labels import read_labels
    from headtrack.training.split import split_pictures
    from headtrack.training.yolo_folder import read_yolo_folder

    if (data / "labels" / "heads.csv").is_file():
        if part is Part.held_out or together:
            raise SettingsError(f"--part held-out and --together are for YOLO folders; {data} holds clips")
        labels = read_labels(data)
        return labelled_frames(data, labels), sum(len(h.labelled_frame) for h in labels.heads.values())
    pictures = tuple(read_yolo_folder(data))
    if part is not Part.all:
        pictures = split_pictures(pictures, together).held_out
    return labelled_pictures(pictures), len(pictures)


def _rows(report: dict[str, Any]) -> Rows:
    found = sum(share["found"] for share in report["by_size"])
    rows = [
        ("AP50", report["ap50"], report["heads"], None),
        ("AP50-95", report["ap50_95"], report["heads"], None),
        (f"precision at score {report['min_score']:g}", report["precision"], None, found),
        (f"recall at score {report['min_score']:g}", report["recall"], report["heads"], found),
    ]
    rows += [
        (f"recall, {share['name']}", share["recall"], share["labelled"], share["found"])
        for share in (*report["by_size"], *report["by_view"])
    ]
    return Rows(("figure", "value", "labelled", "found"), rows)
