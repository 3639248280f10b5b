"""What went wrong, head by head: for looking at the frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from headtrack.evaluation.evaluate import archive_name, match_clips
from headtrack.evaluation.labels import Labels
from headtrack.evaluation.matching import HeadMatch
from headtrack.evaluation.predictions import Found

# missed: a labelled head that was not found. false: a found head that no label matches.
# wrong_view: found, but seen from another side. split: its labelled person is mostly found as
# somebody else. merged: its found person is mostly a different labelled person.
KINDS = ("missed", "false", "wrong_view", "split", "merged")


@dataclass(frozen=True, slots=True)
class Failure:
    """One head that something is wrong with.

    Attributes:
        kind: one of `KINDS`.
        clip: file name.
        frame: from 0.
        label: name in the labels; empty for a false head.
        person: found person; empty where there is none.
        track: found track; -1 where there is none.
        label_view: side in the labels; empty where not given.
        view: side found; empty for a missed head.
        xyxy: (x1, y1, x2, y2) px, of the label, or of the found head where it is false.
        instead: what it should have been: the other person, or labelled person; empty else.
    """

    kind: str
    clip: str
    frame: int
    label: str
    person: str
    track: int
    label_view: str
    view: str
    xyxy: tuple[float, float, float, float]
    instead: str


def find_failures(labels: Labels, found: Mapping[str, Found]) -> list[Failure]:
    """List every missed, false, wrongly turned, split and merged head, by kind, clip and frame.

    Args:
        labels: the truth.
        found: by path in the data folder.

    Returns:
        The failures; people are judged over all clips as one archive.
    """
    matches = match_clips(labels, found)
    label_of, person_of = Counter(), Counter()
    for clip, match in matches.items():
        for label, person in zip(match.labels.person, match.person_of_label, strict=True):
            if person:
                name = archive_name(labels, clip, str(label))
                person_of[name, str(person)] += 1
                label_of[str(person), name] += 1
    main_person, main_label = _most_common(person_of), _most_common(label_of)
    failures = []
    for clip, match in matches.items():
        failures += _false(clip, match)
        for row, label in enumerate(match.labels.person):
            name, person = archive_name(labels, clip, str(label)), str(match.person_of_label[row])
            instead = {
                "split": main_person[name] if person else "",
                "merged": main_label[person] if person else "",
            }
            same = {"split": person, "merged": name}
            failures += _of_label(
                clip,
                match,
                row,
                {kind: "" if instead[kind] == same[kind] else instead[kind] for kind in same},
            )
    return sorted(failures, key=lambda f: (KINDS.index(f.kind), f.clip, f.frame, f.xyxy))


def _most_common(pairs: Counter[tuple[str, str]]) -> dict[str, str]:
    """Give the most frequent second word of each first; of equals the first in the alphabet."""
    best: dict[str, str] = {}
    for (key, value), _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        best.setdefault(key, value)
    return best


def _false(clip: str, match: HeadMatch) -> list[Failure]:
    heads = match.found
    return [
        Failure(
            "false",
            clip,
            int(heads.frame[row]),
            "",
            str(heads.person[row]),
            int(heads.track[row]),
            "",
            str(heads.view[row]),
            _box(heads.xyxy[row]),
            "",
        )
        for row in np.flatnonzero(match.is_false)
    ]


def _of_label(clip: str, match: HeadMatch, row: int, instead: dict[str, str]) -> list[Failure]:
    """List what is wrong with one labelled head; `instead` says whom it was split from or merged into."""
    hit = bool(match.is_hit[row])
    find = int(match.found_of_label[row])
    person = str(match.found.person[find]) if hit else ""
    view = str(match.found.view[find]) if hit else ""
    label_view = str(match.labels.view[row])
    turned = label_view if hit and label_view != view else ""
    wrong = {
        "missed": not hit,
        "wrong_view": turned != "",
        **{kind: who != "" for kind, who in instead.items()},
    }
    return [
        Failure(
            kind,
            clip,
            int(match.labels.frame[row]),
            str(match.labels.person[row]),
            person,
            int(match.found.track[find]) if hit else -1,
            label_view,
            view,
            _box(match.labels.xyxy[row]),
            {"wrong_view": turned, **instead}.get(kind, ""),
        )
        for kind, is_wrong in wrong.items()
        if is_wrong
    ]


def _box(xyxy: np.ndarray) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = (float(value) for value in xyxy)
    return x1, y1, x2, y2
