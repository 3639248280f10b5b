"""Fits how far looks, colours and outlines speak for one head, without labels, from analysed videos.

    python benchmarks/fit_looks.py DB

Two halves of one tracklet show one head; two tracklets that share a frame show two. From their
appearance embeddings and colours come the log-odds of `headtrack/ops/look_evidence.py`; from heads of
consecutive looks, against heads of one frame, the cost of `headtrack/tracking/associate.py`.
Folds hold out whole videos.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from headtrack.ops.vectors import unit
from headtrack.settings import DecodeSettings
from headtrack.store.database import open_reader
from headtrack.store.read import query
from headtrack.video.crops import clothing_region, colour_histogram, cut_head_crop, head_region, head_shape
from headtrack.video.decode import decode
from headtrack.video.probe import probe

HEADS = """
SELECT p.path, h.frame, h.tracklet, h.x1, h.y1, h.x2, h.y2
FROM head AS h
JOIN video_path AS p USING (video_id)
WHERE NOT h.interpolated AND h.tracklet IS NOT NULL
ORDER BY p.path, h.frame, h.tracklet
"""
CROPS = """
SELECT p.path, c.tracklet, c.frame, c.appearance
FROM crop_embedding AS c
JOIN video_path AS p USING (video_id)
ORDER BY p.path, c.tracklet, c.frame
"""
NO_BODY = np.full(4, np.nan, np.float32)


def described(path: str, rows: list[tuple]) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
    """Give the colours and outlines of each (frame, tracklet) of one video."""
    wanted = defaultdict(list)
    for frame, tracklet, *box in rows:
        wanted[frame].append((tracklet, np.array(box, np.float32)))
    found = {}
    for batch in decode(probe(Path(path), DecodeSettings()), DecodeSettings()):
        for rgb, frame in zip(batch.rgb, batch.frame.tolist(), strict=True):
            for tracklet, box in wanted[frame]:
                chest = clothing_region(box, NO_BODY)
                colours = np.concatenate([colour_histogram(rgb, box), colour_histogram(rgb, chest)]) / 2
                found[frame, tracklet] = colours, head_shape(head_region(cut_head_crop(rgb, box), box))
    return found


def fit(name: str, x: np.ndarray, y: np.ndarray, video: np.ndarray) -> None:
    """Print a balanced logistic regression on one feature and what it does on held-out videos."""
    x = x[:, None]

    def model(rows: np.ndarray) -> LogisticRegression:
        return LogisticRegression(C=1e4, class_weight="balanced").fit(x[rows], y[rows])

    whole = model(np.ones(len(y), bool))
    called = np.full(len(y), np.nan)
    for held_out in np.unique(video):
        test = video == held_out
        if len(set(y[~test])) == 2:
            called[test] = model(~test).predict(x[test])
    seen = np.isfinite(called)
    print(
        f"{name}: intercept {whole.intercept_[0]:.1f}, slope {whole.coef_[0, 0]:.1f}; "
        f"{int(y.sum())} same, {int((~y).sum())} different, AUC {roc_auc_score(y, x[:, 0]):.3f}; on "
        f"held-out videos same called same {called[seen & y].mean():.2f}, "
        f"different called same {called[seen & ~y].mean():.2f}"
    )


def main() -> None:
    """Read, describe, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("db", type=Path)
    with open_reader(parser.parse_args().db) as con:
        heads, crops = query(con, HEADS).rows, query(con, CROPS).rows
    pairs: dict[str, list[tuple[float, bool, int]]] = {"look": [], "colour": [], "descriptor": []}
    for number, path in enumerate(sorted({row[0] for row in heads})):
        rows = [row[1:] for row in heads if row[0] == path]
        seen = described(path, rows)
        frames, present = defaultdict(list), defaultdict(list)
        for frame, tracklet, *_ in rows:
            frames[tracklet].append(frame)
            present[frame].append(tracklet)
        together = {pair for group in present.values() for pair in combinations(sorted(group), 2)}
        looks = defaultdict(list)
        for _, tracklet, _, vector in (row for row in crops if row[0] == path):
            looks[tracklet].append(np.array(vector, np.float32))
        colours = {t: [seen[f, t][0] for f in fs] for t, fs in frames.items()}
        for kind, of, likeness in (
            ("look", looks, lambda a, b: float((unit(a[None]) @ unit(b[None]).T)[0, 0])),
            ("colour", colours, lambda a, b: float(np.sqrt(a * b).sum())),
        ):
            for items in of.values():
                half = len(items) // 2
                if half >= 2:
                    a, b = np.mean(items[:half], axis=0), np.mean(items[half:], axis=0)
                    pairs[kind].append((likeness(a, b), True, number))
            for one, other in together:
                if of.get(one) and of.get(other):
                    a, b = np.mean(of[one], axis=0), np.mean(of[other], axis=0)
                    pairs[kind].append((likeness(a, b), False, number))

        def alike(a: tuple, b: tuple) -> float:
            return float(np.sqrt(a[0] * b[0]).sum() + a[1] @ b[1]) / 2

        pairs["descriptor"] += [
            (alike(seen[f, t], seen[g, t]), True, number) for t, fs in frames.items() for f, g in pairwise(fs)
        ]
        pairs["descriptor"] += [
            (alike(seen[f, a], seen[f, b]), False, number)
            for f, group in present.items()
            for a, b in combinations(sorted(group), 2)
        ]
    for kind, rows in pairs.items():
        value, same, video = (np.array(column) for column in zip(*rows, strict=True))
        fit(kind, value, same.astype(bool), video)


if __name__ == "__main__":
    main()
