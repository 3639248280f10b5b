"""Measures how the cost of clustering grows, and whether many tracks are clustered as few are.

    python benchmarks/clustering_scale.py [--sizes 1000 5000 10000 100000] [--one-person 20000]

Draws galleries with the statistics of real faces (`made_gallery.py`) and clusters each in a process of its
own. Prints JSON: seconds of clustering by the clock and of the CPU, the peak resident memory of the process,
people found, pairwise F1 to the truth among tracks with a face, and for the sizes up to 5,000 how the
clusters of the way for many tracks agree with those of all pairs (pairwise F1), then how the cost grows.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
from made_gallery import MEASURED_COSINES, MadeGallery, made_gallery

from headtrack.identity.evidence import FaceEvidence
from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.methods import average_linkage
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.settings import IdentitySettings

MOST_COMPARED = 5_000
SAMPLE = 2_000  # rows whose cosines are told
SCALE = FACE_SCALES["sface"]


def pairwise_f1(truth: np.ndarray, found: np.ndarray) -> float:
    """Give the F1 of the pairs that share a group, among those that do in the truth."""

    def pairs(group: np.ndarray) -> int:
        count = np.unique(group, return_counts=True)[1].astype(np.int64)
        return int((count * (count - 1)).sum())

    both = pairs(truth.astype(np.int64) * (int(found.max(initial=0)) + 1) + found)
    return 2 * both / max(1, pairs(truth) + pairs(found))


def cosines(made: MadeGallery) -> list[list[float]]:
    """Give mean and spread of cosines of one person and of strangers, as in `MEASURED_COSINES`."""
    rows = np.flatnonzero(made.gallery.has_face)[:SAMPLE]
    face, clear, person = made.gallery.face[rows], made.gallery.face_recognisability[rows], made.person[rows]
    a, b = np.triu_indices(len(rows), 1)
    cosine, poorer, same = (face @ face.T)[a, b], np.minimum(clear[a], clear[b]), person[a] == person[b]
    told = []
    for low, high, *_ in MEASURED_COSINES:
        inside = (poorer >= low) & (poorer < high)
        values = [cosine[inside & same], cosine[inside & ~same]]
        told.append([round(float(f(v)), 2) for v in values for f in (np.mean, np.std) if len(v)])
    return told


def measure(tracks: int, people: int | None) -> dict:
    """Cluster one made gallery."""
    made = made_gallery(tracks, people=people)
    before_mb = peak_mb()
    start, start_cpu = time.monotonic(), time.process_time()
    tree = build_hierarchy(made.gallery, SCALE, IdentitySettings())
    told = {
        "tracks": tracks,
        "people": len(np.unique(made.person)),
        "cannot_link": len(made.gallery.cannot_link),
        "seconds": round(time.monotonic() - start, 1),
        "cpu_seconds": round(time.process_time() - start_cpu, 1),
        "peak_mb": round(peak_mb()),
        "peak_mb_before": round(before_mb),
    }
    face = made.gallery.has_face
    told["identities"] = len(np.unique(tree.identity[face]))
    told["appearances"] = len(np.unique(tree.appearance))
    told["pairwise_f1_to_truth"] = round(pairwise_f1(made.person[face], tree.identity[face]), 4)
    if tracks <= MOST_COMPARED:
        told["agreement"] = agreement(made)
        told["cosines"] = cosines(made)
    return told


def agreement(made: MadeGallery) -> dict:
    """Compare the clusters told by their means with those of all pairs."""
    rows = np.flatnonzero(made.gallery.has_face)
    local = np.full(len(made.gallery), -1)
    local[rows] = np.arange(len(rows))
    pairs = local[made.gallery.cannot_link]
    pairs = pairs[(pairs >= 0).all(axis=1)].astype(np.int32)
    labels, seconds = {}, {}
    for name, most in (("exact", len(rows)), ("by_means", 0)):
        start = time.monotonic()
        evidence = FaceEvidence(
            made.gallery.face[rows],
            made.gallery.face_recognisability[rows],
            SCALE,
            cannot_link=pairs,
            most_exact_rows=most,
        )
        labels[name] = average_linkage(evidence, IdentitySettings().min_probability)
        seconds[f"{name}_s"] = round(time.monotonic() - start, 1)
    person = made.person[rows]
    return {
        "pairwise_f1": round(pairwise_f1(labels["exact"], labels["by_means"]), 4),
        "exact_f1_to_truth": round(pairwise_f1(person, labels["exact"]), 4),
        "by_means_f1_to_truth": round(pairwise_f1(person, labels["by_means"]), 4),
        **seconds,
    }


def peak_mb() -> float:
    """Give the peak resident memory of this process so far, in MB of 10^6 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def in_own_process(tracks: int, people: int | None) -> dict:
    """Run `measure` in a process of its own."""
    command = [sys.executable, __file__, "--only", str(tracks)]
    command += ["--people", str(people)] if people else []
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    told = json.loads(out)
    print(f"{tracks} tracks: {told['seconds']} s, {told['peak_mb']} MB", file=sys.stderr, flush=True)
    return told


def main() -> None:
    """Measure each size, print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 5_000, 10_000, 100_000])
    parser.add_argument("--one-person", type=int, default=20_000, help="tracks of one person alone; 0: none")
    parser.add_argument("--only", type=int, help="measure one size in this process")
    parser.add_argument("--people", type=int, help="with --only")
    args = parser.parse_args()
    if args.only:
        print(json.dumps(measure(args.only, args.people)))
        return
    sizes = [in_own_process(size, None) for size in args.sizes]
    growth = [
        {
            "tracks": [a["tracks"], b["tracks"]],
            "tracks_ratio": round(b["tracks"] / a["tracks"], 2),
            "cpu_seconds_ratio": round(b["cpu_seconds"] / max(a["cpu_seconds"], 0.1), 2),
            "peak_mb_ratio": round(b["peak_mb"] / a["peak_mb"], 2),
        }
        for a, b in pairwise(sizes)
    ]
    told = {"sizes": sizes, "growth": growth}
    if args.one_person:
        told["one_person"] = in_own_process(args.one_person, 1)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
