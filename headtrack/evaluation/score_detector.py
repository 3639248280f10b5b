"""How good a detector of heads is on labelled pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from headtrack.evaluation.detector_pictures import TruePicture
from headtrack.metrics.average_precision import (
    COCO_IOUS,
    FALSE,
    IGNORED,
    RankedBoxes,
    average_precision,
    match_by_score,
)
from headtrack.metrics.counts import MatchCounts, known, ratio
from headtrack.protocols import HeadDetector
from headtrack.types import FrameBatch

# A detector is asked for heads from this score on, so that its whole ranking is seen.
RANK_MIN_SCORE = 0.01
# Edges between bands of head size: geometric mean of the label's sides, in px of the picture.
SIZE_EDGES_PX = (10, 20, 40, 80, 160)
MIN_IOU = 0.5  # of recall and precision


@dataclass(frozen=True, slots=True)
class Share:
    """How many labelled heads of one kind were found.

    Attributes:
        name: of the kind.
        labelled: heads of it.
        found: of these, found with the score limit at IoU 0.5.
    """

    name: str
    labelled: int
    found: int

    @property
    def recall(self) -> float:
        """Share found; NaN where none is labelled."""
        return ratio(self.found, self.labelled)


@dataclass(frozen=True, slots=True)
class DetectorScore:
    """All figures of one detector on one set of pictures.

    Attributes:
        pictures: seen.
        ap: average precision by lowest IoU of a match; NaN without labelled heads.
        min_score: the score limit of `counts` and the shares.
        counts: heads found, false and missed at the score limit and IoU 0.5.
        by_size: of each band of head size.
        by_view: of each labelled view; none where the labels have no views.
    """

    pictures: int
    ap: dict[float, float]
    min_score: float
    counts: MatchCounts
    by_size: tuple[Share, ...]
    by_view: tuple[Share, ...]

    @property
    def ap50_95(self) -> float:
        """Mean average precision over IoU 0.50, 0.55, ... 0.95."""
        return float(np.mean([self.ap[iou] for iou in COCO_IOUS]))


def score_detector(
    pictures: Iterable[TruePicture],
    detector: HeadDetector,
    *,
    min_score: float,
    on_picture: Callable[[int], None] | None = None,
) -> DetectorScore:
    """Let a detector see every picture and score what it finds.

    Args:
        pictures: with their labels.
        detector: gives heads from `RANK_MIN_SCORE` on.
        min_score: limit of precision and recall, 0..1.
        on_picture: told how many pictures are done.
    """
    ranked: dict[float, list[RankedBoxes]] = {iou: [] for iou in COCO_IOUS}
    counts, side, view, is_found = MatchCounts(), [np.zeros(0)], [np.zeros(0, "<U1")], [np.zeros(0, bool)]
    done = 0
    for done, picture in enumerate(pictures, 1):
        heads = detector.detect(FrameBatch(picture.rgb[None], np.zeros(1, np.int32), np.zeros(1)))
        for iou in COCO_IOUS:
            row = match_by_score(picture.xyxy, heads.xyxy, heads.score, ignore=picture.ignore, min_iou=iou)
            counted = row != IGNORED
            score = heads.score[counted].astype(np.float64)
            ranked[iou].append(RankedBoxes(score, row[counted] >= 0, len(picture.xyxy)))
            if iou == MIN_IOU:
                likely = row[heads.score >= min_score]
                found = np.isin(np.arange(len(picture.xyxy)), likely)
                missed = int(np.count_nonzero(~found))
                counts += MatchCounts(int(found.sum()), int(np.count_nonzero(likely == FALSE)), missed)
                is_found.append(found)
        side.append(np.sqrt(np.prod(picture.xyxy[:, 2:] - picture.xyxy[:, :2], axis=1)))
        view.append(picture.view)
        if on_picture is not None:
            on_picture(done)
    every_found = np.concatenate(is_found)
    return DetectorScore(
        pictures=done,
        ap={iou: average_precision(RankedBoxes.join(ranked[iou])) for iou in COCO_IOUS},
        min_score=min_score,
        counts=counts,
        by_size=_by_size(np.concatenate(side), every_found),
        by_view=_by_view(np.concatenate(view), every_found),
    )


def _by_size(side: npt.NDArray[np.floating], found: npt.NDArray[np.bool_]) -> tuple[Share, ...]:
    band = np.digitize(side, SIZE_EDGES_PX)
    names = [
        f"under {SIZE_EDGES_PX[0]} px",
        *(f"{low} to {high} px" for low, high in pairwise(SIZE_EDGES_PX)),
        f"{SIZE_EDGES_PX[-1]} px and more",
    ]
    return tuple(_share(name, found[band == i]) for i, name in enumerate(names))


def _by_view(view: npt.NDArray[np.str_], found: npt.NDArray[np.bool_]) -> tuple[Share, ...]:
    return tuple(_share(str(name), found[view == name]) for name in np.unique(view[view != ""]))


def _share(name: str, found: npt.NDArray[np.bool_]) -> Share:
    return Share(name, len(found), int(found.sum()))


def score_object(score: DetectorScore) -> dict[str, Any]:
    """Give all figures as nested dicts that JSON takes; a figure without anything to measure is None."""
    return {
        "pictures": score.pictures,
        "heads": score.counts.tp + score.counts.fn,
        "ap50": known(score.ap[COCO_IOUS[0]]),
        "ap50_95": known(score.ap50_95),
        "min_score": score.min_score,
        "precision": known(score.counts.precision),
        "recall": known(score.counts.recall),
        "by_size": [_share_object(share) for share in score.by_size],
        "by_view": [_share_object(share) for share in score.by_view],
    }


def _share_object(share: Share) -> dict[str, Any]:
    return {
        "name": share.name,
        "labelled": share.labelled,
        "found": share.found,
        "recall": known(share.recall),
    }
