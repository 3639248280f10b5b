"""Does an archive that grows give the same people as one that is made at once, and do ids stay?

    python -m benchmarks.incremental DB [--seed 0] [--set identity.method=average]

Takes the tracks of DB's videos (DB is only read) into a growing gallery, one video at a time in a shuffled
order, clusters everybody each time as `headtrack run` does at its end, and compares with one clustering of
all. Printed is JSON: the pairwise F1 between the two partitions, and over all steps how many tracks of
earlier videos changed their id, split by what happened.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.ids import TrackKey, name_people
from headtrack.metrics.pairwise import pairwise
from headtrack.metrics.partition import contingency
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.settings import Settings
from headtrack.settings_file import load_settings
from headtrack.store.database import open_reader
from headtrack.store.gallery import load_gallery
from headtrack.types import TrackGallery

Ids = dict[TrackKey, tuple[str, str]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("db", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    args = parser.parse_args()
    settings = load_settings(None, args.overrides)
    with open_reader(args.db) as con:
        gallery = load_gallery(con)
    print(json.dumps(measure(gallery, settings, args.seed), indent=2))


def measure(gallery: TrackGallery, settings: Settings, seed: int) -> dict[str, float | int | str]:
    """Cluster a gallery video by video and at once, and compare.

    Args:
        gallery: one row a track.
        settings: of clustering.
        seed: of the order of videos.

    Returns:
        Figures by name.
    """
    videos = np.random.default_rng(seed).permutation(np.unique(gallery.video_id))
    ids: Ids = {}
    moved = merged = split = 0
    started = time.monotonic()
    for count in range(1, len(videos) + 1):
        now = cluster(rows_of(gallery, np.isin(gallery.video_id, videos[:count])), settings, ids)
        before, after = {ids[key][0] for key in ids}, {now[key][0] for key in now}
        for key, (person, _) in ids.items():
            if now[key][0] != person:
                merged += person not in after
                split += now[key][0] not in before
                moved += person in after and now[key][0] in before
        ids = now
    grown_s = time.monotonic() - started
    at_once = cluster(gallery, settings, {})
    keys = list(at_once)
    score = pairwise(contingency(*(numbers([found[key][0] for key in keys]) for found in (at_once, ids))))
    return {
        "method": settings.identity.method,
        "seed": seed,
        "videos": len(videos),
        "tracks": len(gallery),
        "people": len({person for person, _ in ids.values()}),
        "pairwise_f1": score.f1,
        "tracks_merged": merged,
        "tracks_split": split,
        "tracks_moved": moved,
        "seconds": round(grown_s, 2),
    }


def cluster(gallery: TrackGallery, settings: Settings, previous: Ids) -> Ids:
    """Give person and look of each track, as the main job does."""
    tree = build_hierarchy(gallery, FACE_SCALES[settings.embed.identity_model], settings.identity)
    ids = name_people(tree, gallery, previous)
    keys = zip(gallery.video_id.tolist(), gallery.track.tolist(), strict=True)
    return dict(zip(keys, zip(ids.person.tolist(), ids.appearance.tolist(), strict=True), strict=True))


def rows_of(gallery: TrackGallery, mask: npt.NDArray[np.bool_]) -> TrackGallery:
    """Take some rows of a gallery, with the pairs among them."""
    place = np.full(len(gallery), -1)
    place[mask] = np.arange(mask.sum())
    pairs = place[gallery.cannot_link]
    kept = {
        name: getattr(gallery, name)[mask]
        for name in ("video_id", "track", "face", "face_weight", "face_recognisability", "look")
    }
    return replace(gallery, **kept, cannot_link=pairs[(pairs >= 0).all(axis=1)])


def numbers(texts: list[str]) -> npt.NDArray[np.int64]:
    """Number equal texts alike."""
    return np.unique(texts, return_inverse=True)[1]


if __name__ == "__main__":
    main()
