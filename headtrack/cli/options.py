"""Options that several commands share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headtrack.cli.output import Format
from headtrack.errors import SettingsError
from headtrack.log import set_up_logging
from headtrack.settings import Settings
from headtrack.settings_file import load_settings

DEFAULT_DB = Path("people.duckdb")


def _verbose(value: bool) -> bool:
    set_up_logging(value)
    return value


def _database(value: Path) -> Path:
    if value == Path():  # what an empty word becomes
        raise SettingsError("--db is empty or a folder; is a shell variable unset? name the database's file")
    return value


def _detector(value: str | None) -> str | None:
    if value == "":
        raise SettingsError("--detector is empty; is a shell variable unset? name the detector's file")
    return value


def settings_with_detector(
    config: Path | None, overrides: list[str] | None, detector: str | None
) -> Settings:
    """Read the settings, with `--detector` as the last word, and check that the file is there.

    Raises:
        SettingsError: a setting is wrong, or the detector's name does not end as one's does.
        ModelError: the detector's file is missing or cannot be read.
    """
    from headtrack.models.detector_file import detector_file

    chosen = [] if detector is None else [f"detect.detector={detector}"]
    settings = load_settings(config, [*(overrides or []), *chosen])
    detector_file(settings.detect)
    return settings


DbOption = Annotated[
    Path,
    typer.Option(
        "--db",
        callback=_database,
        envvar="HEADTRACK_DB",
        help="The DuckDB database of people.",
        metavar="FILE",
        show_envvar=True,
    ),
]
FormatOption = Annotated[
    Format, typer.Option("--format", help="How stdout is written: for people, or for programs.")
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A TOML file of settings; headtrack.toml of the working folder where not given.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="SECTION.KEY=VALUE", help="Change one setting; wins over the file. May be repeated."
    ),
]
DetectorOption = Annotated[
    str | None,
    typer.Option(
        "--detector",
        callback=_detector,
        metavar="FILE",
        help="Find heads with this file: an ultralytics model (.pt, .onnx, .engine) whose class is a head, "
        "or a Python file with make_detector. Short for --set detect.detector=FILE.",
    ),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "-v", "--verbose", callback=_verbose, help="Log every step to stderr; show tracebacks of errors."
    ),
]
