"""Calibrates the probability of a link over an occlusion, without labels, from analysed videos.

    python benchmarks/fit_links.py DB

A tracklet is hidden for a while, as if something stood before it: its part before and its part after are one
person. Every other tracklet that shares a frame with it is another person, and is hidden until the same
moment: the part before could go on in either. From looks, colours, faces and places, as `headtrack/linking`
weighs them, comes what their sum is worth. Folds hold out whole videos; videos of one head say nothing.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fit_looks import HEADS, described
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from headtrack.linking.link import place_log_odds
from headtrack.metrics.calibration import reliability
from headtrack.ops.face_evidence import FACE_SCALES, same_person_log_odds
from headtrack.ops.look_evidence import same_colour_log_odds, same_look_log_odds
from headtrack.ops.vectors import group_unit_means, group_weighted_means
from headtrack.store.database import open_reader
from headtrack.store.read import query

CROPS = """
SELECT p.path, c.tracklet, c.frame, c.quality, c.recognisability, c.identity, c.appearance
FROM crop_embedding AS c
JOIN video_path AS p USING (video_id)
ORDER BY p.path, c.tracklet, c.frame
"""
FRAME_S = "SELECT p.path, duration_s / frame_count FROM video JOIN video_path AS p USING (video_id)"
GAPS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
DRAWS = 4  # moments of vanishing a tracklet and gap
MIN_HEADS = 2  # a part
TERMS = ("look", "colour", "face", "place")


@dataclass(frozen=True, slots=True)
class Part:
    """A tracklet before it is hidden, or after: what linking sees of it."""

    time_s: float
    xyxy: np.ndarray
    look: np.ndarray
    face: np.ndarray
    clear: float
    colour: np.ndarray


@dataclass(frozen=True, slots=True)
class Whole:
    """One tracklet: its heads and its crops in the order of time."""

    time_s: np.ndarray
    xyxy: np.ndarray
    colour: np.ndarray
    crop_s: np.ndarray
    quality: np.ndarray
    clear: np.ndarray
    face: np.ndarray
    look: np.ndarray

    def part(self, heads: np.ndarray, crops: np.ndarray, edge: int) -> Part | None:
        """Sum up chosen heads and crops; `edge` is the head at the gap. None where too few are left."""
        if heads.sum() < MIN_HEADS or not crops.any():
            return None
        rows, group = np.flatnonzero(heads), np.zeros(crops.sum(), np.int32)
        weight = np.maximum(self.quality[crops], 1e-3)
        known = np.isfinite(self.face[crops]).all(axis=1)
        return Part(
            float(self.time_s[rows[edge]]),
            self.xyxy[rows[edge]],
            group_unit_means(self.look[crops], group, weight, 1)[0],
            group_unit_means(self.face[crops], group, weight, 1)[0],
            float(group_weighted_means(self.clear[crops], group, weight * known, 1)[0]),
            self.colour[rows].mean(0),
        )

    def before(self, moment_s: float) -> Part | None:
        """Give what is seen up to a moment."""
        return self.part(self.time_s <= moment_s, self.crop_s <= moment_s, -1)

    def after(self, moment_s: float) -> Part | None:
        """Give what is seen from a moment on."""
        return self.part(self.time_s >= moment_s, self.crop_s >= moment_s, 0)


def terms(a: Part, b: Part) -> list[float]:
    """Give the log-odds of each of `TERMS`; 0 where it says nothing."""
    scale = FACE_SCALES["sface"]
    face = same_person_log_odds(np.stack([a.face, b.face]), np.array([a.clear, b.clear]), scale)[0, 1]
    root = np.sqrt(a.colour), np.sqrt(b.colour)
    gap_s = np.array([b.time_s - a.time_s])
    return [
        float(same_look_log_odds(a.look @ b.look)),
        float(same_colour_log_odds(root[0] @ root[1])),
        0.0 if np.isnan(face) else float(face),
        float(place_log_odds(a.xyxy[None], b.xyxy[None], gap_s)[0]),
    ]


def hidden_pairs(
    wholes: dict[int, Whole], rivals: dict[int, set[int]]
) -> tuple[list[list[float]], list[bool]]:
    """Hide every tracklet of one video at random moments; give the terms of each pair and the truth."""
    rng = np.random.default_rng(0)
    x, same = [], []
    for number, whole in wholes.items():
        for gap_s in GAPS_S:
            latest_s = max(whole.time_s[-1] - gap_s, whole.time_s[0])  # too short a tracklet gives no parts
            for moment_s in rng.uniform(whole.time_s[0], latest_s, DRAWS):
                before = whole.before(moment_s)
                goes_on = whole.after(moment_s + gap_s)
                if before is None or goes_on is None:
                    continue
                x.append(terms(before, goes_on))
                same.append(True)
                for rival in rivals[number]:
                    other = wholes[rival].after(moment_s + gap_s)
                    if other is not None and other.time_s - before.time_s <= max(GAPS_S) + gap_s:
                        x.append(terms(before, other))
                        same.append(False)
    return x, same


def read_wholes(db: Path) -> dict[str, tuple[dict[int, Whole], dict[int, set[int]]]]:
    """Read the tracklets of each video, and which share a frame."""
    with open_reader(db) as con:
        heads, crops = query(con, HEADS).rows, query(con, CROPS).rows
        frame_s = dict(query(con, FRAME_S).rows)
    found = {}
    for path in sorted({row[0] for row in heads}):
        rows = [row[1:] for row in heads if row[0] == path]
        seen = described(path, rows)
        of, cut, rivals, present = defaultdict(list), defaultdict(list), defaultdict(set), defaultdict(set)
        for frame, tracklet, *box in rows:
            of[tracklet].append((frame, box))
            present[frame].add(tracklet)
        for group in present.values():
            for tracklet in group:
                rivals[tracklet] |= group - {tracklet}
        for _, tracklet, *crop in (row for row in crops if row[0] == path):
            cut[tracklet].append(crop)
        width = max((len(c[3]) for held in cut.values() for c in held if c[3] is not None), default=1)
        wholes = {}
        for tracklet, boxes in of.items():
            held = cut[tracklet]
            wholes[tracklet] = Whole(
                np.array([f * frame_s[path] for f, _ in boxes]),
                np.array([b for _, b in boxes], np.float32),
                np.stack([seen[f, tracklet][0] for f, _ in boxes]),
                np.array([c[0] * frame_s[path] for c in held]),
                np.array([c[1] for c in held], np.float32),
                np.array([c[2] or 0 for c in held], np.float32),
                np.array([c[3] if c[3] is not None else [np.nan] * width for c in held], np.float32),
                np.array([c[4] for c in held], np.float32),
            )
        found[path] = {t: w for t, w in wholes.items() if len(w.look)}, rivals
        found[path] = (
            found[path][0],
            {t: {r for r in rivals[t] if r in found[path][0]} for t in found[path][0]},
        )
    return found


def show(name: str, odds: np.ndarray, same: np.ndarray) -> None:
    """Print how well log-odds tell pairs and how far they can be believed."""
    probability = 1 / (1 + np.exp(-odds))
    promise = reliability(probability, same)
    bins = zip(promise.count, promise.mean_score, promise.share_right, strict=True)
    print(
        f"{name}: AUC {roc_auc_score(same, odds):.3f}, log loss "
        f"{log_loss(same, probability):.3f}, expected calibration error "
        f"{promise.expected_error:.3f}\n  promised, right, pairs: "
        + "; ".join(f"{mean:.2f} {right:.2f} {n}" for n, mean, right in bins if n)
    )


def main() -> None:
    """Hide, weigh, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("db", type=Path)
    parts = []
    for path, (wholes, rivals) in read_wholes(parser.parse_args().db).items():
        x, same = hidden_pairs(wholes, rivals)
        if any(same) and not all(same):  # where nobody else is there, every link is right
            print(f"{Path(path).name}: {len(wholes)} tracklets, {sum(same)} same of {len(same)} pairs")
            parts.append((np.array(x), np.array(same)))
    x, same = (np.concatenate([p[k] for p in parts]) for k in range(2))
    video = np.repeat(np.arange(len(parts)), [len(p[1]) for p in parts])
    show("sum of the terms as they are", x.sum(1), same)
    for name, features in (("their sum, scaled", x.sum(1, keepdims=True)), ("each term weighed", x)):
        held_out = np.zeros(len(same))
        for k in range(len(parts)):
            rows = video != k
            fit = LogisticRegression(C=1e4).fit(features[rows], same[rows])
            held_out[~rows] = fit.decision_function(features[~rows])
        fit = LogisticRegression(C=1e4).fit(features, same)
        show(f"{name}, held-out videos", held_out, same)
        print(
            f"  all videos: intercept {fit.intercept_[0]:.2f}, weights {np.round(fit.coef_[0], 2).tolist()}"
        )


if __name__ == "__main__":
    main()
