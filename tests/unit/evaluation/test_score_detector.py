from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.detector_pictures import TruePicture, labelled_pictures
from headtrack.evaluation.score_detector import score_detector, score_object
from headtrack.types import FrameBatch, Heads
from headtrack.types.pictures import LabelledPicture

NONE = np.zeros((0, 4))


class Recited:
    """Gives, picture after picture, boxes and scores that it was told."""

    model_ids = ("recited@1",)

    def __init__(self, *answers: tuple[list[list[float]], list[float]]) -> None:
        self.answers = list(answers)

    def detect(self, batch: FrameBatch) -> Heads:
        boxes, score = self.answers.pop(0)
        n = len(boxes)
        nan = np.full((n, 4), np.nan)
        marks = np.full((n, 5, 2), np.nan)
        xyxy = np.array(boxes, float).reshape(n, 4)
        return Heads(
            np.full(n, batch.frame[0]), xyxy, score, np.zeros(n), nan[:, 0], nan[:, 0], nan, marks, nan
        )


def picture(*boxes: list[float], view: str = "", ignore: np.ndarray = NONE) -> TruePicture:
    xyxy = np.array(boxes, float).reshape(-1, 4)
    return TruePicture(np.zeros((100, 200, 3), np.uint8), xyxy, np.full(len(xyxy), view), ignore)


SMALL, LARGE = [0.0, 0, 8, 8], [20.0, 0, 70, 50]


def test_figures_are_counted_over_all_pictures_by_size_and_view():
    pictures = [picture(SMALL, LARGE, view="rear"), picture(LARGE, view="front"), picture()]
    detector = Recited(
        ([LARGE, SMALL], [0.9, 0.2]),  # the small one is under the limit
        ([LARGE, [100, 50, 120, 70]], [0.8, 0.7]),
        ([], []),
    )
    score = score_detector(pictures, detector, min_score=0.3)
    report = score_object(score)
    assert (report["pictures"], report["heads"]) == (3, 3)
    assert (score.counts.tp, score.counts.fp, score.counts.fn) == (2, 1, 1)
    sizes = {row["name"]: (row["labelled"], row["found"]) for row in report["by_size"]}
    assert sizes["under 10 px"] == (1, 0)
    assert sizes["40 to 80 px"] == (2, 2)
    assert sum(labelled for labelled, _ in sizes.values()) == 3
    views = {row["name"]: row["recall"] for row in report["by_view"]}
    assert views == {"front": 1.0, "rear": 0.5}
    # Ranked 0.9 right, 0.8 right, 0.7 false, 0.2 right: precision 1 to recall 0.66, then 3/4.
    assert report["ap50"] == pytest.approx((67 + 34 * 0.75) / 101)


def test_no_pictures_and_no_heads_are_unknown_not_zero():
    report = score_object(score_detector([], Recited(), min_score=0.3))
    assert report["ap50"] is report["recall"] is report["precision"] is None
    assert report["by_view"] == []
    report = score_object(score_detector([picture()], Recited(([], [])), min_score=0.3))
    assert report["pictures"] == 1
    assert report["ap50_95"] is None


def test_a_find_in_a_region_that_is_not_scored_is_not_false():
    region = np.array([[100.0, 0, 200, 100]])
    detector = Recited(([LARGE, [120, 20, 150, 50]], [0.5, 0.9]))
    score = score_detector([picture(LARGE, ignore=region)], detector, min_score=0.3)
    assert (score.counts.tp, score.counts.fp) == (1, 0)
    assert score.ap[0.5] == 1.0


def test_pictures_are_read_with_their_boxes_and_a_broken_one_is_named(tmp_path: Path):
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), np.zeros((50, 80, 3), np.uint8))
    labelled = LabelledPicture("a", path, path, np.array([[0.5, 0.5, 0.5, 0.5]]))
    (read,) = labelled_pictures([labelled])
    assert read.rgb.shape == (50, 80, 3)
    assert read.xyxy.tolist() == [[20.0, 12.5, 60.0, 37.5]]
    path.write_bytes(b"no picture")
    with pytest.raises(DatasetError, match=r"a\.png is not an image"):
        list(labelled_pictures([labelled]))
