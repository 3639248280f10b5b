"""Measures `headtrack cluster` on a made database: reading the tracks, clustering them, writing people.

    python benchmarks/archive_scale.py [--tracks 100000] [--crops 2] [--detections 60]

Fills a temporary database with videos of 50 tracks (`made_gallery.py`), then clusters it in a process of
its own. Prints JSON: seconds by the clock and of the CPU, peak resident memory, people and looks found, the
size of the database.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from clustering_scale import peak_mb
from made_gallery import VIDEO_S, MadeGallery, made_gallery

from headtrack.models.registry import model_id
from headtrack.pipeline.clustering import cluster_archive
from headtrack.settings import Settings
from headtrack.store.database import open_writer

PIECE_TRACKS = 5_000
LOOK_COPIES = 10  # of the made look's 128 numbers, for the 1280 of the network
FPS = 5
VIDEO_SQL = f"""INSERT INTO video BY NAME SELECT DISTINCT video_id, 320 AS width, 180 AS height,
    {int(VIDEO_S) * FPS} AS frame_count, {VIDEO_S} AS duration_s, {FPS}.0 AS fps, 0.0 AS rotation_deg,
    1.0 AS sample_aspect, 'made' AS codec, 'made' AS decoder, 'made' AS decoder_reason, 'done' AS status,
    'made' AS settings_hash, [$model] AS models, 'made' AS version, now()::TIMESTAMP AS analysed_at
    FROM piece"""
TRACKLET_SQL = """INSERT INTO tracklet BY NAME
    SELECT video_id, track AS tracklet, 0 AS shot, track, first_frame,
    first_frame + $detections AS last_frame, 'start' AS link_reason, 1.0 AS link_score FROM piece"""
HEAD_SQL = f"""INSERT INTO head BY NAME SELECT video_id, first_frame + step AS frame,
    (first_frame + step) / {FPS}.0 AS time_s, 1.0 / {FPS} AS shown_s, 0 AS x1, 0 AS y1, 20 AS x2, 20 AS y2,
    0.9 AS score, 'front' AS view, false AS interpolated, track AS tracklet
    FROM piece, range($detections) AS steps(step)"""
CROP_SQL = """INSERT INTO crop_embedding BY NAME
    SELECT video_id, track AS tracklet, first_frame + crop AS frame,
    0.5 AS quality, 'front' AS view, identity, appearance, recognisability
    FROM piece, range($crops) AS crops(crop)"""


def fill(db: Path, made: MadeGallery, crops: int, detections: int) -> None:
    """Write made tracks the way a run does: head by head, and crops with their embeddings."""
    gallery, rng = made.gallery, np.random.default_rng(1)
    first_frame = rng.integers(0, int(VIDEO_S) * FPS - detections, len(gallery))
    values = {"model": model_id("sface"), "crops": crops, "detections": detections}
    with open_writer(db) as con:
        for start in range(0, len(gallery), PIECE_TRACKS):
            rows = slice(start, start + PIECE_TRACKS)
            unknown = ~gallery.has_face[rows]
            look = np.tile(gallery.look[rows], LOOK_COPIES) / np.sqrt(LOOK_COPIES).astype(np.float32)
            piece = {
                "video_id": pa.array(gallery.video_id[rows].tolist()),
                "track": gallery.track[rows],
                "first_frame": first_frame[rows],
                "recognisability": gallery.face_recognisability[rows],
                "identity": _lists(gallery.face[rows], unknown),
                "appearance": _lists(look, np.zeros(len(look), np.bool_)),
            }
            con.register("piece", pa.table(piece))
            for sql in (VIDEO_SQL, TRACKLET_SQL, HEAD_SQL, CROP_SQL):
                con.execute(sql, {name: value for name, value in values.items() if f"${name}" in sql})
            con.unregister("piece")


def _lists(vectors: np.ndarray, unknown: np.ndarray) -> pa.Array:
    offsets = np.arange(len(vectors) + 1, dtype=np.int32) * vectors.shape[1]
    return pa.ListArray.from_arrays(offsets, np.ascontiguousarray(vectors).ravel(), mask=pa.array(unknown))


def main() -> None:
    """Fill, cluster, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--crops", type=int, default=2, help="a track")
    parser.add_argument("--detections", type=int, default=60, help="a track")
    parser.add_argument("--only", type=Path, help="cluster this database in this process")
    args = parser.parse_args()
    if args.only:
        start, start_cpu = time.monotonic(), time.process_time()
        people, appearances = cluster_archive(args.only, Settings())
        told = {
            "seconds": round(time.monotonic() - start, 1),
            "cpu_seconds": round(time.process_time() - start_cpu, 1),
            "peak_mb": round(peak_mb()),
            "people": people,
            "appearances": appearances,
        }
        print(json.dumps(told))
        return
    with tempfile.TemporaryDirectory() as scratch:
        db = Path(scratch) / "made.duckdb"
        fill(db, made_gallery(args.tracks), args.crops, args.detections)
        command = [sys.executable, __file__, "--only", str(db)]
        told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        told |= {"tracks": args.tracks, "database_mb": round(db.stat().st_size / 1e6)}
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
