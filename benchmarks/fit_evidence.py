"""Fits what a cosine of two faces is worth, and which faces are too poor to be compared.

    python benchmarks/fit_evidence.py DATA [--model sface] [--cache FILE]

Faces: the labelled stills (`stills/orl`, `people`, `gallery`), each as it is and shrunk, compressed,
blurred, darkened and smeared, as faces in video are. No clip is looked at. Prints, and never with a
person on both sides of a fit:
- how well pairs are told apart by the length of the network's raw output, the poorer face's;
- the logistic regression on the cosine and the poorer face's recognisability;
- the log-odds from which average linkage groups the stills best by BCubed F1. The scale in
  `headtrack/ops/face_evidence.py` is the regression less this limit.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from labelled_faces import labelled_stills, shown
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from headtrack.metrics.bcubed import bcubed
from headtrack.metrics.partition import contingency
from headtrack.models.centerface import CenterFace
from headtrack.models.weights import weights_path
from headtrack.ops.face_evidence import MAX_LOG_ODDS
from headtrack.ops.linkage import constrained_average_linkage
from headtrack.pipeline.models import Models, load_models
from headtrack.settings import EmbedSettings, Settings
from headtrack.video.still import read_still

MAX_STILL_PX = 700
FOLDS = 5
DRAWS = 8  # archives drawn a fold: one version of each still
LENGTH_EDGES = (0, 5, 6, 7, 8, 9, 10, 11, 99)
LIMITS = np.arange(-1, 3.01, 0.25)
# What the regression sees of a pair; the last is in use.
TERMS = {"cosine alone": 1, "cosine, recognisability, both": 3}
NO_PAIRS = np.zeros((0, 2), np.int32)


def embed_stills(data: Path, models: Models) -> dict[str, np.ndarray]:
    """Embed the largest face of each still in each of its versions."""
    find = CenterFace(weights_path("centerface"), threads=2, image_px=960, min_score=0.3, device="cpu")
    identity = models.identity
    rows: dict[str, list] = {name: [] for name in ("person", "image", "length", "clear", "face")}
    for number, (path, person) in enumerate(labelled_stills(data)):
        rgb = read_still(path)
        shrink = min(1.0, MAX_STILL_PX / max(rgb.shape))
        rgb = cv2.resize(rgb, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        border = max(rgb.shape) // 3  # a face that fills its picture is found less well
        rgb = cv2.copyMakeBorder(rgb, border, border, border, border, cv2.BORDER_REPLICATE)
        whole = find.detect_faces(rgb[None])[0]
        if not len(whole):
            continue
        chips = []
        for image in shown(rgb, float((whole.xyxy[:, 2] - whole.xyxy[:, 0]).max())):
            faces = find.detect_faces(image[None])[0]
            if len(faces):
                widest = int((faces.xyxy[:, 2] - faces.xyxy[:, 0]).argmax())
                chips.append(identity.align(image, faces.landmarks[widest]))
        found = identity.embed(np.stack(chips))
        raw = identity.embed_raw(np.stack(chips))  # pyright: ignore[reportAttributeAccessIssue]
        rows["person"] += [person] * len(chips)
        rows["image"] += [number] * len(chips)
        rows["length"] += np.linalg.norm(raw, axis=1).tolist()
        rows["clear"] += found.recognisability.tolist()
        rows["face"] += list(found.vector)
    return {name: np.array(values) for name, values in rows.items()}


def face_pairs(stills: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Give row pairs (P, 2) of different stills of one data set, and whether each shows one person."""
    group = np.array([name.split("/")[0] for name in stills["person"]])
    a, b = np.triu_indices(len(group), 1)
    keep = (stills["image"][a] != stills["image"][b]) & (group[a] == group[b])
    pairs = np.stack([a[keep], b[keep]], 1)
    return pairs, stills["person"][pairs[:, 0]] == stills["person"][pairs[:, 1]]


def print_lengths(stills: dict[str, np.ndarray]) -> None:
    """Print AUC and strangers' highest cosines by the length of the poorer face's raw output."""
    pairs, same = face_pairs(stills)
    cosine = (stills["face"][pairs[:, 0]] * stills["face"][pairs[:, 1]]).sum(1)
    poorer = stills["length"][pairs].min(1)
    for low, high in pairwise(LENGTH_EDGES):
        rows = (poorer >= low) & (poorer < high)
        if 0 < same[rows].sum() < rows.sum():
            print(
                f"length {low:2} to {high:2}: {rows.sum():7} pairs, "
                f"AUC {roc_auc_score(same[rows], cosine[rows]):.3f}, "
                f"one stranger in 1000 above {np.quantile(cosine[rows & ~same], 0.999):.2f}"
            )


