"""What a user names becomes a list of files: videos, images, folders, manifests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from headtrack.errors import DatasetError, VideoError

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".pgm", ".ppm"})
VIDEO_SUFFIXES = frozenset(
    {
        ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".m2ts", ".mts", ".ts", ".vob",
        ".wmv", ".asf", ".flv", ".f4v", ".3gp", ".3g2", ".ogv", ".mxf", ".dv", ".gif", ".y4m",
    }
)  # fmt: skip
MANIFEST_SUFFIXES = frozenset({".csv", ".parquet"})


def find_inputs(paths: list[Path]) -> list[Path]:
    """List the videos and images behind what a user named, each file once, in a stable order.

    A folder is searched to its depths for the usual suffixes of videos and images. A manifest is a CSV
    or Parquet file with a column `path`; relative paths in it start at its own folder. A row
    that leads nowhere stays in the list: it will be recorded as failed without stopping the run.

    Args:
        paths: files, folders or manifests.

    Raises:
        VideoError: a path does not exist, or a folder holds no video and no image.
        DatasetError: a manifest cannot be read, has no column `path`, or is empty.
    """
    found: dict[str, Path] = {}
    for path in paths:
        for file in _expand(path):
            found.setdefault(os.path.realpath(file), Path(os.path.abspath(file)))
    return list(found.values())


def _expand(path: Path) -> Iterator[Path]:
    if path.is_dir():
        files = sorted(_walk(path))
        if not files:
            raise VideoError(
                f"folder {path} holds no video and no image; name a folder, a file or a manifest that does"
            )
        yield from files
    elif not os.path.lexists(path):
        raise VideoError(f"{path} does not exist; check the path, or quote it if it has spaces")
    elif path.suffix.lower() in MANIFEST_SUFFIXES:
        yield from _manifest(path)
    else:
        yield path


def _walk(folder: Path) -> Iterator[Path]:
    """Give media files below a folder; a linked folder is searched too, each folder once."""
    seen: set[tuple[int, int]] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        status = os.stat(root)
        if (status.st_dev, status.st_ino) in seen:  # a link back to where we were
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if not name.startswith(".") and Path(name).suffix.lower() in IMAGE_SUFFIXES | VIDEO_SUFFIXES:
                yield Path(root) / name


def _manifest(path: Path) -> Iterator[Path]:
    try:
        if path.suffix.lower() == ".parquet":
            table = pa_parquet.read_table(path)
        else:
            options = pa_csv.ConvertOptions(column_types={"path": pa.string()}, strings_can_be_null=True)
            table = pa_csv.read_csv(
                path, convert_options=options, parse_options=pa_csv.ParseOptions(newlines_in_values=True)
            )
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"manifest {path} cannot be read: {_first_line(error)}") from error
    if "path" not in table.column_names:
        raise DatasetError(
            f"manifest {path}, line 1: the columns are {', '.join(table.column_names)}; "
            "it needs one named 'path'"
        )
    if not len(table):
        raise DatasetError(f"manifest {path} lists no video; it needs at least one row below the header")
    first_line = 2 if path.suffix.lower() == ".csv" else 1
    for row, value in enumerate(table["path"].to_pylist(), start=first_line):
        if not isinstance(value, str) or not value.strip():
            raise DatasetError(f"manifest {path}, line {row}: 'path' is {value!r}; every row names a video")
        yield path.parent / value


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
