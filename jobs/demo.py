"""`make demo`: builds a clip whose truth is known, runs the main job on it, and compares."""

import sys
from pathlib import Path

from headtrack.cli.output import Format, Rows, print_rows
from headtrack.cli.progress import download_progress, run_progress
from headtrack.evaluation.demo import PERSON_COLUMNS, compare, draw_sheet
from headtrack.evaluation.demo_clip import build_clip
from headtrack.evaluation.read_found import read_found
from headtrack.models.weights import pull, weights_path
from headtrack.pipeline.archive import run_archive
from headtrack.pipeline.models import model_files
from headtrack.settings_file import load_settings
from headtrack.store.database import open_reader
from headtrack.store.read import people, timeline

FOLDER = Path("demo")
FOOTAGE = "carphone"


def main() -> None:
    """Run the demo and print what it found."""
    settings = load_settings(None, sys.argv[1:])
    with download_progress() as show:
        pull([FOOTAGE, *model_files(settings)], progress=show)
    clip, truth = build_clip(weights_path(FOOTAGE), FOLDER)
    db = FOLDER / "people.duckdb"
    with run_progress() as show:
        report = run_archive([clip], db, settings, force=True, on_progress=show)
    print(f"\n{clip}: {truth.shots[-1].stop / truth.fps:.1f} s, analysed in {report.wall_s:.1f} s\n")
    with open_reader(db) as con:
        seen = [timeline(con, row[0]) for row in people(con).rows]
    print_rows(Rows(seen[0].columns if seen else (), [row for one in seen for row in one.rows]), Format.table)
    found = read_found(db, {"demo": clip.resolve()})["demo"]
    score = compare(truth, found)
    print("\nCompared with the truth:\n")
    print_rows(Rows(PERSON_COLUMNS, score.rows()), Format.table)
    print("\n" + "\n".join(score.lines()))
    draw_sheet(clip, truth, found.heads).save(FOLDER / "demo_boxes.jpg")
    print(f"\nSee {clip} and {FOLDER / 'demo_boxes.jpg'}; ask more: headtrack people --db {db}")


if __name__ == "__main__":
    main()
