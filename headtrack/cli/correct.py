"""`headtrack merge`, `split`, `assign`, `reject`, `name`, `undo`, `corrections`: who is who, by a person."""

from __future__ import annotations

from typing import Annotated

import typer

from headtrack.cli.options import (
    DEFAULT_DB,
    ConfigOption,
    DbOption,
    FormatOption,
    SetOption,
    VerboseOption,
)
from headtrack.cli.output import Format, print_rows, rows_of
from headtrack.errors import SettingsError
from headtrack.settings_file import load_settings

PersonArgument = Annotated[
    str, typer.Argument(metavar="PERSON", help="An id as `headtrack people` prints it, or a given name.")
]
TRACK_HELP = (
    "VIDEO:TRACK, where VIDEO is a path as `headtrack status` prints it, a file name that occurs once, or a "
    "video id; `headtrack query --name tracks --param person=PERSON` lists a person's."
)
TrackArgument = Annotated[str, typer.Argument(metavar="TRACK", help=TRACK_HELP)]


def merge(
    person: PersonArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Who is the same person: an id or a name.")],
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Make two people one.

    The id of the one with more tracks stays; of two names, the one given later. Everybody is clustered
    again at once, and printed are the people whom it concerns, with their tracks and from whom some
    came. Every later run obeys: `headtrack corrections` lists what is in force, `headtrack undo` takes it
    back. Two heads in one frame are two people: such a merge is refused.

    \b
    Examples:
      headtrack merge p_ou4o2wjm p_e3snfcgx
      headtrack merge Ada p_e3snfcgx --db people.duckdb --format json
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline import correct

    found = correct.merge(db, load_settings(config, overrides or []), person=person, other=other)
    print_rows(rows_of(found), form)


def split(
    person: PersonArgument,
    tracks: Annotated[list[str], typer.Argument(metavar="TRACK...", help=TRACK_HELP)],
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Make some tracks of a person one other person.

    The part with more tracks keeps the id. Tracks that show several other people are split one by one. As
    after `headtrack merge`, everybody is clustered again, and every later run obeys.

    \b
    Examples:
      headtrack query --name tracks --param person=p_ou4o2wjm
      headtrack split p_ou4o2wjm film.mp4:3 film.mp4:8
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline import correct

    found = correct.split(db, load_settings(config, overrides or []), person=person, tracks=tracks)
    print_rows(rows_of(found), form)


def assign(
    track: TrackArgument,
    person: PersonArgument,
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Give a track to a person, and take it from whom it was of.

    For rear views and faces that nothing else joins. As after `headtrack merge`, everybody is clustered
    again, and every later run obeys.

    \b
    Examples:
      headtrack assign film.mp4:3 p_ou4o2wjm
      headtrack assign /archive/film.mp4:3 Ada
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline import correct

    found = correct.assign(db, load_settings(config, overrides or []), track=track, person=person)
    print_rows(rows_of(found), form)


def reject(
    who: Annotated[str, typer.Argument(metavar="WHO", help=f"An id, a name, or a track: {TRACK_HELP}")],
    person: PersonArgument,
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Say that a track or a person is not another person.

    A track of that person leaves it; people apart stay so whatever later videos bring. As after
    `headtrack merge`, everybody is clustered again, and every later run obeys.

    \b
    Examples:
      headtrack reject film.mp4:3 p_ou4o2wjm
      headtrack reject p_e3snfcgx Ada
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline import correct

    found = correct.reject(db, load_settings(config, overrides or []), who=who, person=person)
    print_rows(rows_of(found), form)


def name(
    person: PersonArgument,
    given: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The name; an empty one takes it away.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the name away.")] = False,
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Give a person a name, which every command takes in the place of the id.

    The name belongs to the heads that the person has now: it stays with whoever holds most of
    their tracks, also after the videos were analysed anew. Of two names of one person, the one given
    later stands. Two people cannot have one name.

    \b
    Examples:
      headtrack name p_ou4o2wjm "Ada Lovelace"
      headtrack name p_ou4o2wjm --remove
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline import correct

    if (given is None) != remove:
        got = "neither" if given is None else "both"
        raise SettingsError(f"`headtrack name` takes either NAME or --remove, got {got}; give one")
    found = correct.name(db, load_settings(config, overrides or []), person=person, given=given or "")
    print_rows(rows_of(found), form)


def undo(
    number: Annotated[
        int | None,
        typer.Argument(
            metavar="[NUMBER]", help="Of `headtrack corrections`; where left out, the last in force."
        ),
    ] = None,
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Take a correction back.

    Everybody is clustered again without it; it stays in the list with the time at which it was undone.
    Who parts again may get another id than before the correction; `headtrack query --name changes` has both.
    To put it in force again, give it anew.

    \b
    Examples:
      headtrack undo
      headtrack undo 3 --db people.duckdb
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.pipeline import correct

    found = correct.undo(db, load_settings(config, overrides or []), number=number)
    print_rows(rows_of(found), form)


def corrections(
    db: DbOption = DEFAULT_DB, form: FormatOption = Format.table, verbose: VerboseOption = False
) -> None:
    """Print what was corrected, the last correction first.

    Gives when, what, of how many tracks it spoke and how many of them are met now, and when it was
    undone. `people` are those who have the corrected tracks now: the tracks of the first argument of
    `merge`, `assign`, `reject` and `name`, and of `split` the tracks that it names; more than one where
    clustering, or another correction, parted them. `headtrack query --name changes` tells who became whom
    since, and why.

    \b
    Examples:
      headtrack corrections
      headtrack corrections --db people.duckdb --format csv
    """  # noqa: D301 (click's paragraph mark)
    from headtrack.store.database import open_reader
    from headtrack.store.read import named_query

    with open_reader(db) as con:
        found = named_query(con, "corrections", {})
    print_rows(rows_of(found), form)
