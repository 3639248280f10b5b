"""Compares what the main job found in the demo clip with its truth, and draws it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import supervision as sv
from PIL import Image

from headtrack.evaluation.demo_clip import HEIGHT, WIDTH, ClipTruth
from headtrack.evaluation.labels import CutLabels, HeadLabels
from headtrack.evaluation.matching import HeadMatch, match_heads
from headtrack.evaluation.predictions import Found, FoundHeads
from headtrack.evaluation.score_heads import score_heads
from headtrack.evaluation.score_identity import NamedHeads, score_identity
from headtrack.evaluation.score_shots import score_shots
from headtrack.metrics.bcubed import BCubed
from headtrack.metrics.counts import MatchCounts

SHEET_COLUMNS = 4
# Of `DemoScore.rows`.
PERSON_COLUMNS = ("in truth", "found as", "in shots", "found in shots", "heads", "heads found")


@dataclass(frozen=True, slots=True)
class PersonFound:
    """What became of one person of the clip.

    Attributes:
        name: in the truth.
        persons: ids under which the heads were found, the most frequent first.
        shots: numbers of the shots that the person is in.
        shots_found: those of them in which a head was found under the most frequent id.
        heads: number of heads.
        heads_found: number found, under whatever id.
        shared_with: other people of the truth who go under the most frequent id.
    """

    name: str
    persons: tuple[str, ...]
    shots: tuple[int, ...]
    shots_found: tuple[int, ...]
    heads: int
    heads_found: int
    shared_with: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """The person goes under one id in all shots, and nobody else does."""
        return len(self.persons) == 1 and self.shots == self.shots_found and not self.shared_with


@dataclass(frozen=True, slots=True)
class DemoScore:
    """The comparison.

    Attributes:
        shots: boundaries found, false and missed.
        heads: heads found, false and missed, over every frame.
        identity: over all heads; a missed one is a person of its own.
        people: one for each person of the truth.
        extra_persons: ids of which no head belongs to anybody in the truth.
    """

    shots: MatchCounts
    heads: MatchCounts
    identity: BCubed
    people: tuple[PersonFound, ...]
    extra_persons: tuple[str, ...]

    def rows(self) -> list[tuple[str, ...]]:
        """Give what became of each person, as in `PERSON_COLUMNS`; shots count under one id only."""
        return [
            (
                person.name,
                ", ".join(person.persons),
                ", ".join(map(str, person.shots)),
                ", ".join(map(str, person.shots_found)),
                str(person.heads),
                str(person.heads_found),
            )
            for person in self.people
        ]

    def lines(self) -> list[str]:
        """Say it in words."""
        right = sum(person.is_right for person in self.people)
        cuts, heads = self.shots, self.heads
        return [
            f"cuts: {cuts.tp} of {cuts.tp + cuts.fn} found, {cuts.fp} false",
            f"heads: {heads.tp} of {heads.tp + heads.fn} found (recall {heads.recall:.3f}), "
            f"{heads.fp} false (precision {heads.precision:.3f})",
            f"people: {right} of {len(self.people)} found once over all their shots, "
            f"{len(self.extra_persons)} persons that are nobody; identity BCubed F1 {self.identity.f1:.3f} "
            f"(precision {self.identity.precision:.3f}, recall {self.identity.recall:.3f})",
        ]


def compare(truth: ClipTruth, found: Found) -> DemoScore:
    """Compare what was found with the truth, in every frame."""
    match = match_heads(head_labels(truth), found.heads)
    named = NamedHeads(match.labels.person, match.person_of_label, match.is_hit)
    cuts = np.array([shot.start for shot in truth.shots[1:]])
    known = set(match.person_of_label.tolist())
    return DemoScore(
        shots=score_shots(CutLabels(cuts, np.zeros(0, np.int64)), found.cut).counts,
        heads=score_heads(match).every,
        identity=score_identity(named, ()).bcubed,
        people=tuple(_person_found(name, truth, match) for name in truth.people),
        extra_persons=tuple(sorted(set(found.heads.person.tolist()) - known - {""})),
    )


def head_labels(truth: ClipTruth) -> HeadLabels:
    """Give the truth of every frame as labels."""
    scored = [head for head in truth.heads if head.scored]
    ignored = [head for head in truth.heads if not head.scored]
    return HeadLabels(
        frame=np.array([head.frame for head in scored]),
        xyxy=np.array([head.xyxy for head in scored]).reshape(-1, 4),
        person=np.array([head.person for head in scored]),
        view=np.array(["" for _ in scored]),
        ignore_frame=np.array([head.frame for head in ignored]),
        ignore_xyxy=np.array([head.xyxy for head in ignored]).reshape(-1, 4),
        labelled_frame=np.arange(truth.shots[-1].stop),
    )


def draw_sheet(clip: Path, truth: ClipTruth, heads: FoundHeads) -> Image.Image:
    """Draw the found heads with their persons into the middle frame of every shot.

    Args:
        clip: the video.
        truth: says where its shots are.
        heads: as found.
    """
    middles = [(shot.start + shot.stop) // 2 for shot in truth.shots]
    with av.open(str(clip)) as container:
        frames = {
            number: np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
            for number, frame in enumerate(container.decode(video=0))
            if number in middles
        }
    rows = -(-len(middles) // SHEET_COLUMNS)
    sheet = Image.new("RGB", (SHEET_COLUMNS * WIDTH, rows * HEIGHT))
    for k, number in enumerate(middles):
        picture = _draw_heads(frames[number], heads[heads.frame == number])
        sheet.paste(Image.fromarray(picture), (k % SHEET_COLUMNS * WIDTH, k // SHEET_COLUMNS * HEIGHT))
    return sheet


def _draw_heads(rgb: npt.NDArray[np.uint8], heads: FoundHeads) -> npt.NDArray[np.uint8]:
    detections = sv.Detections(xyxy=heads.xyxy, class_id=np.zeros(len(heads), int))
    names = [person or "?" for person in heads.person]
    boxed = sv.BoxAnnotator(thickness=2).annotate(rgb.copy(), detections)
    return sv.LabelAnnotator(text_scale=0.6).annotate(boxed, detections, labels=names)


def _person_found(name: str, truth: ClipTruth, match: HeadMatch) -> PersonFound:
    own = match.labels.person == name
    found_as = match.person_of_label
    persons = [person for person, _ in Counter(found_as[own & match.is_hit]).most_common()]
    main = persons[0] if persons else ""
    starts = np.array([shot.start for shot in truth.shots])
    shot = np.searchsorted(starts, match.labels.frame, side="right") - 1
    under_main = match.is_hit & (found_as == main) & (found_as != "")
    return PersonFound(
        name=name,
        persons=tuple(str(person) for person in persons),
        shots=tuple(np.unique(shot[own]).tolist()),
        shots_found=tuple(np.unique(shot[own & under_main]).tolist()),
        heads=int(own.sum()),
        heads_found=int((own & match.is_hit).sum()),
        shared_with=tuple(np.unique(match.labels.person[under_main & ~own]).tolist()),
    )
