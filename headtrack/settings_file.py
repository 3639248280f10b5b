"""Settings as the user gives them: a TOML file, then `section.key=value` strings."""

from __future__ import annotations

import math
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from headtrack.errors import SettingsError
from headtrack.settings import Settings, allowed_text, setting_rows


def load_settings(config: Path | None, overrides: list[str]) -> Settings:
    """Read settings from a file and from `section.key=value` strings; the latter win.

    Args:
        config: a TOML file; None takes `headtrack.toml` of the working folder where it exists.
        overrides: as given to `--set`.

    Raises:
        SettingsError: an unknown setting, a value of the wrong type or out of range.
    """
    settings = Settings()
    path = config or Path("headtrack.toml")
    if path.is_dir():
        raise SettingsError(f"settings file {path} is a folder; give a TOML file to --config")
    if config is not None and not path.exists():
        raise SettingsError(f"settings file {path} does not exist; give an existing TOML file to --config")
    if path.exists():
        settings = _apply_file(settings, path)
    for item in overrides:
        name, equals, text = item.partition("=")
        if not equals:
            raise SettingsError(f"--set {item!r} is not of the form section.key=value")
        settings = _with(settings, name.strip(), text.strip(), f"--set {item}")
    return settings


def _apply_file(settings: Settings, path: Path) -> Settings:
    try:
        document = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"settings file {path} cannot be read: {error}") from error
    for section, values in document.items():
        if not isinstance(values, dict):
            raise SettingsError(
                f"{path}: {section!r} must be a table, as in [detect]; see `headtrack settings`"
            )
        for key, value in values.items():
            settings = _with(settings, f"{section}.{key}", value, str(path))
    return settings


def _with(settings: Settings, name: str, value: Any, where: str) -> Settings:
    section, _, key = name.partition(".")
    known = {row.name for row in setting_rows(settings)}
    if name not in known:
        near = [k for k in sorted(known) if k.endswith(f".{key or section}") or k.startswith(f"{section}.")]
        hint = f"did you mean one of {', '.join(near)}?" if near else "`headtrack settings` lists them all."
        raise SettingsError(f"{where}: unknown setting {name!r}; {hint}")
    values = getattr(settings, section)
    spec = next(f for f in fields(values) if f.name == key)
    wanted = get_type_hints(type(values))[key]
    return replace(
        settings, **{section: replace(values, **{key: _convert(value, wanted, spec.metadata, name, where)})}
    )


def _convert(value: Any, wanted: type, metadata: Any, name: str, where: str) -> Any:
    if isinstance(value, bool) and wanted is not bool:
        raise SettingsError(
            f"{where}: {name} takes {allowed_text(metadata) or wanted.__name__}, got {value!r}"
        )
    try:
        converted = wanted(value)
        if wanted is int and float(value) != converted:
            raise ValueError("not a whole number")
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{where}: {name} takes {wanted.__name__}, got {value!r}") from error
    low, high, choices = metadata["low"], metadata["high"], metadata["choices"]
    if isinstance(converted, float) and not math.isfinite(converted):
        raise SettingsError(
            f"{where}: {name} must be a finite number, {allowed_text(metadata)}, got {value!r}"
        )
    in_range = (low is None or converted >= low) and (high is None or converted <= high)
    if not in_range or (choices and converted not in choices):
        raise SettingsError(f"{where}: {name} must be {allowed_text(metadata)}, got {value!r}")
    return converted
