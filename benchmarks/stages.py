"""Measures what an hour of footage costs each stage: the constants of the model in `docs/cluster.md`.

    python benchmarks/stages.py VIDEO [VIDEO ...]

Analyses the videos in this process with one thread and stores them. Prints, for an hour of footage: CPU
seconds of decoding (a process of its own), of each network, of the rest of the analysis, and of committing;
megabytes of a part and of the database; looks, and rows of heads, tracklets, tracks and embedded crops.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import psutil
from forwards import noted
from outcome import print_outcome

from headtrack.pipeline.analyze import analyze_video
from headtrack.pipeline.commit import commit_part
from headtrack.pipeline.models import load_models
from headtrack.settings import load_settings
from headtrack.store.database import open_reader
from headtrack.store.spool import write_parts
from headtrack.types import VideoFailure
from headtrack.video.decode import probe_watched


def cpu_s(process: psutil.Process) -> float:
    """Give the CPU seconds of a process so far."""
    times = process.cpu_times()
    return times.user + times.system


def megabytes(path: Path) -> float:
    """Give the size of a file, or of a folder's files."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def main() -> None:
    """Analyse, store, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("videos", type=Path, nargs="+")
    args = parser.parse_args()
    settings = load_settings(None, ["run.threads=1"])
    models = load_models(settings)
    videos = [probe_watched(path, settings.decode) for path in args.videos]
    here = psutil.Process()
    (decoder,) = here.children()  # kept from the probe
    decoded, analysed, networks, looks = cpu_s(decoder), cpu_s(here), dict[str, float](), 0
    part_mb, committed_s = 0.0, 0.0
    with tempfile.TemporaryDirectory() as scratch:
        db = Path(scratch) / "people.duckdb"
        parts: list[Path] = []
        with noted() as found:
            for video in videos:
                result = analyze_video(video, models, settings)
                if isinstance(result, VideoFailure):
                    raise SystemExit(result.message)
                looks += round(video.duration_s * settings.detect.fps)
                parts.append(write_parts(Path(scratch) / "run", result))
        networks = {name: seconds for name, seconds in found.taken.items()}
        decoded, analysed = cpu_s(decoder) - decoded, cpu_s(here) - analysed
        for part in parts:
            part_mb += megabytes(part)
            started = time.process_time()
            commit_part(db, part)
            committed_s += time.process_time() - started
        with open_reader(db) as con:
            rows = {
                table: con.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
                for table in ("head", "tracklet", "crop_embedding")
            }
            tracks = con.execute("SELECT count(*) FROM (SELECT DISTINCT video_id, track FROM tracklet)")
            rows["track"] = tracks.fetchall()[0][0]
        db_mb = megabytes(db)
    hours = sum(video.duration_s for video in videos) / 3600
    seconds = {
        "decoding": decoded,
        **networks,
        "rest_of_the_analysis": analysed - sum(networks.values()),
        "committing": committed_s,
    }
    print_outcome(
        {
            "cpu_s_an_hour": {name: round(value / hours, 1) for name, value in seconds.items()},
            "cpu_s_an_hour_in_all": round(sum(seconds.values()) / hours),
            "looks_an_hour": round(looks / hours),
            "rows_an_hour": {table: round(count / hours) for table, count in rows.items()},
            "part_mb_an_hour": round(part_mb / hours, 1),
            "database_mb_an_hour": round(db_mb / hours, 1),
            "footage_s": round(hours * 3600, 1),
        }
    )


if __name__ == "__main__":
    main()
