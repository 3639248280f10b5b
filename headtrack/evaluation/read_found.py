"""Reads what the main job found through the two stable views."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from headtrack.evaluation.predictions import Found, FoundHeads
from headtrack.store.database import open_reader
from headtrack.store.read import QueryRows, named_query

BOX = ("x1", "y1", "x2", "y2")


def read_found(db: Path, paths: Mapping[str, Path]) -> dict[str, Found]:
    """Read the heads and shots of some files.

    Args:
        db: the database of the main job.
        paths: absolute path of each file, by its path in the data folder.

    Returns:
        What was found, by path in the data folder; a file without any shot was not analysed and is
        left out.

    Raises:
        StoreError: the database cannot be read.
    """
    found = {}
    with open_reader(db) as con:
        for media, path in paths.items():
            shots = named_query(con, "shots_in_file", {"path": str(path)})
            if len(shots):
                heads = named_query(con, "heads_in_file", {"path": str(path)})
                starts = np.array([row[shots.columns.index("start_frame")] for row in shots.rows], np.int64)
                found[media] = Found(_heads(heads), starts[1:])
    return found


def _heads(rows: QueryRows) -> FoundHeads:
    column = {name: [row[i] for row in rows.rows] for i, name in enumerate(rows.columns)}
    return FoundHeads(
        frame=np.array(column["frame"], np.int64),
        xyxy=np.array([column[side] for side in BOX], np.float64).T.reshape(-1, 4),
        score=np.array(column["score"], np.float64),
        view=np.array(column["view"], np.str_),
        track=np.array(column["track"], np.int64),
        person=np.array([person or "" for person in column["person"]], np.str_),
        appearance=np.array([look or "" for look in column["appearance"]], np.str_),
        tracklet=np.array(column["tracklet"], np.int64),
    )
