"""Association alone, over cached detections: speed and tracks beside `trackers`' ByteTrack and OC-SORT.

    pip install --no-deps trackers pydeprecate        # with its own dependencies it brings another OpenCV
    python -m benchmarks.association DATA [--db DB] > association.json

DATA is a folder with `oracle/` (and `clips/`, `labels/`), DB a database of the labelled clips: its detected
heads are associated too. Every tracker gets the same detections, starts anew at each shot and forgets what it
has not seen for a second. Only association is timed, in this process, on what was read and described before;
the best of five rounds counts. Sequences:
- `plaza`: public detections of bodies in 795 frames, scored on the 66 boxes of `gt_partial.txt` in 14 frames;
  headtrack's descriptors come from the video. `plaza, geometry alone`: the same without pixels.
- `TUD-*`: the boxes of a tracker's result, their ids taken away, on the full ground truth; no pixels.
- each clip: heads in five frames a second, scored on `labels/heads.csv` at IoU 0.5; between looks every
  tracker's boxes are interpolated alike.
`trackers`' trackers name a track only from the second or third box on; `…, named at once` shows them with
`minimum_consecutive_frames=1`. headtrack drops a tracklet of a single detection, as the main job does.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from trackers import ByteTrackTracker, OCSORTTracker

from benchmarks.cached_detections import (
    Sequence,
    head_detections,
    mot_detections,
    shot_starts,
    with_pixels,
    without_pixels,
)
from headtrack.evaluation.labels import clip_media, read_labels
from headtrack.evaluation.matching import match_heads
from headtrack.evaluation.mot_format import read_mot
from headtrack.evaluation.predictions import FoundHeads
from headtrack.evaluation.protocol import PAIRS_NOT_SCORED
from headtrack.evaluation.score_tracks import TrackScore, score_tracks
from headtrack.metrics.clear import clear
from headtrack.metrics.hota import hota
from headtrack.metrics.identity_f1 import identity_f1
from headtrack.metrics.track_overlap import TrackedBoxes, overlap_tracks
from headtrack.settings import Settings
from headtrack.tracking.associate import LiveTracklets, associate
from headtrack.tracking.number import number_tracklets
from headtrack.types import Heads, Shots

ROUNDS = 5
TUD_FPS, TUD_PX = 25.0, (640, 480)
PLAZA_PX = (768, 576)
FORGET_FRAMES_AT_30 = 30  # a second, as `track.max_gap_s`
UNNAMED = -1
NO_CUT = np.zeros(1, np.int64)

# Gives the track of each detection, -1 for none, in the order of the looks.
Tracker = Callable[[Sequence], npt.NDArray[np.int64]]
Score = Callable[[TrackedBoxes], TrackScore]


def main() -> None:
    """Print the result of every sequence as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--db", type=Path)
    args = parser.parse_args()
    data = args.data.resolve()
    result = {}
    plaza = data / "oracle/plaza"
    detections = mot_detections(plaza / "det.txt")
    truth = read_mot(plaza / "gt_partial.txt")
    for name, sequence in (
        ("plaza", with_pixels(data / "clips/plaza.avi", detections, NO_CUT, every_frame=True)),
        ("plaza, geometry alone", without_pixels(detections, 10.0, PLAZA_PX)),
    ):
        result[name] = compare(sequence, lambda found: score_boxes(truth, found))
    for folder in sorted((data / "oracle").glob("TUD-*")):
        own = read_mot(folder / "gt.txt")
        sequence = without_pixels(mot_detections(folder / "test.txt"), TUD_FPS, TUD_PX)
        result[folder.name] = compare(sequence, lambda found, own=own: score_boxes(own, found))
    labels = read_labels(data) if args.db else None
    for clip, heads in labels.heads.items() if labels else ():
        path = data / clip_media(clip)
        found = head_detections(args.db, path)
        sequence = with_pixels(path, found, shot_starts(args.db, path), every_frame=False)
        result[clip] = compare(
            sequence,
            lambda boxes, heads=heads, clip=clip: score_tracks(
                match_heads(heads, as_found(interpolated(boxes, heads.labelled_frame))),
                PAIRS_NOT_SCORED.get(clip, ()),
            ),
        )
    print(json.dumps(result, indent=1))


def compare(sequence: Sequence, score: Score) -> dict[str, dict[str, float]]:
    """Time and score every tracker on one sequence."""
    rows = {}
    for name, tracker in (
        ("headtrack", headtrack),
        ("ByteTrack", others(ByteTrackTracker)),
        ("OC-SORT", others(OCSORTTracker)),
        ("ByteTrack, named at once", others(ByteTrackTracker, minimum_consecutive_frames=1)),
        ("OC-SORT, named at once", others(OCSORTTracker, minimum_consecutive_frames=1)),
    ):
        spent_s, track = min((timed(tracker, sequence) for _ in range(ROUNDS)), key=lambda pair: pair[0])
        figures = score(boxes_of(sequence, track))
        rows[name] = {
            "frames_per_s": len(sequence.looks) / spent_s,
            "hota": figures.hota.hota,
            "det_a": figures.hota.det_a,
            "ass_a": figures.hota.ass_a,
            "idf1": figures.identity.f1,
            "mota": figures.clear.mota,
            "switches": figures.clear.switches,
            "fragments": figures.clear.fragments,
            "false": figures.clear.fp,
            "missed": figures.clear.fn,
            "tracks": len(np.unique(track[track != UNNAMED])),
        }
    for row in rows.values():
        row["speed_of_headtrack_to_it"] = rows["headtrack"]["frames_per_s"] / row["frames_per_s"]
    return rows


