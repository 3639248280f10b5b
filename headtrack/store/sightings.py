"""Reads who each track is and where it is best looked at."""

from __future__ import annotations

import duckdb
import numpy as np

from headtrack.store.sql_files import statements
from headtrack.types.sightings import Sightings


def load_sightings(con: duckdb.DuckDBPyConnection) -> Sightings:
    """Read every track of every video in the order of `load_gallery`.

    Args:
        con: from `open_reader`, `open_writer` or `open_scratch`.
    """
    found = con.execute(statements("store")["sightings"].sql).fetchnumpy()
    text = {
        name: np.asarray(found[name]).astype(np.str_) for name in ("person", "name", "appearance", "video")
    }
    return Sightings(
        **text,
        time_s=np.asarray(found["time_s"]),
        xy=np.stack([np.asarray(found["x"]), np.asarray(found["y"])], axis=1),
        shown_s=np.asarray(found["shown_s"]),
    )
