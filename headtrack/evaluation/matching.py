"""Which found head is which labelled head, over the labelled frames of one clip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.labels import HeadLabels
from headtrack.evaluation.predictions import FoundHeads
from headtrack.evaluation.protocol import HEAD_MIN_IOU
from headtrack.metrics.detection import MISSED, match_frame
from headtrack.types.arrays import as_array


@dataclass(frozen=True, slots=True)
class HeadMatch:
    """Labels and finds of one clip, put together.

    Attributes:
        labels: of the clip.
        found: the heads found in labelled frames that count (not those in ignore regions).
        found_of_label: (N,) int64 row of `found` for each labelled head; -1: missed.
    """

    labels: HeadLabels
    found: FoundHeads
    found_of_label: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        rows = as_array("found_of_label", self.found_of_label, np.int64, (len(self.labels),))
        object.__setattr__(self, "found_of_label", rows)

    @property
    def is_hit(self) -> npt.NDArray[np.bool_]:
        """(N,) bool per labelled head: it was found."""
        return self.found_of_label != MISSED

    @property
    def is_false(self) -> npt.NDArray[np.bool_]:
        """(P,) bool per found head: no label matches it."""
        return ~np.isin(np.arange(len(self.found)), self.found_of_label)

    @property
    def person_of_label(self) -> npt.NDArray[np.str_]:
        """(N,) str, the person found for each labelled head; empty where missed or nobody."""
        person = np.zeros(len(self.labels), dtype=self.found.person.dtype)
        person[self.is_hit] = self.found.person[self.found_of_label[self.is_hit]]
        return person


def match_heads(labels: HeadLabels, found: FoundHeads, *, min_iou: float = HEAD_MIN_IOU) -> HeadMatch:
    """Match found heads to labelled heads, frame by frame.

    Args:
        labels: of one clip.
        found: in the same clip; frames without a label are left out.
        min_iou: lowest IoU of a match, 0..1.
    """
    found = found[np.argsort(found.frame, kind="stable")]
    found_of_label = np.full(len(labels), MISSED)
    counts = np.zeros(len(found), bool)
    for frame in labels.labelled_frame:
        rows = np.flatnonzero(labels.frame == frame)
        finds = np.flatnonzero(found.frame == frame)
        match = match_frame(
            labels.xyxy[rows],
            found.xyxy[finds],
            ignore=labels.ignore_xyxy[labels.ignore_frame == frame],
            min_iou=min_iou,
        )
        hit = match.predicted_of_truth != MISSED
        found_of_label[rows[hit]] = finds[match.predicted_of_truth[hit]]
        counts[finds] = match.scored
    new_row = np.cumsum(counts) - 1
    found_of_label = np.where(
        found_of_label == MISSED, MISSED, new_row[found_of_label] if len(found) else MISSED
    )
    return HeadMatch(labels, found[counts], found_of_label)
