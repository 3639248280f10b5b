"""Measures the database on made rows: how fast parts come in, how fast people are asked for.

    python benchmarks/store_speed.py [--rows 10000000] [--hours 4]

Ingest: parts of videos of an hour, two people on screen throughout, as workers write them; beside it the
same head rows by DuckDB alone, from Parquet into a bare table of the same columns. Questions: a database of
that many head rows, 50 tracks a video, one person in eight tracks, asked through the functions behind
`headtrack people` and `headtrack timeline`, the median of seven. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
from archive_scale import fill
from made_gallery import made_gallery

from headtrack.ops.vectors import unit
from headtrack.store.database import open_reader, open_writer
from headtrack.store.ingest import ingest_video
from headtrack.store.read import people, timeline
from headtrack.store.spool import write_parts
from headtrack.types import (
    BoxTrack,
    HeadEmbeddings,
    Heads,
    Provenance,
    Shots,
    Tracklets,
    Tracks,
    Video,
    VideoResult,
)

FPS, HOUR_FRAMES, TRACKLET_FRAMES = 25, 90_000, 250
DETECTIONS = 60  # a track of the database that is asked
TRACKS_A_PERSON = 8
REPEATS = 7
# Each eight tracks, of eight videos, become a person, in two looks.
PEOPLE_SQL = f"""INSERT INTO track_identity BY NAME
    WITH numbered AS (SELECT video_id, track, row_number() OVER (ORDER BY track, video_id) - 1 AS k FROM (
        SELECT DISTINCT video_id, track FROM tracklet))
    SELECT video_id, track, 'p_' || k // {TRACKS_A_PERSON} AS person,
    'p_' || k // {TRACKS_A_PERSON} || '_' || k % 2 AS appearance, 1.0 AS strength FROM numbered"""


def hour(number: int) -> VideoResult:
    """Make what an hour with two people on screen gives, looked at five times a second."""
    rng = np.random.default_rng(number)
    count = 2 * HOUR_FRAMES // TRACKLET_FRAMES  # tracklets, two at a time
    first = np.repeat(np.arange(0, HOUR_FRAMES, TRACKLET_FRAMES), 2)
    box_frame = (first[:, None] + np.arange(TRACKLET_FRAMES)).ravel()
    box_tracklet = np.repeat(np.arange(count), TRACKLET_FRAMES)
    looked = np.flatnonzero(box_frame % (FPS // 5) == 0)
    looked = looked[np.lexsort((box_tracklet[looked], box_frame[looked]))]
    left = 200.0 * (box_tracklet % 2) + box_frame % 97
    xyxy = np.stack([left, left * 0 + 40, left + 60, left * 0 + 120], axis=1)
    nan = np.full(len(looked), np.nan)
    heads = Heads(
        box_frame[looked], xyxy[looked], np.full(len(looked), 0.9), np.zeros(len(looked)), nan, nan,
        np.full((len(looked), 4), np.nan),
        np.full((len(looked), 5, 2), np.nan), np.full((len(looked), 4), np.nan),
    )  # fmt: skip
    crops = np.sort(np.unique(box_tracklet[looked], return_index=True)[1])
    face, look = (unit(rng.normal(size=(len(crops), dim))) for dim in (128, 1280))
    embeddings = HeadEmbeddings(
        crops, box_tracklet[looked][crops], np.full(len(crops), 0.5),
        face, look, np.ones(len(crops)),
    )  # fmt: skip
    video = Video(
        f"{number:016x}", f"/made/{number}.mp4", 640, 360, HOUR_FRAMES, Fraction(1, FPS), 3600.0, float(FPS),
        0, Fraction(1), "h264", "pyav", "made",
    )  # fmt: skip
    return VideoResult(
        video=video,
        provenance=Provenance("made", ("sface@made",), "made", "made", "made"),
        frame_time_s=np.arange(HOUR_FRAMES) / FPS,
        shots=Shots([0], [HOUR_FRAMES], [1.0]),
        looked_at=np.arange(0, HOUR_FRAMES, FPS // 5, dtype=np.int32),
        heads=heads,
        tracklets=Tracklets(box_tracklet[looked], np.zeros(count)),
        colour=np.full((count, 48), 1 / 48, np.float32),
        boxes=BoxTrack(
            box_frame,
            xyxy,
            np.full(len(xyxy), 0.9),
            np.zeros(len(xyxy)),
            box_frame % (FPS // 5) != 0,
            box_tracklet,
        ),
        embeddings=embeddings,
        tracks=Tracks(np.arange(count), np.zeros(count), np.ones(count)),
    )


def ingest(folder: Path, hours: int) -> dict[str, float]:
    """Time `ingest_video`, and DuckDB alone on the same files of head rows."""
    parts = [write_parts(folder / "run", hour(number)) for number in range(hours)]
    with open_writer(folder / "ingest.duckdb") as con:
        started = time.monotonic()
        for part in parts:
            ingest_video(con, part)
        seconds = time.monotonic() - started
        (rows,) = con.execute("SELECT count(*) FROM head").fetchall()[0]
    with duckdb.connect(str(folder / "bare.duckdb")) as con:
        started = time.monotonic()
        con.execute(f"CREATE TABLE head AS FROM read_parquet('{folder}/run/parts/*/head.parquet')")
        con.execute("CHECKPOINT")
        bare_s = time.monotonic() - started
    return {
        "rows": rows,
        "rows_a_second": round(rows / seconds),
        "share_of_duckdb_alone": round(bare_s / seconds, 3),
    }


def questions(folder: Path, rows: int) -> dict[str, float]:
    """Time what is asked most."""
    db = folder / "asked.duckdb"
    fill(db, made_gallery(rows // DETECTIONS), 1, DETECTIONS)
    with open_writer(db) as con:
        con.execute("INSERT INTO video_path BY NAME SELECT video_id, '/made/' || video_id AS path FROM video")
        con.execute(PEOPLE_SQL)
        con.execute("INSERT INTO person BY NAME SELECT DISTINCT person FROM track_identity")
    with open_reader(db) as con:
        (found,) = con.execute("SELECT count(*) FROM head").fetchall()[0]
        stays = len(timeline(con, "p_7").rows)
        return {
            "rows": found,
            "people": len(people(con).rows),
            "stays_of_one_person": stays,
            "timeline_ms": round(1000 * median_s(lambda: timeline(con, "p_7")), 1),
            "people_s": round(median_s(lambda: people(con)), 3),
            "person_summary_s": round(median_s(lambda: con.execute("FROM person_summary").fetchall()), 3),
        }


def median_s(ask: Callable[[], object]) -> float:
    """Give the median seconds of some repeats."""
    taken = []
    for _ in range(REPEATS):
        started = time.monotonic()
        ask()
        taken.append(time.monotonic() - started)
    return statistics.median(taken)


def main() -> None:
    """Make, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--hours", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        print(
            json.dumps(
                {"ingest": ingest(folder, args.hours), "questions": questions(folder, args.rows)}, indent=1
            )
        )


if __name__ == "__main__":
    main()
