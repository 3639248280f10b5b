"""`headtrack run`: the main job."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

from headtrack.cli.options import (
    DEFAULT_DB,
    ConfigOption,
    DbOption,
    DetectorOption,
    FormatOption,
    SetOption,
    VerboseOption,
    settings_with_detector,
)
from headtrack.cli.output import Format, Rows, print_rows, printable
from headtrack.cli.progress import download_progress, run_progress
from headtrack.errors import HeadtrackError, PartialRunError, SettingsError, VideoError
from headtrack.settings import Settings

if TYPE_CHECKING:
    from headtrack.pipeline.archive import RunReport
    from headtrack.types import VideoFailure
    from headtrack.video.inputs import Inputs

LOCAL_RAY = "local"
# What may follow --ray as its address; any other word after it is a PATH.
RAY_ADDRESS = re.compile(r"local|auto|ray://.+|[\w.\-]+:\d+|\[[0-9a-fA-F:]+\]:\d+")
# More folders than these are only counted.
SHOWN_FOLDERS = 3


class RunCommand(TyperCommand):
    """Lets `--ray` stand alone: its address may be left out."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Parse as usual, with `--ray` read as `--ray local` where no address follows."""
        if "" in args:  # an unset shell variable; as a path it would mean the working folder
            raise SettingsError("an argument is empty; is a shell variable unset? name the path in full")
        return super().parse_args(ctx, complete_ray(args))


def complete_ray(args: list[str]) -> list[str]:
    """Put `local` after each `--ray` that no address follows.

    >>> complete_ray(["--ray", "film.mp4"]), complete_ray(["--ray", "head:6379", "film.mp4"])
    (['--ray', 'local', 'film.mp4'], ['--ray', 'head:6379', 'film.mp4'])
    """
    completed: list[str] = []
    for i, word in enumerate(args):
        completed.append(word)
        after = args[i + 1] if i + 1 < len(args) else ""
        if word == "--ray" and "--" not in args[:i] and not RAY_ADDRESS.fullmatch(after):
            completed.append(LOCAL_RAY)
    return completed


