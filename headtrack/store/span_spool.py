"""Files in which workers leave watched spans until all of a video's are there."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from headtrack.errors import StoreError
from headtrack.store.spool import said_clearly
from headtrack.types import Entry, HeadEmbeddings, Heads, Span, SpanObservation

SPANS = "spans"
# Values that are structs of arrays themselves: their arrays are kept as `heads.xyxy`.
STRUCTS: dict[str, type] = {"heads": Heads, "embeddings": HeadEmbeddings}
PLAIN = ("span", "width", "height")


def write_span(run_dir: Path, video_id: str, seen: SpanObservation) -> Path:
    """Write one span; it appears whole or not at all.

    Args:
        run_dir: folder of the run.
        video_id: of its video.
        seen: what its frames gave.

    Returns:
        The file, `run_dir/spans/<video_id>/<first frame>.npz`.

    Raises:
        StoreError: the disk is full or the folder cannot be written; nothing is left behind.
    """
    file = span_folder(run_dir, video_id) / f"{seen.span.first}.npz"
    temp = file.with_name(f".{file.name}.{os.getpid()}.new")
    arrays: dict[str, Any] = {}
    for field in fields(seen):
        value = getattr(seen, field.name)
        if field.name in STRUCTS:
            arrays |= {f"{field.name}.{f.name}": getattr(value, f.name) for f in fields(value)}
        elif field.name not in PLAIN:
            arrays[field.name] = value
    plain = {"span": asdict(seen.span), "width": seen.width, "height": seen.height}
    with said_clearly(file):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with temp.open("wb") as sink:
                np.savez(sink, plain=np.array(json.dumps(plain)), **arrays)
                sink.flush()
                os.fsync(sink.fileno())
            os.replace(temp, file)
        finally:
            temp.unlink(missing_ok=True)
    return file


def read_span(file: Path) -> SpanObservation:
    """Read a span that `write_span` wrote.

    Raises:
        StoreError: the file is missing or damaged.
    """
    try:
        with np.load(file) as arrays:
            plain = json.loads(str(arrays["plain"]))
            given: dict[str, Any] = {name: plain[name] for name in PLAIN}
            for field in fields(SpanObservation):
                if field.name in STRUCTS:
                    struct = STRUCTS[field.name]
                    given[field.name] = struct(*(arrays[f"{field.name}.{f.name}"] for f in fields(struct)))
                elif field.name not in PLAIN:
                    given[field.name] = arrays[field.name]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise StoreError(f"span {file} is damaged ({error}); remove that file and run again") from error
    span = given["span"]
    given["span"] = Span(Entry(**span["start"]), span["stop"], span["origin_pts"])
    return SpanObservation(**given)


def read_spans(run_dir: Path, video_id: str) -> Iterator[SpanObservation]:
    """Read the spans of a video in order, one at a time."""
    for file in sorted(span_folder(run_dir, video_id).glob("[!.]*.npz"), key=lambda file: int(file.stem)):
        yield read_span(file)


def span_folder(run_dir: Path, video_id: str) -> Path:
    """Give the folder of a video's spans."""
    return run_dir / SPANS / video_id


def remove_all_spans(run_dir: Path) -> None:
    """Remove the spans of a run that is over, or died: their videos are analysed anew."""
    shutil.rmtree(run_dir / SPANS, ignore_errors=True)


def remove_spans(run_dir: Path, video_id: str) -> None:
    """Remove a video's spans, which are in its part now or of no use."""
    shutil.rmtree(span_folder(run_dir, video_id), ignore_errors=True)
