"""`headtrack eval`: how good it is on labelled clips."""

from __future__ import annotations

import tempfile
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headtrack.cli.eval_detector import evaluate_detector
from headtrack.cli.options import (
    ConfigOption,
    DetectorOption,
    FormatOption,
    SetOption,
    VerboseOption,
    settings_with_detector,
)
from headtrack.cli.output import Format, Rows, print_json, print_rows, write_stdout
from headtrack.cli.progress import run_progress
from headtrack.cli.run import fetch_models, print_failures
from headtrack.errors import DatasetError, SettingsError
from headtrack.settings import Settings

if TYPE_CHECKING:
    from headtrack.evaluation.evaluate import Evaluation


app = typer.Typer(rich_markup_mode=None)
app.command("detector")(evaluate_detector)


@app.callback(invoke_without_command=True)
def evaluate(
    context: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder of labelled footage: labels/, clips/, stills/."),
    ] = None,
    failures: Annotated[
        bool,
        typer.Option("--failures", help="List each missed, false or misnamed head instead of the figures."),
    ] = False,
    db: Annotated[
        Path | None,
        typer.Option(
            "--db",
            metavar="FILE",
            help="Keep the database here, beside it those of portraits and spy stills, and reuse what they "
            "hold; temporary ones where not given.",
        ),
    ] = None,
    detector: DetectorOption = None,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Score the main job on labelled footage; `headtrack eval detector` scores a detector alone.

    The main job runs on clips and stills and is scored on heads, shots, identities, tracks and looks. JSON
    gives one object; table and CSV list the figures, first of all, then of each clip.

    \b
    Examples:
      headtrack eval --data ../shared/data
      headtrack eval --data ../shared/data --detector head.onnx
      headtrack eval --data ../shared/data --db eval.duckdb --format json
    """  # noqa: D301 (click's paragraph mark)
    if context.invoked_subcommand is not None:
        if data is not None:
            raise SettingsError(f"give --data {data} and other options after `{context.invoked_subcommand}`")
        return
    if data is None:
        raise SettingsError("Missing option '--data'; `headtrack eval --help` shows what it takes")
    settings = settings_with_detector(config, overrides, detector)
    if not data.is_dir():
        raise DatasetError(f"--data {data} is no folder; give the folder that holds labels/ and clips/")
    with tempfile.TemporaryDirectory(prefix="headtrack-eval-") as scratch:
        database = db or Path(scratch) / "eval.duckdb"
        scores = _evaluate(data, database, settings)
        if failures:
            _print_failures(data, database, form)
        else:
            _print_scores(scores, form)


def _evaluate(data: Path, db: Path, settings: Settings) -> Evaluation:
    from headtrack.evaluation.evaluate import evaluate as score_folder
    from headtrack.ops.face_evidence import FACE_SCALES
    from headtrack.pipeline.archive import run_archive

    def run(inputs: list[Path], to: Path) -> None:
        fetch_models(settings)
        with run_progress() as on_progress:
            report = run_archive(inputs, to, settings, on_progress=on_progress)
        print_failures(report.failures)

    return score_folder(data, run_archive=run, db=db, face_scale=FACE_SCALES[settings.embed.identity_model])


def _print_scores(scores: Evaluation, form: Format) -> None:
    from headtrack.evaluation.report import evaluation_object, figure_rows, report_text

    report = evaluation_object(scores)
    if form is Format.json:
        print_json(report)
    elif form is Format.csv:
        rows = [(row.scope, row.figure, row.value, row.at_least) for row in figure_rows(report)]
        print_rows(Rows(("scope", "figure", "value", "at_least"), rows), form)
    else:
        write_stdout(report_text(report) + "\n")


def _print_failures(data: Path, db: Path, form: Format) -> None:
    from headtrack.evaluation.evaluate import media_paths
    from headtrack.evaluation.failures import Failure, find_failures
    from headtrack.evaluation.labels import read_labels
    from headtrack.evaluation.read_found import read_found

    labels = read_labels(data)
    found = find_failures(labels, read_found(db, media_paths(data, labels.media)))
    names = tuple(f.name for f in fields(Failure))
    print_rows(Rows(names, [tuple(getattr(f, name) for name in names) for f in found]), form)
