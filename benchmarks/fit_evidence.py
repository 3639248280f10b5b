"""Fits how far a cosine of two faces speaks for one person.

    python benchmarks/fit_evidence.py DATA [--cache FILE]

Faces: pairs of labelled stills (`stills/orl`, `people`, `gallery`), each also shown at smaller sizes, as
faces in video are. Logistic regression on the cosine and on the
logarithm of the poorer side's quality; folds hold out whole people. Prints the coefficients with the
held-out figures; see `docs/adr/0004-identity-clustering.md` for why they are not in use yet.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import cv2
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from headtrack.pipeline.embed import embed_crops, hold_crop
from headtrack.pipeline.models import Models, load_models
from headtrack.settings import Settings
from headtrack.types import FrameBatch
from headtrack.video.still import read_still

# Each still is shown as it is, shrunk to heads of these widths, and blurred by these shares of the head.
SHRUNK_PX = (24, 48)
BLURRED = (0.04, 0.1)
ORL_A_PERSON = 5  # of its ten faces, so that it does not outvote the colour photographs
MAX_STILL_PX = 900
FOLDS = 5


def labelled_stills(data: Path) -> list[tuple[Path, str]]:
    """List (image, person) of every still that shows one labelled person."""
    stills = [
        (p, f"orl/{folder.name}")
        for folder in sorted(data.glob("stills/orl/*/"))
        for p in sorted(folder.glob("*.pgm"))[:ORL_A_PERSON]
    ]
    with (data / "labels/people.csv").open() as rows:
        stills += [(data / row["image"], f"people/{row['identity']}") for row in csv.DictReader(rows)]
    stills += [(p, f"gallery/{p.stem.split('_')[1]}") for p in sorted(data.glob("stills/gallery/*"))]
    return stills


def embed_stills(data: Path, models: Models, settings: Settings) -> dict[str, np.ndarray]:
    """Embed the largest face of each still at several sizes."""
    rows: dict[str, list] = {"person": [], "image": [], "size": [], "quality": [], "face": [], "look": []}
    for number, (path, person) in enumerate(labelled_stills(data)):
        rgb = read_still(path)
        shrink = min(1.0, MAX_STILL_PX / max(rgb.shape))
        rgb = cv2.resize(rgb, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        border = max(rgb.shape) // 3  # a face that fills its picture is found less well
        rgb = cv2.copyMakeBorder(rgb, border, border, border, border, cv2.BORDER_REPLICATE)
        whole = models.detector.detect(FrameBatch(rgb[None], [0], [0.0]))
        whole = whole[whole.has_face]
        if not len(whole):
            continue
        width = float((whole.xyxy[:, 2] - whole.xyxy[:, 0]).max())
        for size, small in enumerate(_shown(rgb, width)):
            heads = models.detector.detect(FrameBatch(small[None], [0], [0.0]))
            heads = heads[heads.has_face]
            if not len(heads):
                continue
            largest = int((heads.xyxy[:, 2] - heads.xyxy[:, 0]).argmax())
            got = embed_crops(models, [(0, 0, hold_crop(small, heads, largest, settings.embed))])
            if got.has_identity[0]:
                for name, value in (
                    ("person", person),
                    ("image", number),
                    ("size", size),
                    ("quality", got.quality[0]),
                    ("face", got.identity[0]),
                    ("look", got.appearance[0]),
                ):
                    rows[name].append(value)
    return {name: np.array(values) for name, values in rows.items()}


def _shown(rgb: np.ndarray, width: float) -> list[np.ndarray]:
    """Give a picture with a head of `width` px as it is, shrunk, and blurred."""
    small = [
        cv2.resize(rgb, None, fx=px / width, fy=px / width, interpolation=cv2.INTER_AREA)
        for px in SHRUNK_PX
        if px < width
    ]
    return [rgb, *small, *(cv2.GaussianBlur(rgb, (0, 0), share * width) for share in BLURRED)]


def face_pairs(stills: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give features (P, 2), whether the pair shows one person (P,), and the two fold numbers (P, 2)."""
    names, person = np.unique(stills["person"], return_inverse=True)
    fold = np.random.default_rng(0).permutation(len(names)) % FOLDS
    a, b = np.triu_indices(len(person), 1)
    other = stills["image"][a] != stills["image"][b]
    # Faces of one data set look alike for reasons of their own: only pairs inside one are compared.
    group = np.array([name.split("/")[0] for name in stills["person"]])
    keep = other & (group[a] == group[b])
    a, b = a[keep], b[keep]
    cosine = (stills["face"][a] * stills["face"][b]).sum(1)
    poorer = np.log(np.clip(np.minimum(stills["quality"][a], stills["quality"][b]), 0.02, 1))
    return np.stack([cosine, poorer], 1), person[a] == person[b], fold[np.stack([person[a], person[b]], 1)]


def held_out(x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> None:
    """Print held-out figures of a logistic regression; a pair is held out where a side of it is."""
    odds = np.full(len(y), np.nan)
    for k in range(FOLDS):
        test = (fold == k).all(1)
        train = ~(fold == k).any(1)
        odds[test] = (
            LogisticRegression(C=1e4, max_iter=1000).fit(x[train], y[train]).decision_function(x[test])
        )
    seen = np.isfinite(odds)
    p = 1 / (1 + np.exp(-odds[seen]))
    edges = np.clip((p * 10).astype(int), 0, 9)
    ece = sum(
        abs(p[edges == k].mean() - y[seen][edges == k].mean()) * (edges == k).mean() for k in set(edges)
    )
    print(
        f"  held out: AUC {roc_auc_score(y[seen], p):.4f}, log loss {log_loss(y[seen], p):.4f}, ECE {ece:.4f}"
    )
    for name, mask in (("same", y[seen]), ("different", ~y[seen])):
        print(f"  {name}: {mask.sum()} pairs, called same {(p[mask] >= 0.5).mean():.4f}")


def report(name: str, x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> None:
    """Print the coefficients from all pairs and the held-out figures."""
    fit = LogisticRegression(C=1e4, max_iter=1000).fit(x, y)
    terms = ", ".join(f"{value:.2f}" for value in fit.coef_[0])
    print(
        f"{name}: intercept {fit.intercept_[0]:.2f}, per feature {terms}; {len(y)} pairs, {y.mean():.3f} same"
    )
    held_out(x, y, fold)


def main() -> None:
    """Embed, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, help="keep the embeddings here (.npz)")
    args = parser.parse_args()
    if args.cache and args.cache.exists():
        stills = dict(np.load(args.cache))
    else:
        settings = Settings()
        stills = embed_stills(args.data, load_models(settings), settings)
        if args.cache:
            np.savez(args.cache, **stills)
    x, y, fold = face_pairs(stills)
    report("faces (cosine, log quality)", x, y, fold)
    report("faces (cosine alone)", x[:, :1], y, fold)


if __name__ == "__main__":
    main()
