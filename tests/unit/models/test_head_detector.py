from __future__ import annotations

import numpy as np
import pytest
import skimage.data

from headtrack.errors import ModelError
from headtrack.models.head_detector import BoxHeadDetector, PoseFaceDetector
from headtrack.protocols import HeadDetector
from headtrack.settings import DetectSettings
from headtrack.types import FrameBatch, HeadBoxes, Heads
from headtrack.types.views import FRONT

pytestmark = pytest.mark.heavy
ASTRONAUT_HEAD = np.array([168, 2, 284, 188])  # hair to chin, by eye


@pytest.fixture(scope="module")
def detector() -> PoseFaceDetector:
    return PoseFaceDetector(DetectSettings(), device="cpu", threads=1)


def batch_of(*images: np.ndarray) -> FrameBatch:
    return FrameBatch(np.stack(images), np.arange(5, 5 + len(images)), np.arange(len(images)) / 10)


def assert_equal(a: Heads, b: Heads) -> None:
    for name in Heads.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def test_it_keeps_the_protocol_and_names_both_models(detector):
    assert isinstance(detector, HeadDetector)
    assert [name.split("@")[0] for name in detector.model_ids] == ["yolo11n-pose", "centerface"]


def test_the_head_of_a_photographed_woman_is_boxed_once_with_face_view_and_body(detector):
    heads = detector.detect(batch_of(skimage.data.astronaut()))
    assert len(heads) == 1
    assert heads.frame.tolist() == [5]
    np.testing.assert_allclose(heads.xyxy[0], ASTRONAUT_HEAD, atol=25)
    assert heads.view[0] == FRONT
    assert abs(heads.yaw_deg[0]) < 30
    assert heads.score[0] > 0.9
    assert heads.has_face[0]
    left_eye, right_eye, nose, left_mouth, right_mouth = heads.landmarks[0]
    assert left_eye[0] < nose[0] < right_eye[0]
    assert left_mouth[0] < right_mouth[0]
    assert left_eye[1] < nose[1] < left_mouth[1]
    assert heads.body_xyxy[0, 3] > heads.xyxy[0, 3]


def test_a_mirrored_photograph_has_the_opposite_yaw(detector):
    image = skimage.data.astronaut()
    heads = detector.detect(batch_of(image, np.ascontiguousarray(image[:, ::-1])))
    assert heads.yaw_deg[0] == pytest.approx(-heads.yaw_deg[1], abs=8)


def test_a_frame_without_people_has_no_heads(detector):
    black = np.zeros((240, 320, 3), np.uint8)
    assert len(detector.detect(batch_of(black, black))) == 0


def test_a_batch_without_frames_has_no_heads(detector):
    empty = FrameBatch(np.zeros((0, 240, 320, 3), np.uint8), np.zeros(0), np.zeros(0))
    assert len(detector.detect(empty)) == 0


def test_heads_of_a_frame_do_not_depend_on_the_other_frames_of_the_batch(detector):
    image = skimage.data.astronaut()
    darker = (image * 0.6).astype(np.uint8)
    batch = batch_of(image, darker, np.zeros_like(image))
    alone = [
        detector.detect(FrameBatch(batch.rgb[i : i + 1], batch.frame[i : i + 1], [0.0])) for i in range(3)
    ]
    assert_equal(detector.detect(batch), Heads.join(alone))


def test_heads_come_sorted_by_frame_then_left_edge(detector):
    image = skimage.data.astronaut()
    pair = np.concatenate([image, image[:, ::-1]], axis=1)
    heads = detector.detect(batch_of(pair, pair))
    assert heads.frame.tolist() == [5, 5, 6, 6]
    assert np.all(np.diff(heads.xyxy[:2, 0]) > 0)


def test_a_higher_threshold_keeps_a_subset(detector):
    image = skimage.data.astronaut()
    strict = PoseFaceDetector(DetectSettings(min_score=0.999, min_head_px=1000), device="cpu", threads=1)
    assert len(strict.detect(batch_of(image))) == 0


class Given:
    """Gives the same boxes for every image."""

    def __init__(self, *rows: tuple[float, float, float, float, float]) -> None:
        self._rows = np.array(rows)

    def find(self, rgb: np.ndarray) -> list[HeadBoxes]:
        return [HeadBoxes(self._rows[:, :4], self._rows[:, 4])] * len(rgb)


def of_boxes(*rows: tuple[float, float, float, float, float]) -> Heads:
    made = BoxHeadDetector(Given(*rows), "given@1", DetectSettings(), device="cpu", threads=1)
    return made.detect(batch_of(np.zeros((90, 160, 3), np.uint8)))


def test_boxes_of_any_finder_are_cut_at_the_edges_and_those_outside_go():
    heads = of_boxes((-20, 10, 30, 50, 0.9), (150, 80, 190, 120, 0.8), (300, 10, 340, 50, 0.9))
    assert heads.xyxy.tolist() == [[0, 10, 30, 50], [150, 80, 160, 90]]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((float("nan"), 0, 9, 9, 0.9), "not finite"),
        ((0, 0, 9, 9, 1.5), "not within 0 to 1"),
        ((0, 0, 9, 9, float("nan")), "not within 0 to 1"),
        ((30, 0, 9, 9, 0.9), "lies before the other"),
    ],
)
def test_boxes_that_are_none_are_refused_with_the_detectors_name(row, words):
    with pytest.raises(ModelError, match=f"detector given@1 gave .*{words}"):
        of_boxes(row)
