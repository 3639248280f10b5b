"""Measures headtrack against what is quickly written instead: `model.track()`, dlib and DBSCAN.

    python benchmarks/rival.py DATA [--clips stage.mp4 ...] [--threads 2] [--repeats 1]

The other way: ultralytics' YOLO11n-pose follows people through every frame by its default tracker (which asks
for `pip install lapx`); of each detection dlib's landmarks and face network embed the face; DBSCAN at dlib's
own distance of 0.6 clusters all embeddings, and each track is of the person that most of its embeddings are
of. Its head boxes are made from the key points by the fit that headtrack uses. Both run as processes of their
own with as many threads; printed are the times, their ratio, and BCubed F1 of the labelled heads within each
clip (a missed head is a person of its own), as JSON.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
from outcome import print_outcome

from headtrack.evaluation.evaluate import match_clips, media_paths
from headtrack.evaluation.labels import Labels, clip_media, read_labels
from headtrack.evaluation.predictions import Found, FoundHeads
from headtrack.evaluation.protocol import PAIRS_NOT_SCORED
from headtrack.evaluation.read_found import read_found
from headtrack.evaluation.score_identity import NamedHeads, score_identity
from headtrack.metrics.bcubed import BCubed

SAME_DISTANCE, MIN_SAMPLES = 0.6, 5  # Source: dlib's face recognition example; scikit-learn's default
# The face in a head's box, as dlib's landmarks want it: brows to chin.
FACE_SIDE, FACE_DOWN = 0.75, 0.1


def rival(clip: Path, threads: int, out: Path) -> None:
    """Do it the other way, in this process, and keep the heads."""
    import dlib
    import torch
    from sklearn.cluster import DBSCAN

    from headtrack.models.ultralytics_loader import import_ultralytics
    from headtrack.models.weights import weights_path
    from headtrack.ops.head_boxes import pose_heads
    from headtrack.ops.head_fits import HEAD_FITS
    from headtrack.ops.head_geometry import pose_geometry

    torch.set_num_threads(threads)
    landmarks = dlib.shape_predictor(str(weights_path("dlib-landmarks-5")))
    embedder = dlib.face_recognition_model_v1(str(weights_path("dlib-face-resnet")))
    model = import_ultralytics().YOLO(str(weights_path("yolo11n-pose")))
    frames, boxes, tracks, faces = list[int](), list[np.ndarray](), list[int](), list[np.ndarray]()
    for number, seen in enumerate(model.track(str(clip), stream=True, device="cpu", verbose=False)):
        if seen.boxes.id is None:
            continue
        rgb = np.ascontiguousarray(seen.orig_img[:, :, ::-1])
        points, people = seen.keypoints.data.numpy(), seen.boxes.xyxy.numpy()
        heads = pose_heads(pose_geometry(points, people, frame_height=rgb.shape[0]), HEAD_FITS.facing)
        for head, track in zip(heads, seen.boxes.id.numpy(), strict=True):
            chip = dlib.get_face_chip(rgb, landmarks(rgb, dlib.rectangle(*_face_in(head))))
            faces.append(np.array(embedder.compute_face_descriptor(chip)))
            frames.append(number)
            boxes.append(head)
            tracks.append(int(track))
    person = DBSCAN(eps=SAME_DISTANCE, min_samples=MIN_SAMPLES, n_jobs=threads).fit_predict(np.stack(faces))
    votes: dict[int, Counter[int]] = {}
    for track, cluster in zip(tracks, person.tolist(), strict=True):
        votes.setdefault(track, Counter()).update([cluster] if cluster >= 0 else [])
    named = [str(votes[t].most_common(1)[0][0]) if votes[t] else f"track {t}" for t in tracks]
    np.savez(out, frame=frames, xyxy=boxes, track=tracks, person=named)


def _face_in(head: npt.NDArray[np.floating]) -> tuple[int, int, int, int]:
    width, height = head[2] - head[0], head[3] - head[1]
    x, y = (head[0] + head[2]) / 2, (head[1] + head[3]) / 2 + FACE_DOWN * height
    half = FACE_SIDE * max(width, height) / 2
    return int(x - half), int(y - half), int(x + half), int(y + half)


def read_rival(file: Path) -> Found:
    """Read what `rival` kept."""
    with np.load(file) as kept:
        count, person = len(kept["frame"]), kept["person"]
        none = np.full(count, "", np.str_)
        heads = FoundHeads(
            kept["frame"], kept["xyxy"], np.ones(count), none, kept["track"], person, none, kept["track"]
        )
    return Found(heads, np.zeros(0, np.int64))


def f1_in_clips(labels: Labels, found: dict[str, Found]) -> dict[str, float]:
    """Score who was found at each labelled head; over all, and clip by clip."""
    scores = {
        clip: score_identity(
            NamedHeads(match.labels.person, match.person_of_label, match.is_hit),
            PAIRS_NOT_SCORED.get(clip, ()),
        ).bcubed
        for clip, match in match_clips(labels, found).items()
    }
    rows = {"all": sum(scores.values(), BCubed()), **scores}
    return {clip: round(score.f1, 3) for clip, score in rows.items()}


def seconds(command: list[str]) -> float:
    """Run a command; give the seconds it took."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Run both, score, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--clips", nargs="*", help="names of clips with labelled heads; all where not given")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--rival-of", nargs=2, type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rival_of:
        rival(args.rival_of[0], args.threads, args.rival_of[1])
        return
    labels = read_labels(args.data)
    clips = args.clips or sorted(labels.heads)
    labels = Labels({clip: labels.heads[clip] for clip in clips}, {}, ())
    paths = media_paths(args.data, [clip_media(clip) for clip in clips])
    ours, theirs = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as scratch:
        for repeat in range(args.repeats):
            db = Path(scratch) / f"{repeat}.duckdb"
            run = [sys.executable, "-m", "headtrack", "run", *map(str, paths.values()), "--db", str(db)]
            ours.append(seconds([*run, "--set", f"run.threads={args.threads}"]))
            kept = {media: Path(scratch) / f"{repeat}-{Path(media).name}.npz" for media in paths}
            other = [sys.executable, __file__, str(args.data), "--threads", str(args.threads), "--rival-of"]
            theirs.append(sum(seconds([*other, str(paths[media]), str(kept[media])]) for media in paths))
        found_ours = f1_in_clips(labels, read_found(db, paths))
        found_theirs = f1_in_clips(labels, {media: read_rival(file) for media, file in kept.items()})
    print_outcome(
        {
            "times_faster": round(statistics.median(theirs) / statistics.median(ours), 2),
            "headtrack_s": round(statistics.median(ours), 1),
            "rival_s": round(statistics.median(theirs), 1),
            "headtrack_f1": found_ours,
            "rival_f1": found_theirs,
            "threads": args.threads,
        }
    )


if __name__ == "__main__":
    main()
