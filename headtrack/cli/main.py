"""The `headtrack` program: its commands, and how failures become one line and an exit code."""

from __future__ import annotations

import errno
import logging
import os
import sys
import traceback
import warnings
from typing import Annotated

import typer
from typer.exceptions import TyperException

from headtrack import __version__
from headtrack.cli import correct, interrupt, models, train
from headtrack.cli.cluster import cluster
from headtrack.cli.eval import app as eval_app
from headtrack.cli.find import find
from headtrack.cli.forget import forget
from headtrack.cli.people import people
from headtrack.cli.query import query
from headtrack.cli.run import RunCommand, run
from headtrack.cli.settings import settings
from headtrack.cli.status import status
from headtrack.cli.suggest import suggest
from headtrack.cli.timeline import timeline
from headtrack.errors import HeadtrackError, StoreError
from headtrack.log import LOGGER

EPILOG = """\b
Exit codes: 0 done; 1 other error; 2 wrong option or setting; 3 path or video, or every video
failed; 4 model; 5 database; 6 manifest or labels; 7 some videos failed, the others are stored;
130 stopped by Ctrl-C; 143 by SIGTERM. stdout carries data only, none after an error; messages and progress go
to stderr. Times are UTC."""

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

app = typer.Typer(
    help="Who is on screen, when, and in which look: heads, rear views included, in DuckDB.",
    epilog=EPILOG,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("run", cls=RunCommand)(run)
app.command("people")(people)
app.command("find")(find)
app.command("forget")(forget)
app.command("suggest")(suggest)
app.command("timeline")(timeline)
app.command("query")(query)
app.command("status")(status)
app.command("cluster")(cluster)
for correcting in (
    *(correct.merge, correct.split, correct.assign, correct.reject, correct.name),
    *(correct.undo, correct.corrections),
):
    app.command(correcting.__name__)(correcting)
app.add_typer(eval_app, name="eval")
app.add_typer(train.app, name="train")
app.command("settings")(settings)
app.add_typer(models.app, name="models")


def _print_version(value: bool) -> None:
    if value:
        print(__version__)
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main(args: list[str] | None = None) -> None:
    """Run the program and leave with its exit code.

    Args:
        args: the words after the program's name; None takes them from the system.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us: what is said goes nowhere
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open to the end)
    if not sys.warnoptions:
        # Libraries warn their developers; a user can do nothing about it.
        warnings.simplefilter("ignore")
    interrupt.watch_for_interrupt()
    code = exit_code_of(args)
    if code in interrupt.EXIT_CODES.values():
        interrupt.end_interrupted()
    sys.exit(code)


def exit_code_of(args: list[str] | None) -> int:
    """Run one command, say on stderr what went wrong if something did, and give the exit code."""
    try:
        return app(args, prog_name="headtrack", standalone_mode=False) or 0
    except KeyboardInterrupt:
        return interrupt.exit_code()
    except Exception as error:
        if interrupt.interrupted():  # the signal broke a native call, which made an error of its own of it
            return interrupt.exit_code()
        if LOGGER.isEnabledFor(logging.DEBUG):
            traceback.print_exception(error)
        message, code = describe(error)
        print(f"error: {message}", file=sys.stderr)
        return code


def describe(error: Exception) -> tuple[str, int]:
    """Give the one line and the exit code for an error.

    >>> describe(StoreError("people.duckdb is locked"))
    ('people.duckdb is locked', 5)
    >>> describe(KeyError("x"))[1]
    1
    """
    if isinstance(error, HeadtrackError):
        return _one_line(str(error)), error.exit_code
    if isinstance(error, TyperException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "headtrack"
        message = _one_line(error.format_message()).rstrip(".")
        return f"{message}; `{command} --help` shows what it takes", error.exit_code
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        return (
            f"the disk is full: {error}; what the database holds is kept: free some space and run the "
            "same command again",
            StoreError.exit_code,
        )
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}", 1
    return (
        f"internal error: {type(error).__name__}: {_one_line(str(error))}; please report it "
        f"(headtrack {__version__}); -v shows the traceback",
        1,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
