"""A manifest: a CSV or Parquet file whose column `path` names files, folders and patterns, one a row."""

from __future__ import annotations

import csv
import io
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pa_parquet

from headtrack.errors import DatasetError, VideoError
from headtrack.types.remote import is_url, suffix_of
from headtrack.video.remote import read_bytes

MANIFEST_SUFFIXES = frozenset({".csv", ".parquet"})
PATH_COLUMN = "path"
# What programs write between the columns where their locale or export says so.
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One file, folder or pattern that a manifest names.

    Attributes:
        where: the manifest and the row in it, to begin a message with.
        path: absolute, or relative to the working folder as the manifest itself was given; or a URL.
    """

    where: str
    path: Path | str


def read_manifest(manifest: Path | str) -> list[ManifestRow]:
    """List what a manifest names, in its order; relative paths start at the manifest's own folder.

    A row without any value is passed over. Other columns are left alone.

    Args:
        manifest: CSV in UTF-8, with commas and a header, or Parquet; by its suffix. A URL is a text.

    Raises:
        DatasetError: it cannot be read, has no column `path`, names nothing, or a row has a wrong `path`.
    """
    try:
        content = read_bytes(manifest) if isinstance(manifest, str) else manifest.read_bytes()
    except VideoError as error:
        raise DatasetError(f"manifest {error}") from error
    except OSError as error:
        raise DatasetError(
            f"manifest {manifest} cannot be read ({error.strerror}); check the path and its permissions"
        ) from error
    if not content:
        raise DatasetError(f"manifest {manifest} is empty (0 bytes); it needs a column 'path'")
    read = _parquet_rows if suffix_of(str(manifest)) == ".parquet" else _csv_rows
    folder = manifest.rpartition("/")[0] if isinstance(manifest, str) else manifest.parent
    rows = [ManifestRow(where, _path(value, where, folder)) for where, value in read(manifest, content)]
    if not rows:
        raise DatasetError(f"manifest {manifest} names no video; give it at least one row with a 'path'")
    return rows


def _path(value: object, where: str, folder: Path | str) -> Path | str:
    if value is None or not str(value).strip():
        raise DatasetError(f"{where}: 'path' is blank; name a file or folder there, or remove the row")
    if not isinstance(value, str):
        raise DatasetError(f"{where}: 'path' is {value!r}, which is no text; write the column as text")
    if "\0" in value:
        raise DatasetError(f"{where}: 'path' is {value!r}; no path can hold a NUL character")
    if is_url(value):
        path = value
    elif isinstance(folder, Path):
        path = folder / value
    elif PurePosixPath(value).is_absolute():
        raise DatasetError(
            f"{where}: {value} would be a file of whoever reads this manifest; give a URL, or a path "
            "relative to the manifest"
        )
    else:
        path = _beside(folder, value, where)
    if suffix_of(str(path)) in MANIFEST_SUFFIXES and not (isinstance(path, Path) and path.is_dir()):
        raise DatasetError(
            f"{where}: {value} is itself a manifest; name its files here, or give it to `headtrack run` "
            "as a PATH of its own"
        )
    return path


def _beside(folder: str, value: str, where: str) -> str:
    """Give the URL of a path relative to a folder; `..` leads up, but not out of its bucket or host."""
    if ".." not in PurePosixPath(value).parts:
        return f"{folder}/{value}"
    protocol, _, place = folder.partition("://")
    store = place.partition("/")[0]
    path = posixpath.normpath(f"{place}/{value}")
    if path.partition("/")[0] != store:
        raise DatasetError(f"{where}: {value} leads out of {protocol}://{store}; give the whole URL")
    return f"{protocol}://{path}"


def _csv_rows(manifest: Path | str, content: bytes) -> Iterator[tuple[str, object]]:
    """Give each row that is not blank as the place of its first line and its `path`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DatasetError(
            f"manifest {manifest}, line {line}: this is not UTF-8 text; save it as 'CSV UTF-8'"
        ) from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in reader:
            where, line = f"manifest {manifest}, line {line}", reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                _check_columns(cells, where)
                header = cells
                continue
            if any(cell.strip() for cell in cells[len(header) :]):
                raise DatasetError(
                    f"{where}: it has {len(cells)} values for {len(header)} columns; put a path that holds "
                    "commas between double quotes"
                )
            column = header.index(PATH_COLUMN)
            yield where, cells[column] if column < len(cells) else None
    except csv.Error as error:
        raise DatasetError(
            f"manifest {manifest}, line {line}: this is not CSV ({error}); is a double quote left open or "
            "not doubled?"
        ) from error


def _parquet_rows(manifest: Path | str, content: bytes) -> Iterator[tuple[str, object]]:
    """Give each row that is not blank as its number, from 1, and its `path`."""
    try:
        table = pa_parquet.ParquetFile(pa.BufferReader(content)).read()
    except (pa.ArrowException, OSError) as error:
        raise DatasetError(
            f"manifest {manifest} is no Parquet file, or a damaged one; write it anew, or give it the "
            "suffix .csv if it is text"
        ) from error
    _check_columns(table.column_names, f"manifest {manifest}")
    for i, value in enumerate(table[PATH_COLUMN].to_pylist()):
        if _is_blank(value) and all(_is_blank(column[i].as_py()) for column in table.itercolumns()):
            continue
        yield f"manifest {manifest}, row {i + 1}", value


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _check_columns(names: Sequence[str], where: str) -> None:
    if names.count(PATH_COLUMN) == 1:
        return
    if PATH_COLUMN in names:
        raise DatasetError(f"{where}: {names.count(PATH_COLUMN)} columns are named 'path'; keep one of them")
    near = next((name for name in names if name.strip().lower() == PATH_COLUMN), None)
    separator = next((s for s in OTHER_SEPARATORS if len(names) == 1 and s in names[0]), None)
    if near is not None:
        advice = f"rename the column {near!r} to 'path'"
    elif separator is not None:
        advice = f"it seems to use {OTHER_SEPARATORS[separator]}: save it with commas between the columns"
    else:
        advice = "name the column of the files 'path', in a header above them"
    raise DatasetError(f"{where}: there is no column 'path', only {', '.join(map(repr, names))}; {advice}")
