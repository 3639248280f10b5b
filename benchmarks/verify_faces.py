"""Compares the face networks on pairs of labelled faces; nothing is fitted.

    python benchmarks/verify_faces.py DATA

Faces: ten of each person of `stills/orl`, the stills of `labels/people.csv` and `stills/gallery`, and the
heads of `labels/heads.csv` that show a face, aligned by CenterFace's landmarks. Prints for each network
and kind of pair the AUC of the cosine and the share of true pairs above one false pair in a thousand.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from labelled_faces import labelled_stills
from sklearn.metrics import roc_auc_score

from headtrack.models.centerface import CenterFace
from headtrack.models.weights import weights_path
from headtrack.pipeline.models import IDENTITY_EMBEDDERS, IDENTITY_FILES
from headtrack.video.still import read_still

NO_FACE = ("rear", "top")
FALSE_SHARE = 1e-3
EVERY_ORL_FACE = 10


@dataclass(frozen=True)
class Face:
    """One labelled face: an image around it, its landmarks there, and whose it is."""

    image: np.ndarray
    landmarks: np.ndarray
    person: str
    source: str


def still_faces(data: Path, find: CenterFace) -> list[Face]:
    """Find the widest face of each still."""
    faces = []
    for path, person in labelled_stills(data, orl_a_person=EVERY_ORL_FACE):
        rgb = read_still(path)
        found = find.detect_faces(rgb[None])[0]
        if len(found):
            widest = int((found.xyxy[:, 2] - found.xyxy[:, 0]).argmax())
            faces.append(Face(rgb, found.landmarks[widest], person, person.split("/")[0]))
    return faces


def clip_faces(data: Path, find: CenterFace) -> list[Face]:
    """Find the face inside each labelled head of the clips."""
    with (data / "labels/cross_media.csv").open() as rows:
        also = {(row["media"], row["person_in_media"]): row["identity"] for row in csv.DictReader(rows)}
    with (data / "labels/heads.csv").open() as rows:
        labels = [row for row in csv.DictReader(rows) if row["ignore"] != "1" and row["view"] not in NO_FACE]
    labels = [row for row in labels if row["person"] != "NONE"]
    faces = []
    for clip in sorted({row["clip"] for row in labels}):
        mine = {int(row["frame"]) for row in labels if row["clip"] == clip}
        with av.open(str(data / "clips" / clip)) as container:
            pictures = {
                number: frame.to_ndarray(format="rgb24")
                for number, frame in enumerate(container.decode(video=0))
                if number in mine
            }
        for row in (row for row in labels if row["clip"] == clip):
            rgb = pictures[int(row["frame"])]
            found = find.detect_faces(rgb[None])[0]
            middle = (found.xyxy[:, :2] + found.xyxy[:, 2:]) / 2
            low, high = ([float(row[name]) for name in names] for names in (("x1", "y1"), ("x2", "y2")))
            inside = np.flatnonzero(((middle > low) & (middle < high)).all(1))
            if len(inside):
                known = also.get((f"clips/{clip}", row["person"]))
                person = f"gallery/{known}" if known else f"{clip}/{row['person']}"
                faces.append(Face(rgb, found.landmarks[inside[0]], person, f"clip {clip}"))
    return faces


def report(name: str, cosine: np.ndarray, same: np.ndarray) -> str:
    """Say how well a kind of pair is told apart."""
    limit = np.quantile(cosine[~same], 1 - FALSE_SHARE)
    return (
        f"  {name:24} {same.sum():5} true, {(~same).sum():6} false pairs: "
        f"AUC {roc_auc_score(same, cosine):.3f}, true above the limit {(cosine[same] > limit).mean():.3f}"
    )


def main() -> None:
    """Find, embed, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    find = CenterFace(weights_path("centerface"), threads=2, image_px=960, min_score=0.3, device="cpu")
    faces = still_faces(args.data, find) + clip_faces(args.data, find)
    person, source = np.array([f.person for f in faces]), np.array([f.source for f in faces])
    a, b = np.triu_indices(len(faces), 1)
    same = person[a] == person[b]
    still = np.array([not name.startswith("clip") for name in source])
    kinds = {
        "ORL": (source[a] == "orl") & (source[b] == "orl"),
        "portraits and gallery": still[a] & still[b] & (source[a] != "orl") & (source[b] != "orl"),
        "all without ORL": (source[a] != "orl") & (source[b] != "orl"),
        "clip against still": still[a] != still[b],
    }
    for name, make in IDENTITY_EMBEDDERS.items():
        network = make(*(weights_path(file) for file in IDENTITY_FILES[name]), device="cpu")
        chips = np.stack([network.align(f.image, f.landmarks) for f in faces])
        vector = network.embed(chips).vector
        cosine = (vector[a] * vector[b]).sum(1)
        print(f"{name}, {len(faces)} faces")
        for kind, rows in kinds.items():
            print(report(kind, cosine[rows], same[rows]))


if __name__ == "__main__":
    main()
