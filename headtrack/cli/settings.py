"""`headtrack settings`: what is in force, and what may be set."""

from __future__ import annotations

from typing import Any

from headtrack.cli.options import ConfigOption, FormatOption, SetOption, VerboseOption
from headtrack.cli.output import Format, Rows, print_rows
from headtrack.settings import setting_rows
from headtrack.settings_file import load_settings


def settings(
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Print every setting.

    Gives the value in force, its default, what is allowed, what it means. Settings come from
    --config FILE (or headtrack.toml of the working folder), then from --set; the latter win.

    \b
    Examples:
      headtrack settings
      headtrack settings --set detect.fps=10 --format json
    """  # noqa: D301 (click's paragraph mark)
    rows = setting_rows(load_settings(config, overrides or []))
    print_rows(
        Rows(
            ("name", "value", "default", "allowed", "meaning"),
            [(r.name, _whole(r.value, form), _whole(r.default, form), r.allowed, r.doc) for r in rows],
        ),
        form,
    )


def _whole(value: Any, form: Format) -> Any:
    """Keep a table from rounding a number."""
    return f"{value:g}" if form is Format.table and isinstance(value, float) else value