def regressions(stills: dict[str, np.ndarray], fold: np.ndarray, terms: int) -> list[LogisticRegression]:
    """Fit without each fold's people in turn, then with everybody; print the last and what the others do.

    Each data set and answer weighs the same, each pair by how recognisable its poorer face is.
    """
    pairs, same = face_pairs(stills)
    cosine = (stills["face"][pairs[:, 0]] * stills["face"][pairs[:, 1]]).sum(1)
    x = _features(cosine, stills["clear"][pairs].min(1), terms)
    weight = np.ones(len(same))
    group = np.array([name.split("/")[0] for name in stills["person"]])[pairs[:, 0]]
    for name in set(group):
        for answer in (True, False):
            weight[(group == name) & (same == answer)] /= weight[(group == name) & (same == answer)].sum()
    weight *= len(weight) / weight.sum()
    odds = np.full(len(same), np.nan)
    fits = []
    for k in range(FOLDS):
        inside = fold[pairs] == k
        train, test = ~inside.any(1), inside.all(1)
        fits.append(LogisticRegression(C=1e6).fit(x[train], same[train], sample_weight=weight[train]))
        odds[test] = fits[k].decision_function(x[test])
    fits.append(LogisticRegression(C=1e6).fit(x, same, sample_weight=weight))
    seen = np.isfinite(odds)
    told = [np.average(odds[rows] > 0, weights=weight[rows]) for rows in (seen & same, seen & ~same)]
    print(
        f"regression: intercept {fits[-1].intercept_[0]:.2f}; terms "
        f"{', '.join(f'{value:.2f}' for value in fits[-1].coef_[0])}; held out: "
        f"AUC {roc_auc_score(same[seen], odds[seen]):.3f}, "
        f"same called same {told[0]:.3f}, different called same {told[1]:.3f}"
    )
    return fits


def _features(cosine: np.ndarray, poorer: np.ndarray, terms: int) -> np.ndarray:
    return np.stack([cosine, poorer, cosine * poorer], -1)[:, :terms]


def print_clustering(stills: dict[str, np.ndarray], fold: np.ndarray, fits: list[LogisticRegression]) -> None:
    """Print the log-odds from which average linkage does best on the other folds, and what it does there."""
    rng = np.random.default_rng(1)
    scores = np.zeros((FOLDS, len(LIMITS), 3))
    for k in range(FOLDS):
        for _ in range(DRAWS):
            rows = _one_version_each(stills["image"], np.flatnonzero(fold == k), rng)
            scores[k] += _scores(stills, rows, fits[k]) / DRAWS
    chosen = [int(np.delete(scores, k, 0)[:, :, 2].mean(0).argmax()) for k in range(FOLDS)]
    held_out = np.mean([scores[k, chosen[k]] for k in range(FOLDS)], axis=0)
    print(f"average linkage, best limit of each fold's others: {LIMITS[chosen].tolist()}")
    print("  held out: BCubed precision {:.3f}, recall {:.3f}, F1 {:.3f}".format(*held_out))
    curve = ", ".join(f"{c:.2f} {f:.3f}" for c, f in zip(LIMITS, scores[:, :, 2].mean(0), strict=True))
    print(f"  F1 by limit: {curve}")
    everybody = np.zeros(len(LIMITS))
    for _ in range(DRAWS):
        rows = _one_version_each(stills["image"], np.arange(len(fold)), rng)
        everybody += _scores(stills, rows, fits[-1])[:, 2] / DRAWS
    print(f"  everybody in one archive: best at {LIMITS[everybody.argmax()]:.2f}, F1 {everybody.max():.3f}")


def _one_version_each(image: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(rows[image[rows] == still]) for still in np.unique(image[rows])])


def _scores(stills: dict[str, np.ndarray], rows: np.ndarray, fit: LogisticRegression) -> np.ndarray:
    face, person, clear = stills["face"][rows], stills["person"][rows], stills["clear"][rows]
    x = _features((face @ face.T).ravel(), np.minimum.outer(clear, clear).ravel(), fit.n_features_in_)
    odds = fit.decision_function(x).clip(-MAX_LOG_ODDS, MAX_LOG_ODDS).reshape(len(rows), -1)
    groups = [
        constrained_average_linkage(odds, min_similarity=limit, cannot_link=NO_PAIRS) for limit in LIMITS
    ]
    found = [bcubed(contingency(person, labels)) for labels in groups]
    return np.array([(s.precision, s.recall, s.f1) for s in found])


def main() -> None:
    """Embed, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="sface", help="as in embed.identity_model")
    parser.add_argument("--cache", type=Path, help="keep the embeddings here (.npz)")
    args = parser.parse_args()
    if args.cache and args.cache.exists():
        stills = dict(np.load(args.cache))
    else:
        stills = embed_stills(
            args.data, load_models(Settings(embed=EmbedSettings(identity_model=args.model)))
        )
        if args.cache:
            np.savez(args.cache, **stills)
    print_lengths(stills)
    stills = {name: values[stills["clear"] > 0] for name, values in stills.items()}
    names, person = np.unique(stills["person"], return_inverse=True)
    fold = (np.random.default_rng(0).permutation(len(names)) % FOLDS)[person]
    for name, terms in TERMS.items():
        print(name)
        print_clustering(stills, fold, regressions(stills, fold, terms))


if __name__ == "__main__":
    main()
