"""Fits what a cosine of two faces is worth, and which faces are too poor to be compared.

    python benchmarks/fit_evidence.py DATA [--model sface] [--cache FILE]

Faces: the labelled stills (`stills/orl`, `people`, `gallery`), each as it is and shrunk, compressed,
blurred, darkened and smeared, as faces in video are. No clip is looked at. Prints, and never with a
person on both sides of a fit:
- how well pairs are told apart by the length of the network's raw output, the poorer face's;
- the logistic regression on the cosine and the poorer face's recognisability;
- the log-odds from which average linkage groups the stills best by BCubed F1. The scale in
  `headtrack/ops/face_evidence.py` is the regression less this limit;
- how that limit grows with the number of people, and what heeding it gains on people of the other half.
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
LENGTH_EDGES = (0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 99)
LIMITS = np.arange(-1, 3.01, 0.25)
# What the regression sees of a pair; the last is in use.
TERMS = {"cosine alone": 1, "cosine, recognisability, both": 3}
# Sizes of archives; halves of the people are compared up to the last but one.
CROWDS = (2, 3, 5, 8, 12, 18, 26, 54)
CROWD_FACES = 160  # stills' people drawn a size, in all
AS_GOOD = 0.003  # of F1
RECOGNISABILITY_BINS = 6
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


def regressions(
    stills: dict[str, np.ndarray], fold: np.ndarray, terms: int, *, folds: int = FOLDS
) -> list[LogisticRegression]:
    """Fit without each fold's people in turn, then with everybody; print the last and what the others do.

    ORL and the other stills weigh the same, and so does each answer and each sixth of the poorer face's
    recognisability: poor pairs are a hundred times as many as clear ones, and tell the least.
    """
    pairs, same = face_pairs(stills)
    cosine = (stills["face"][pairs[:, 0]] * stills["face"][pairs[:, 1]]).sum(1)
    poorer = stills["clear"][pairs].min(1)
    x = _features(cosine, poorer, terms)
    is_orl = np.char.startswith(stills["person"], "orl")[pairs[:, 0]]
    sixth = np.minimum((poorer * RECOGNISABILITY_BINS).astype(int), RECOGNISABILITY_BINS - 1)
    kind = (is_orl * 2 + same) * RECOGNISABILITY_BINS + sixth
    weight = 1 / np.bincount(kind)[kind]
    weight *= len(weight) / weight.sum()
    odds = np.full(len(same), np.nan)
    fits = []
    for k in range(folds):
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


def print_crowds(stills: dict[str, np.ndarray], person: np.ndarray, fit: LogisticRegression) -> None:
    """Print the best limit by number of people, its line, and what a line learnt on half of them gains."""
    rng, count = np.random.default_rng(2), int(person.max()) + 1
    best = _best_limits(stills, person, np.arange(count), fit, CROWDS, rng)
    slope, start = np.polyfit(np.log(CROWDS), best, 1)
    print(f"  best limit of {CROWDS} people: {np.round(best, 2).tolist()}")
    print(f"  limit = {start:.2f} + {slope:.2f} ln(people)")
    gained = np.zeros((len(CROWDS) - 1, 2))
    for half in (order := rng.permutation(count))[: count // 2], order[count // 2 :]:
        fits = regressions(stills, np.where(np.isin(person, half), 0, 1), fit.n_features_in_, folds=2)
        slope, start = np.polyfit(
            np.log(CROWDS[:-1]), _best_limits(stills, person, half, fits[1], CROWDS[:-1], rng), 1
        )
        others = np.setdiff1d(np.arange(count), half)
        for n, people in enumerate(CROWDS[:-1]):
            curve = _curve(stills, person, others, fits[1], people, rng)
            limits = (1.0, start + slope * np.log(people))
            gained[n] += [np.interp(limit, LIMITS, curve) / 2 for limit in limits]
    print("  people of the other half, BCubed F1 at limit 1 and at that of the line:")
    for people, (fixed, line) in zip(CROWDS, gained, strict=False):
        print(f"    {people:3} people: {fixed:.3f}, {line:.3f}")


def _best_limits(
    stills: dict[str, np.ndarray], person: np.ndarray, among: np.ndarray, fit: LogisticRegression,
    crowds: tuple[int, ...], rng: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """Give the middle of the limits that are as good as the best, for each number of people."""
    curves = [_curve(stills, person, among, fit, people, rng) for people in crowds]
    return np.array([LIMITS[curve > curve.max() - AS_GOOD].mean() for curve in curves])


def _curve(
    stills: dict[str, np.ndarray], person: np.ndarray, among: np.ndarray, fit: LogisticRegression,
    people: int, rng: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """Give the mean BCubed F1 by limit, over archives of so many people."""
    draws = max(CROWD_FACES // people, DRAWS)
    curve = np.zeros(len(LIMITS))
    for _ in range(draws):
        drawn = rng.choice(among, min(people, len(among)), replace=False)
        rows = _one_version_each(stills["image"], np.flatnonzero(np.isin(person, drawn)), rng)
        curve += _scores(stills, rows, fit)[:, 2] / draws
    return curve


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
        fits = regressions(stills, fold, terms)
        print_clustering(stills, fold, fits)
    print_crowds(stills, person, fits[-1])


if __name__ == "__main__":
    main()
