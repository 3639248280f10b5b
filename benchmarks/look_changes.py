"""How often a track is cut where its look stays, and where it does not.

    python benchmarks/look_changes.py DB [--json FILE]

DB: a database of videos in which nobody changes the look inside a track (the labelled clips). Each track is
cut as clustering does it; every cut is a false one. Then the first half of each track is followed by the
second half of each other track of its video: a made change, of another head under other hair, found where
a cut lies within two crops of the seam. It says how large a change must be, not how often people put on hats.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from itertools import permutations
from pathlib import Path

import numpy as np

from headtrack.identity.look_changes import look_changes
from headtrack.ops.log_odds import log_odds
from headtrack.settings import IdentitySettings
from headtrack.store.database import open_reader
from headtrack.store.read import query
from headtrack.types.views import VIEW_NAMES

CROPS = """
SELECT video_id, track, frame * duration_s / frame_count, view, quality, appearance
FROM crop_embedding
JOIN tracklet USING (video_id, tracklet)
JOIN video USING (video_id)
ORDER BY video_id, track, frame
"""
MIN_CROPS = 6  # two parts of three
NEAR = 2  # crops
LIMITS = (0.5, 0.75, 0.9, 0.95)
Track = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # time, view, look, weight


def cuts(track: Track, min_probability: float) -> list[int]:
    """Cut one track."""
    time_s, view, look, weight = track
    return look_changes(time_s, view, look, weight, max_log_odds=log_odds(1 - min_probability))


def spliced(one: Track, other: Track) -> tuple[Track, int]:
    """Follow the first half of one track by the second half of another; give the seam too."""
    first, second = len(one[0]) // 2, len(other[0]) // 2
    late = (other[0][second:] - other[0][second] + one[0][first - 1] + 0.2, *(a[second:] for a in other[1:]))
    joined = tuple(np.concatenate([a[:first], b]) for a, b in zip(one, late, strict=True))
    return joined, first  # pyright: ignore[reportReturnType]


def main() -> None:
    """Cut, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("db", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args()
    of = defaultdict(list)
    with open_reader(args.db) as con:
        for video, track, *crop in query(con, CROPS).rows:
            of[video, track].append(crop)
    tracks: dict[tuple[str, int], Track] = {
        key: (
            np.array([c[0] for c in crops]),
            np.array([VIEW_NAMES.index(c[1]) for c in crops]),
            np.array([c[3] for c in crops], np.float32),
            np.maximum([c[2] for c in crops], 1e-3),
        )
        for key, crops in of.items()
        if len(crops) >= MIN_CROPS
    }
    pairs = [spliced(tracks[a], tracks[b]) for a, b in permutations(tracks, 2) if a[0] == b[0]]
    rows = []
    for limit in LIMITS:
        found = [any(abs(c - seam) <= NEAR for c in cuts(track, limit)) for track, seam in pairs]
        false = [len(cuts(track, limit)) for track in tracks.values()]
        rows.append(
            {
                "min_change_probability": limit,
                "default": limit == IdentitySettings().min_change_probability,
                "tracks": len(tracks),
                "cut_falsely": int(np.count_nonzero(false)),
                "made_changes": len(pairs),
                "found": int(np.sum(found)),
            }
        )
    for row in rows:
        print(
            f"{row['min_change_probability']:.2f}{' (default)' if row['default'] else ''}: "
            f"{row['cut_falsely']} of {row['tracks']} tracks cut falsely, "
            f"{row['found']} of {row['made_changes']} made changes found"
        )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