def run(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Videos, images, folders (searched recursively; links to folders in them are not followed), "
            "quoted patterns ('films/**/*.mp4') or manifests (CSV or Parquet with a `path` column of files, "
            "folders and patterns, relative to the manifest); each as a path or a URL (s3://bucket/films/).",
        ),
    ],
    db: DbOption = DEFAULT_DB,
    force: Annotated[
        bool, typer.Option("--force", help="Analyse again what the database already holds.")
    ] = False,
    detector: DetectorOption = None,
    config: ConfigOption = None,
    overrides: SetOption = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="[ADDRESS]",
            help="Work on Ray: a cluster of its own on this machine, or the one at ADDRESS (auto, host:port, "
            "ray://host:port).",
        ),
    ] = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Find who is on screen in videos, when and in which look; store it.

    Videos that the database holds with the same content, settings and models are skipped, so the
    same command goes on after a stop. A bad video is recorded with its reason and the run goes
    on; the exit code is 7 then, or 3 where every video failed. Missing model files are fetched
    first.

    \b
    Examples:
      headtrack run films/ --db people.duckdb
      headtrack run a.mp4 photo.jpg manifest.csv --set detect.fps=10
      headtrack run films/ --detector head.onnx
      headtrack run 's3://bucket/films/**/*.mp4' --set decode.cache_gb=100
      headtrack run films/ --ray --set run.workers=4
      headtrack run films/ --ray head-node:6379
    """  # noqa: D301 (click's paragraph mark)
    settings = settings_with_detector(config, overrides, detector)
    from headtrack.video.inputs import find_inputs

    inputs = find_inputs(paths)
    print_left_out(inputs)
    # Only now, since it brings torch: a wrong path is told at once.
    from headtrack.pipeline.archive import run_archive

    worker = None
    if ray is not None:
        from headtrack.cluster.run import ray_worker

        worker = ray_worker(settings, ray)
    if ray in (None, LOCAL_RAY):
        fetch_models(settings)
    with run_progress() as on_progress:
        report = run_archive(inputs.files, db, settings, force=force, worker=worker, on_progress=on_progress)
    print_rows(_report_rows(report), form)
    print_failures(report.failures)
    if report.heads_kept:
        videos = _videos(report.heads_kept)
        print(f"heads of {videos} were kept from an earlier run; the rest was done again", file=sys.stderr)
    if report.relinked:
        print(f"tracklets of {_videos(report.relinked)} were linked anew, nothing else", file=sys.stderr)
    if report.skipped_partial:
        videos = _videos(report.skipped_partial)
        print(f"skipped {videos} that could not be decoded to the end; --force tries again", file=sys.stderr)
    if report.failures:
        raise _failed_run(report, db)


def fetch_models(settings: Settings) -> None:
    """Fetch the model files that a run needs and that are missing here; try the user's own detector.

    Raises:
        ModelError: one is altered or cannot be fetched, or the detector is broken or is none.
    """
    from headtrack.pipeline.models import check_detector, model_files

    fetch_named(model_files(settings))
    check_detector(settings)


def fetch_named(names: list[str]) -> None:
    """Fetch the models of these names that are missing here, with a progress bar.

    Raises:
        ModelError: one is altered or cannot be fetched.
    """
    from headtrack.models.weights import pull

    with download_progress() as progress:
        pull(names, progress=progress)


def print_left_out(inputs: Inputs) -> None:
    """Say on stderr what the folders held that is not analysed; nothing where there is nothing."""
    from headtrack.video.inputs import suffix_counts

    if inputs.other:
        count = sum(inputs.other.values())
        files = "1 file that is" if count == 1 else f"{count} files that are"
        suffixes = printable(suffix_counts(inputs.other))
        print(f"left out {files} neither video nor image: {suffixes}", file=sys.stderr)
    if inputs.linked:
        print(
            f"did not follow links to folders: {_some(inputs.linked)}; name each as a PATH", file=sys.stderr
        )
    if inputs.unread:
        print(f"could not read folders: {_some(inputs.unread)}; their files are left out", file=sys.stderr)


def print_failures(failures: Sequence[VideoFailure]) -> None:
    """Say on stderr which videos gave nothing, and why."""
    for failure in failures:
        named = failure.path in failure.message
        message = failure.message if named else f"{failure.path}: {failure.message}"
        print(f"failed: {printable(message)}", file=sys.stderr)


def _some(paths: Sequence[Path]) -> str:
    shown = ", ".join(printable(str(path)) for path in paths[:SHOWN_FOLDERS])
    return shown if len(paths) <= SHOWN_FOLDERS else f"{shown} and {len(paths) - SHOWN_FOLDERS} more"


def _videos(count: int) -> str:
    return "1 video" if count == 1 else f"{count} videos"


def _report_rows(report: RunReport) -> Rows:
    row = {
        "run": report.run_id,
        "done": report.done - report.partial,
        "partial": report.partial,
        "skipped": report.skipped,
        "failed": len(report.failures),
        "people": report.people,
        "appearances": report.appearances,
        "wall_s": report.wall_s,
        "run_dir": report.run_dir,
    }
    return Rows(tuple(row), [tuple(row.values())])


def _failed_run(report: RunReport, db: Path) -> HeadtrackError:
    """Give the error of a run some of whose videos failed, or all of them."""
    failed, total = len(report.failures), report.done + report.skipped + len(report.failures)
    after = f"`headtrack status --db {shlex.quote(str(db))}` lists the reasons, and the same command tries "
    if failed < total:
        return PartialRunError(
            f"{failed} of {total} videos failed; the others are stored in {db}: {after}them again"
        )
    if failed == 1:
        return VideoError(f"the only video failed, so that nothing was stored of this run: {after}it again")
    return VideoError(
        f"all {failed} videos failed, so that nothing was stored of this run: {after}them again"
    )
