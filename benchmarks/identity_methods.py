"""Which clustering gathers labelled tracks best: one table of every method on the same faces.

    python -m benchmarks.identity_methods DATA DB [DB ...]

DATA is a folder of labelled footage, DB what `headtrack run` or `headtrack eval --db` wrote of it. Several
databases are taken as one archive; a file that an earlier one holds is passed over. The methods of
`identity.method` run as the main job runs them, at even odds. DBSCAN sees face embeddings alone: no
recognisability, no pairs of one frame. Its `eps` is fitted to these labels, as the median over five folds of
people of what groups the other people best; so that this is no advantage, each other method has a second row
whose `min_probability` was fitted the same way.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.cluster import DBSCAN
from sklearn.model_selection import GroupKFold

from headtrack.evaluation.evaluate import evaluation_tracks, media_paths, score
from headtrack.evaluation.evidence import NO_ROW, read_evidence
from headtrack.evaluation.predictions import Found
from headtrack.evaluation.read_found import read_found
from headtrack.evaluation.score_identity import IdentityScore
from headtrack.evaluation.truth import Truth, read_truth
from headtrack.identity.hierarchy import build_hierarchy
from headtrack.identity.methods import METHODS
from headtrack.metrics.pairwise import pairwise
from headtrack.metrics.partition import contingency
from headtrack.ops.face_evidence import FACE_SCALES
from headtrack.settings import IDENTITY_MODELS, IdentitySettings
from headtrack.types import TrackGallery

FOLDS = 5
EPS = np.arange(0.02, 1.0, 0.02)  # cosine distances
PROBABILITIES = 1 / (1 + np.exp(-np.arange(-4, 4.01, 0.5)))
DBSCAN_NAME = "DBSCAN, faces alone"
HEADER = "| method | within clips | over clips | portraits | persons (of people) |\n|---|---|---|---|---|"


def main() -> None:
    """Print the table, ready for the record of the decision."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("db", type=Path, nargs="+")
    parser.add_argument("--identity-model", default=IDENTITY_MODELS[0], choices=IDENTITY_MODELS)
    args = parser.parse_args()
    truth = read_truth(args.data)
    scale = FACE_SCALES[args.identity_model]
    archive = _Archive.read(truth, args.data, args.db)
    gallery = archive.gallery
    names = archive.names(truth)

    def tree(method: str, probability: float) -> npt.NDArray[np.integer]:
        settings = IdentitySettings(method=method, min_probability=probability)
        return build_hierarchy(gallery, scale, settings).identity

    print(f"{len(gallery)} tracks of {len(archive.found)} files, {int(gallery.has_face.sum())} with a face")
    methods = {name: partial(tree, name, IdentitySettings().min_probability) for name in METHODS}
    for name, run, values in (
        *((name, partial(tree, name), PROBABILITIES) for name in METHODS),
        (DBSCAN_NAME, partial(dbscan, gallery), EPS),
    ):
        best = best_by_fold(gallery, names, run, values)
        print(f"{name}: {', '.join(f'{one:.2f}' for one in best)} by fold, {np.median(best):.2f} taken")
        fitted = name if name == DBSCAN_NAME else f"{name}, limit fitted"
        methods[fitted] = partial(run, float(np.median(best)))
    print(f"\nBCubed F1 / pairwise F1:\n\n{HEADER}")
    for name, cluster in methods.items():
        scores = score(truth, archive.named(cluster()), oracle=[])
        within = sum(scores.identity.values(), IdentityScore())
        parts = (within, scores.over_clips, scores.portraits.identity)
        cells = [f"{part.bcubed.f1:.3f} / {part.pairs.f1:.3f}" for part in parts]
        counts = ", ".join(f"{part.persons} ({part.people})" for part in parts)
        print(f"| {name} | {' | '.join(cells)} | {counts} |")


class _Archive:
    """Several databases as one."""

    def __init__(
        self, gallery: TrackGallery, found: dict[str, Found], row: dict[tuple[str, int], int]
    ) -> None:
        self.gallery = gallery
        self.found = found
        self.row = row

    @staticmethod
    def read(truth: Truth, data: Path, dbs: list[Path]) -> _Archive:
        found: dict[str, Found] = {}
        row: dict[tuple[str, int], int] = {}
        galleries: list[TrackGallery] = []
        for db in dbs:
            paths = media_paths(data, (media for media in truth.media if media not in found))
            evidence = read_evidence(db, paths, FACE_SCALES[IDENTITY_MODELS[0]])
            used = np.unique(list(evidence.row.values())).astype(np.int64)
            new = np.full(len(evidence.gallery), NO_ROW)
            new[used] = sum(map(len, galleries)) + np.arange(len(used))
            pairs = new[evidence.gallery.cannot_link]
            kept = pairs[(pairs != NO_ROW).all(axis=1)]
            galleries.append(replace(evidence.only(used), cannot_link=kept))
            row |= {key: int(new[old]) for key, old in evidence.row.items()}
            found |= read_found(db, paths)
        columns = [field.name for field in fields(TrackGallery) if field.name != "spans"]
        joined = {name: np.concatenate([getattr(g, name) for g in galleries]) for name in columns}
        return _Archive(TrackGallery(**joined), found, row)

    def named(self, label: npt.NDArray[np.integer]) -> dict[str, Found]:
        """Give what was found with the people of another clustering."""
        named = {}
        for media, found in self.found.items():
            rows = [self.row[media, track] for track in found.heads.track.tolist()]
            person = np.array([str(label[row]) for row in rows], np.str_)
            named[media] = Found(replace(found.heads, person=person), found.cut)
        return named

    def names(self, truth: Truth) -> npt.NDArray[np.str_]:
        """Give the labelled person of each row; empty where no label knows it."""
        tracks = evaluation_tracks(truth, self.found)
        names = np.zeros(len(self.gallery), tracks.name.dtype)
        for media, track, name in zip(tracks.media, tracks.track, tracks.name, strict=True):
            row = self.row.get((str(media), int(track)), NO_ROW)
            if row != NO_ROW:
                names[row] = name
        return names


def dbscan(gallery: TrackGallery, eps: float) -> npt.NDArray[np.int64]:
    """Cluster by face embeddings alone; noise and tracks without a face are alone."""
    rows = np.flatnonzero(gallery.has_face)
    label = len(rows) + np.arange(len(gallery))
    found = DBSCAN(eps=eps, min_samples=2, metric="cosine").fit_predict(gallery.face[rows])
    label[rows] = np.where(found < 0, label[rows], found)
    return label


def best_by_fold(
    gallery: TrackGallery,
    names: npt.NDArray[np.str_],
    cluster: Callable[[float], npt.NDArray[np.integer]],
    values: npt.NDArray[np.float64],
) -> list[float]:
    """Give, for each fold of people, the value that groups the people outside it best by pairs."""
    rows = np.flatnonzero(gallery.has_face & (names != ""))
    person = np.unique(names[rows], return_inverse=True)[1]
    label = {value: cluster(value)[rows] for value in values.tolist()}
    best = []
    for train, _ in GroupKFold(FOLDS).split(rows, groups=person):
        f1 = {value: pairwise(contingency(person[train], one[train])).f1 for value, one in label.items()}
        best.append(max(f1, key=lambda value: f1[value]))
    return best


if __name__ == "__main__":
    main()