def timed(tracker: Tracker, sequence: Sequence) -> tuple[float, npt.NDArray[np.int64]]:
    """Run once; what `others` hands over is made before the clock starts."""
    _ = sequence.detections
    start_s = time.perf_counter()
    track = tracker(sequence)
    return time.perf_counter() - start_s, track


def headtrack(sequence: Sequence) -> npt.NDArray[np.int64]:
    """Associate as the main job does, doubtful tracklets dropped."""
    settings, following, shot = Settings().track, 0, None
    raw: list[npt.NDArray[np.int32]] = []
    live = LiveTracklets.none(sequence.looks[0].descriptor.shape[1])
    for look in sequence.looks:
        if look.shot != shot:
            live, shot = live[:0], look.shot
        step = associate(
            live,
            look.heads,
            time_s=look.time_s,
            frame_px=look.frame_px,
            descriptor=look.descriptor,
            next_tracklet=following,
            settings=settings,
        )
        live, following = step.live, step.next_tracklet
        raw.append(step.tracklet)
    number = number_tracklets(
        Heads.join([look.heads for look in sequence.looks if len(look.heads)]),
        np.concatenate(raw),
        shots=_shots(sequence),
        looked_at=np.array([look.frame for look in sequence.looks], np.int32),
        look_time_s=np.array([look.time_s for look in sequence.looks]),
        settings=settings,
    )
    return number.final[np.concatenate(raw)].astype(np.int64)


def others(kind: type, **options: int) -> Tracker:
    """Give a tracker of `trackers`, at its defaults but for the options."""

    def run(sequence: Sequence) -> npt.NDArray[np.int64]:
        track = []
        following, shot, tracker, highest = 0, None, None, UNNAMED
        for look, found in zip(sequence.looks, sequence.detections, strict=True):
            if look.shot != shot:
                following, shot, highest = following + highest + 1, look.shot, UNNAMED
                tracker = kind(lost_track_buffer=FORGET_FRAMES_AT_30, frame_rate=sequence.fps, **options)
            assert tracker is not None
            out = tracker.update(found)
            own = np.full(len(found), UNNAMED)
            named = out.tracker_id != UNNAMED
            own[out.data["row"][named]] = following + out.tracker_id[named]
            highest = max(highest, int(out.tracker_id.max(initial=UNNAMED)))
            track.append(own)
        return np.concatenate(track)

    return run


def boxes_of(sequence: Sequence, track: npt.NDArray[np.int64]) -> TrackedBoxes:
    """Give the boxes that have a track."""
    heads = Heads.join([look.heads for look in sequence.looks if len(look.heads)])
    named = track != UNNAMED
    return TrackedBoxes(heads.frame[named], track[named], heads.xyxy[named])


def interpolated(boxes: TrackedBoxes, frames: npt.NDArray[np.int64]) -> TrackedBoxes:
    """Give each track's box in some frames, between its detections along a straight line."""
    rows = []
    for track in np.unique(boxes.track):
        own = np.flatnonzero(boxes.track == track)
        at, xyxy = boxes.frame[own], boxes.xyxy[own]
        rows += [
            (frame, track, *(np.interp(frame, at, xyxy[:, side]) for side in range(4)))
            for frame in frames[(frames >= at[0]) & (frames <= at[-1])]
        ]
    values = np.array(rows, np.float64).reshape(-1, 6)
    return TrackedBoxes(values[:, 0], values[:, 1], values[:, 2:])


def score_boxes(truth: TrackedBoxes, found: TrackedBoxes) -> TrackScore:
    """Score in the frames that the truth has."""
    known = np.isin(found.frame, truth.frame)
    overlap = overlap_tracks(truth, TrackedBoxes(found.frame[known], found.track[known], found.xyxy[known]))
    return TrackScore(hota(overlap), clear(overlap), identity_f1(overlap))


def as_found(boxes: TrackedBoxes) -> FoundHeads:
    """Give tracked boxes as heads that were found."""
    word = np.full(len(boxes), "", np.str_)
    return FoundHeads(
        boxes.frame, boxes.xyxy, np.ones(len(boxes)), word, boxes.track, word, word, boxes.track
    )


def _shots(sequence: Sequence) -> Shots:
    shot = np.array([look.shot for look in sequence.looks])
    frame = np.array([look.frame for look in sequence.looks])
    first = np.flatnonzero(np.diff(shot, prepend=shot[0] - 1))
    start = frame[first]
    start[0] = 0
    return Shots(start, np.append(start[1:], frame[-1] + 1), np.ones(len(start)))


if __name__ == "__main__":
    main()
