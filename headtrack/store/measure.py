"""Reads what only the evaluation wants to know: the gallery by path, and why tracklets were linked."""

from __future__ import annotations

import duckdb

from headtrack.store.sql_files import statements


def gallery_rows(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, int], int]:
    """Give the row that each (path, track) has in what `load_gallery` reads.

    Args:
        con: from `open_reader`.
    """
    rows = con.execute(statements("store")["gallery_paths"].sql).fetchall()
    return {(path, track): row for path, track, row in rows}


def link_rows(con: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[int, int, str, float]]]:
    """Give tracklet, track, link reason and link score of every tracklet, by path, in order of tracklet.

    Args:
        con: from `open_reader`.
    """
    by_path: dict[str, list[tuple[int, int, str, float]]] = {}
    for path, *row in con.execute(statements("store")["links_by_path"].sql).fetchall():
        by_path.setdefault(path, []).append((row[0], row[1], row[2], row[3]))
    return by_path


def detection_rows(
    con: duckdb.DuckDBPyConnection, path: str
) -> list[tuple[int, float, float, float, float, float]]:
    """Give frame, x1, y1, x2, y2 and score of every detected head of one file, frame by frame.

    Args:
        con: from `open_reader`.
        path: absolute.
    """
    return con.execute(statements("store")["detections_in_file"].sql, {"path": path}).fetchall()
