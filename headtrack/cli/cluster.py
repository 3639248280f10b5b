"""`headtrack cluster`: gather the tracks into people anew."""

from __future__ import annotations

from headtrack.cli.options import (
    DEFAULT_DB,
    ConfigOption,
    DbOption,
    FormatOption,
    SetOption,
    VerboseOption,
)
from headtrack.cli.output import Format, Rows, print_rows
from headtrack.settings_file import load_settings


def cluster(
    db: DbOption = DEFAULT_DB,
    config: ConfigOption = None,
    overrides: SetOption = None,
    form: FormatOption = Format.table,
    verbose: VerboseOption = False,
) -> None:
    """Gather all tracks into people and looks anew.

    No video is read again. Ids stay with the people that keep most of their tracks. `headtrack
    run` does this at its end; alone it is for trying other settings of the section `identity`.

    \b
    Examples:
      headtrack cluster --db people.duckdb
      headtrack cluster --db people.duckdb --set identity.min_probability=0.6
    """  # noqa: D301 (click's paragraph mark)
    settings = load_settings(config, overrides or [])
    from headtrack.pipeline.clustering import cluster_archive
    from headtrack.store.database import open_reader

    with open_reader(db):  # clustering would make a new one
        pass
    people, appearances = cluster_archive(db, settings)
    print_rows(Rows(("people", "appearances"), [(people, appearances)]), form)
