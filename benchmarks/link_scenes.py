"""Makes scenes in which it is known who goes on where: the labelled data that links are judged on.

What an analysed video holds of one head, from one tracklet, is cut in two: the part before and the part after
are one person, and every other tracklet of the frame is another. Some people do not come back, some were
not there before, and somebody from another video may come instead, at a place where heads of this one are
seen. A scene over an occlusion is one shot with a gap; one over shot changes loses the places.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from fit_looks import HEADS, described

from headtrack.linking.evidence import TrackletEvidence
from headtrack.ops.boxes import iou_matrix
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
STAYS_AWAY = 0.35  # of those who were there
NEWLY_THERE = 0.35  # of those who come back: they were not there before
SOMEBODY_ELSE = 0.5  # of the scenes
MIN_HEADS = 2  # a part
MIN_IOU = 0.4  # of a labelled head
COULD_BE = {("corridor.mp4", "P4"): "P2"}  # perhaps one man: one name, so that they never meet


@dataclass(frozen=True, slots=True)
class Followed:
    """One tracklet, or a part of one: its heads and its crops in the order of time.

    Attributes:
        video: where it was seen; folds hold out whole videos.
        person: unlike that of every other tracklet that may share a scene with it.
        time_s: (H,) float64 of the heads.
        xyxy: (H, 4) float32 px.
        colour: (H, B) float32 histograms of unit sum.
        crop_s: (C,) float64 of the crops.
        quality: (C,) float32.
        clear: (C,) float32 recognisability.
        face: (C, Di) float32 unit vectors, NaN without a face.
        look: (C, Da) float32 unit vectors.
    """

    video: str
    person: str
    time_s: np.ndarray
    xyxy: np.ndarray
    colour: np.ndarray
    crop_s: np.ndarray
    quality: np.ndarray
    clear: np.ndarray
    face: np.ndarray
    look: np.ndarray

    @property
    def named(self) -> bool:
        """Whether a label tells who it is: it may then meet people of its video that it was not seen with."""
        return not self.person.startswith(self.video)

    def between(self, first_s: float, last_s: float) -> Followed | None:
        """Give the part in a stretch of time; None where too little is left."""
        heads = (self.time_s >= first_s) & (self.time_s <= last_s)
        crops = (self.crop_s >= first_s) & (self.crop_s <= last_s)
        if heads.sum() < MIN_HEADS or not crops.any():
            return None
        of_heads = {name: getattr(self, name)[heads] for name in ("time_s", "xyxy", "colour")}
        of_crops = {
            name: getattr(self, name)[crops] for name in ("crop_s", "quality", "clear", "face", "look")
        }
        return replace(self, **of_heads, **of_crops)

    def moved(self, to_xyxy: np.ndarray, first_s: float) -> Followed:
        """Give the same head seen elsewhere: its first box is put there, at that time."""
        shift = np.tile((to_xyxy[:2] + to_xyxy[2:]) / 2, 2)
        centre = np.tile((self.xyxy[0, :2] + self.xyxy[0, 2:]) / 2, 2)
        scale = np.sqrt(np.prod(to_xyxy[2:] - to_xyxy[:2]) / np.prod(self.xyxy[0, 2:] - self.xyxy[0, :2]))
        later = first_s - self.time_s[0]
        return replace(
            self,
            xyxy=((self.xyxy - centre) * scale + shift).astype(np.float32),
            time_s=self.time_s + later,
            crop_s=self.crop_s + later,
        )


@dataclass(frozen=True, slots=True)
class Scene:
    """Evidence as linking gets it, and who each row is.

    Attributes:
        evidence: T rows, sorted by first time.
        person: (T,) str.
        cannot_link: (P, 2) int32 rows that share a frame.
        host: the video that was cut.
        videos: whose heads are in it.
    """

    evidence: TrackletEvidence
    person: np.ndarray
    cannot_link: np.ndarray
    host: str
    videos: frozenset[str]


def labelled_boxes(path: Path) -> dict[str, list[tuple[int, str, np.ndarray]]]:
    """Read frame, person and box of the labelled heads, by the name of the clip."""
    found = defaultdict(list)
    with path.open() as rows:
        for row in csv.DictReader(rows):
            if row["ignore"] != "1" and row["person"] != "NONE":
                person = COULD_BE.get((row["clip"], row["person"]), row["person"])
                box = np.array([float(row[side]) for side in ("x1", "y1", "x2", "y2")])
                found[row["clip"]].append((int(row["frame"]), f"{row['clip']}/{person}", box))
    return found


def main_person(
    frames: np.ndarray, xyxy: np.ndarray, labels: list[tuple[int, str, np.ndarray]]
) -> str | None:
    """Give the person whose labelled boxes a tracklet meets most often; None where it meets none."""
    votes = Counter()
    for frame, person, box in labels:
        if frames[0] <= frame <= frames[-1]:
            at = np.array([np.interp(frame, frames, side) for side in xyxy.T])
            if iou_matrix(at[None].astype(np.float32), box[None].astype(np.float32))[0, 0] >= MIN_IOU:
                votes[person] += 1
    return votes.most_common(1)[0][0] if votes else None


def read_followed(db: Path, labels: dict[str, list[tuple[int, str, np.ndarray]]]) -> list[Followed]:
    """Read the tracklets of a database.

    Args:
        db: made by `headtrack run`.
        labels: by the name of the clip; a tracklet that meets none is a person of its own.
    """
    with open_reader(db) as con:
        heads, crops = query(con, HEADS).rows, query(con, CROPS).rows
        frame_s = dict(query(con, FRAME_S).rows)
    found = []
    for path in sorted({row[0] for row in heads}):
        rows = [row[1:] for row in heads if row[0] == path]
        seen = described(path, rows)
        of, cut = defaultdict(list), defaultdict(list)
        for frame, tracklet, *box in rows:
            of[tracklet].append((frame, box))
        for _, tracklet, *crop in (row for row in crops if row[0] == path):
            cut[tracklet].append(crop)
        width = max((len(c[3]) for held in cut.values() for c in held if c[3] is not None), default=128)
        for tracklet, boxes in of.items():
            held = cut[tracklet]
            if held:
                frames, xyxy = np.array([f for f, _ in boxes]), np.array([b for _, b in boxes], np.float32)
                person = main_person(frames, xyxy, labels.get(Path(path).name, []))
                found.append(
                    Followed(
                        path,
                        person or f"{path}:{tracklet}",
                        frames * frame_s[path],
                        xyxy,
                        np.stack([seen[f, tracklet][0] for f, _ in boxes]),
                        np.array([c[0] * frame_s[path] for c in held]),
                        np.array([c[1] for c in held], np.float32),
                        np.array([c[2] or 0 for c in held], np.float32),
                        np.array([c[3] if c[3] is not None else [np.nan] * width for c in held], np.float32),
                        np.array([c[4] for c in held], np.float32),
                    )
                )
    return found


def scene(host: str, parts: list[tuple[int, Followed]]) -> Scene:
    """Put parts, each with the number of its shot, together."""
    parts = sorted(parts, key=lambda p: (p[0], p[1].time_s[0], p[1].xyxy[0, 0]))
    followed = [p for _, p in parts]
    group = np.repeat(np.arange(len(parts)), [len(p.look) for p in followed]).astype(np.int32)
    quality = np.concatenate([p.quality for p in followed])
    faces = np.concatenate([p.face for p in followed])
    weight = np.where(np.isfinite(faces).all(axis=1), quality, 0)
    shot = np.array([s for s, _ in parts])
    first = np.array([p.time_s[0] for p in followed])
    last = np.array([p.time_s[-1] for p in followed])
    n = len(parts)
    person = np.array([p.person for p in followed])
    a, b = np.triu_indices(n, 1)
    together = (shot[a] == shot[b]) & (np.minimum(last[a], last[b]) > np.maximum(first[a], first[b]))
    return Scene(
        TrackletEvidence(
            shot=shot,
            first_s=first,
            last_s=last,
            first_xyxy=np.stack([p.xyxy[0] for p in followed]),
            last_xyxy=np.stack([p.xyxy[-1] for p in followed]),
            face=group_unit_means(faces, group, weight, n),
            face_weight=np.bincount(group, weights=weight, minlength=n),
            face_recognisability=group_weighted_means(
                np.concatenate([p.clear for p in followed]), group, weight, n
            ),
            look=group_unit_means(np.concatenate([p.look for p in followed]), group, quality, n),
            colour=np.stack([p.colour.mean(axis=0) for p in followed]),
        ),
        person,
        np.stack([a, b], 1)[together & (person[a] != person[b])].astype(np.int32),
        host,
        frozenset(p.video for p in followed),
    )


def scenes(
    followed: list[Followed], rng: np.random.Generator, *, draws: int, places: bool
) -> Iterator[Scene]:
    """Cut every video at random moments.

    Args:
        followed: of all videos.
        rng: chooses moments and who is there.
        draws: moments a video and gap.
        places: whether the gap is an occlusion inside one shot; if not, a shot change.
    """
    by_video = defaultdict(list)
    for one in followed:
        by_video[one.video].append(one)
    for video, here in sorted(by_video.items()):
        others = [one for one in followed if one.video != video or one.named]
        first, last = min(one.time_s[0] for one in here), max(one.time_s[-1] for one in here)
        boxes = np.concatenate([one.xyxy for one in here])
        for gap_s in GAPS_S:
            for moment_s in rng.uniform(first, max(last - gap_s, first), draws):
                parts = _cut(here, moment_s, gap_s, rng)
                if not parts:
                    continue
                if rng.random() < SOMEBODY_ELSE and others:
                    other = others[rng.integers(len(others))]
                    if other.person not in {p.person for _, p in parts}:
                        # It comes at the moment of the others, or a little later.
                        when_s = moment_s + gap_s + rng.uniform(0, 1)
                        parts.append((1, other.moved(boxes[rng.integers(len(boxes))], when_s)))
                if {s for s, _ in parts} == {0, 1}:
                    yield scene(video, [(0 if places else s, p) for s, p in parts])


def _cut(
    here: list[Followed], moment_s: float, gap_s: float, rng: np.random.Generator
) -> list[tuple[int, Followed]]:
    """Hide whoever is there at a moment; give the parts before (0) and after (1)."""
    parts = []
    for one in here:
        if one.time_s[0] > moment_s or one.time_s[-1] < moment_s + gap_s:
            continue  # of others in the video it is not known who they are
        before = one.between(-np.inf, moment_s)
        after = one.between(moment_s + gap_s, np.inf)
        if before is None or after is None:
            continue
        comes_back = rng.random() >= STAYS_AWAY
        if not (comes_back and rng.random() < NEWLY_THERE):
            parts.append((0, before))
        if comes_back:
            parts.append((1, after))
    return parts
