"""`headtrack find`: who of the archive is in a picture or a video."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
from headtrack.cli.output import Format, Rows, print_rows
from headtrack.errors import SettingsError

if TYPE_CHECKING:
    from headtrack.pipeline.find import FoundHead
    from headtrack.pipeline.known_people import Archive
    from headtrack.video.inputs import Input

COLUMNS = (
    "head", "head_s", "head_x", "head_y", "by", "person", "name", "probability",
    "look", "look_probability", "best_video", "best_s",
)  # fmt: skip
EVEN = 0.5
# So many are listed a head even where none is likely: the right one may be the second.
ALWAYS_LISTED = 3


def find(
    example: Annotated[
        str,
        typer.Argument(metavar="IMAGE|VIDEO", help="A picture or a video, as a path or URL."),
    ],
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="PEOPLE", help="List at most so many people a head.")
    ] = 10,
    db: DbOption = DEFAULT_DB,
    detector: DetectorOption = None,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Find the people of a picture or a video in the database, by their faces.

    The example is analysed as `run` does, but nothing of it is stored. Each of its heads (`head`,
    best seen at `head_s` seconds, `head_x`, `head_y` pixels) gets the people of the database, the
    likeliest first: all at even odds or better, and at least the three likeliest, up to --limit.
    `probability` is that of the same person, from the mean evidence of all the person's faces;
    `best_video` and `best_s` show the one that resembles the head most; `look` is the person's
    likeliest look. A head without a usable face, as from behind, is ranked by its look alone
    (`by` is look): that tells looks apart, not people.

    \b
    Examples:
      headtrack find photo.jpg
      headtrack find clip.mp4 --db people.duckdb --limit 3 --format json
    """  # noqa: D301 (click's paragraph mark)
    if not example:
        raise SettingsError("an argument is empty; is a shell variable unset? name the file in full")
    settings = settings_with_detector(config, overrides, detector)
    path = _one_file(example)
    from headtrack.pipeline.known_people import check_holds_somebody, load_archive

    archive = load_archive(db, settings)
    check_holds_somebody(archive)
    from headtrack.video.decode import probe_watched

    video = probe_watched(path, settings.decode)
    # Only now, since it brings torch.
    from headtrack.cli.run import fetch_models
    from headtrack.pipeline.find import find_by_example

    fetch_models(settings)
    heads = find_by_example(video, archive, settings)
    print_rows(
        Rows(COLUMNS, [row for k, head in enumerate(heads) for row in _rows(k + 1, head, archive, limit)]),
        form,
    )
    for k, head in enumerate(heads):
        _tell(k + 1, head)


def _one_file(named: str) -> Input:
    """Check that the example is one image or video."""
    from headtrack.errors import VideoError
    from headtrack.video.inputs import find_inputs

    if Path(named).is_dir():
        raise VideoError(f"{named} is a folder; give one picture or one video")
    files = find_inputs([named]).files
    if len(files) != 1:
        raise VideoError(f"{named} names {len(files)} files; give one picture or one video")
    return files[0]


def _rows(number: int, head: FoundHead, archive: Archive, limit: int) -> list[tuple[Any, ...]]:
    found, seen = head.resemblance, archive.sightings
    shown = min(len(found), limit, max(int((found.probability >= EVEN).sum()), ALWAYS_LISTED))
    rows = []
    for k in range(shown):
        track, look = int(found.best_track[k]), int(found.appearance[k])
        rows.append(
            (
                number,
                head.time_s,
                round(head.x),
                round(head.y),
                "face" if found.by_face else "look",
                str(seen.person[track]),
                str(seen.name[track]) or None,
                float(found.probability[k]),
                str(archive.look_ids[look]) if look >= 0 else None,
                float(found.look_probability[k]),
                str(seen.video[track]),
                float(seen.time_s[track]),
            )
        )
    return rows


def _tell(number: int, head: FoundHead) -> None:
    """Say on stderr what the rows of a head do not."""
    place = f"head {number} (at {head.time_s:.2f} s, x {head.x:.0f}, y {head.y:.0f})"
    found = head.resemblance
    if not found.by_face:
        print(f"{place} shows no usable face: ranked by its look alone", file=sys.stderr)
    if not len(found):
        print(f"{place}: the database has nobody to compare it with", file=sys.stderr)
    elif found.probability[0] < EVEN:
        print(f"{place}: nobody at even odds or better; the nearest are listed", file=sys.stderr)
