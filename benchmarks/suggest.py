"""How identity F1 rises with true answers to the questions of `headtrack suggest`, against random ones.

    python -m benchmarks.suggest DATABASE DATA

DATABASE was made by `headtrack run` over the stills of DATA that are labelled with one person each
(`labels/people.csv`, `stills/gallery`, `stills/orl`); it is only read. An answer is what the labels say
of most tracks of both sides, and binds all of them. A still's track is the one with the best face.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.labels import read_labels
from headtrack.evaluation.portraits import read_portraits
from headtrack.identity.doubts import Doubts, Partition, find_doubts
from headtrack.identity.methods import average_linkage
from headtrack.metrics.pairwise import pairwise
from headtrack.metrics.partition import contingency
from headtrack.ops.face_evidence import FACE_SCALES, same_person_log_odds
from headtrack.ops.log_odds import CERTAIN_LOG_ODDS
from headtrack.store.database import open_reader
from headtrack.store.gallery import load_gallery
from headtrack.store.sightings import load_sightings
from headtrack.types import TrackGallery

SCALE = FACE_SCALES["sface"]
STEPS = (0, 5, 10, 20)
RANDOM_ORDERS = 5


class Archive:
    """Labelled faces, and the answers given so far."""

    def __init__(self, gallery: TrackGallery, truth: npt.NDArray[np.int64]) -> None:
        self.gallery, self.truth = gallery, truth
        self.odds = same_person_log_odds(gallery.face, gallery.face_recognisability, SCALE)
        self.must: list[tuple[int, int]] = []
        self.cannot: list[tuple[int, int]] = [tuple(pair) for pair in gallery.cannot_link.tolist()]
        self.person = self.cluster()

    def cluster(self) -> npt.NDArray[np.int32]:
        """Gather the faces as the program does, under the answers given."""
        odds = self.odds.copy()
        for a, b in self.must:
            odds[a, b] = odds[b, a] = CERTAIN_LOG_ODDS
        cannot = np.array(self.cannot, np.int32).reshape(-1, 2)
        return average_linkage(odds, cannot_link=cannot, min_probability=0.5)

    def questions(self) -> Doubts:
        """Give what is worth asking now."""
        partition = Partition(
            self.person,
            np.zeros(len(self.person)),
            np.array(self.must, np.int32).reshape(-1, 2),
            np.array(self.cannot, np.int32).reshape(-1, 2),
        )
        return find_doubts(self.gallery, partition, SCALE)

    def answer(self, asked: Doubts, k: int) -> None:
        """Answer a question by the labels, and gather the faces again."""
        if asked.is_split[k]:
            b = asked.side[k]
            a = np.setdiff1d(np.flatnonzero(self.person == asked.person_a[k]), b)
        else:
            a, b = (np.flatnonzero(self.person == p[k]) for p in (asked.person_a, asked.person_b))
        same = self._most(a) == self._most(b)
        (self.must if same else self.cannot).extend((int(i), int(j)) for i in a for j in b)
        self.person = self.cluster()

    def _most(self, rows: npt.NDArray[np.int64]) -> int:
        return int(np.bincount(self.truth[rows]).argmax())

    def f1(self) -> float:
        """Give pairwise F1 over the labelled faces."""
        return float(pairwise(contingency(self.truth, self.person)).f1)


def labelled(database: Path, data: Path) -> tuple[TrackGallery, npt.NDArray[np.int64]]:
    """Read one face a labelled still, and whose it is."""
    portraits = read_portraits(data, read_labels(data).sightings)
    identity = {str(m): str(i) for m, i in zip(portraits.media, portraits.identity, strict=True)}
    with open_reader(database) as con:
        gallery, seen = load_gallery(con), load_sightings(con)
    row_of: dict[str, int] = {}
    for row in np.flatnonzero(gallery.has_face).tolist():
        media = next((m for m in identity if str(seen.video[row]).endswith("/" + m)), None)
        if media is not None and (
            media not in row_of or gallery.face_weight[row] > gallery.face_weight[row_of[media]]
        ):
            row_of[media] = row
    rows = np.array(sorted(row_of.values()), np.int64)
    media_of = {row: media for media, row in row_of.items()}
    _, truth = np.unique([identity[media_of[row]] for row in rows.tolist()], return_inverse=True)
    return (
        TrackGallery(
            gallery.video_id[rows],
            gallery.track[rows],
            gallery.face[rows],
            gallery.face_weight[rows],
            gallery.face_recognisability[rows],
            gallery.look[rows],
            np.zeros((0, 2), np.int32),
        ),
        truth,
    )


def curve(archive: Archive, rng: np.random.Generator | None) -> dict[int, float]:
    """Give F1 after each number of answers, in the suggested order or, with `rng`, in a random one."""
    scores = {}
    for count in range(max(STEPS) + 1):
        if count in STEPS:
            scores[count] = round(archive.f1(), 4)
        asked = archive.questions()
        if not len(asked):
            break
        archive.answer(asked, 0 if rng is None else int(rng.integers(len(asked))))
    return scores


def main() -> None:
    """Print both curves as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", type=Path)
    parser.add_argument("data", type=Path)
    args = parser.parse_args()
    gallery, truth = labelled(args.database, args.data)
    suggested = curve(Archive(gallery, truth), None)
    orders = [curve(Archive(gallery, truth), np.random.default_rng(seed)) for seed in range(RANDOM_ORDERS)]
    result = {
        "faces": len(truth),
        "people": int(truth.max(initial=-1)) + 1,
        "pairwise_f1_by_answers": {
            "suggested": suggested,
            "random": {n: round(float(np.mean([o[n] for o in orders])), 4) for n in STEPS},
        },
    }
    sys.stdout.write(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
