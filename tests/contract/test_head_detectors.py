"""What every detector of heads must do, whatever it is made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from headtrack.models.detectors import detector_ids, load_detector
from headtrack.models.ultralytics_loader import import_ultralytics
from headtrack.models.yolo_head import YoloHead
from headtrack.ops.boxes import iou_matrix
from headtrack.protocols import HeadDetector
from headtrack.settings import DetectSettings
from headtrack.training.detector import TrainedDetector
from headtrack.types import FrameBatch, Heads
from headtrack.types.views import VIEW_NAMES
from tests.contract.photographs import astronaut, bus, zidane
from tests.contract.tiny_detector import train_tiny, write_photographs, written_by_hand

pytestmark = pytest.mark.heavy

KINDS = ("built-in", "pt", "onnx", "python")
# The tiny detector was trained for a minute: it is sure of the heads that it learnt, and of little else.
SURE = 0.75


@dataclass(frozen=True)
class Kind:
    """One kind of detector, as settings and loaded."""

    settings: DetectSettings
    detector: HeadDetector

    def detect(self, *images: np.ndarray, first: int = 5) -> Heads:
        return self.detector.detect(batch_of(*images, first=first))


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> TrainedDetector:
    folder = tmp_path_factory.mktemp("tiny")
    return train_tiny(write_photographs(folder / "data", train=14, held_out=2), folder / "out")


@pytest.fixture(scope="module")
def load(trained, tmp_path_factory) -> Callable[[str], Kind]:
    by_hand = tmp_path_factory.mktemp("python") / "my_detector.py"
    by_hand.write_text(written_by_hand())
    small = DetectSettings(image_px=160, min_score=SURE)
    settings = {
        "built-in": DetectSettings(),
        "pt": replace(small, detector=str(trained.weights)),
        "onnx": replace(small, detector=str(trained.onnx)),
        "python": DetectSettings(detector=str(by_hand)),
    }
    loaded: dict[str, Kind] = {}

    def get(kind: str) -> Kind:
        if kind not in loaded:
            chosen = settings[kind]
            loaded[kind] = Kind(chosen, load_detector(chosen, device="cpu", threads=1))
        return loaded[kind]

    return get


@pytest.fixture(params=KINDS)
def kind(request, load) -> Kind:
    return load(request.param)


def batch_of(*images: np.ndarray, first: int = 5) -> FrameBatch:
    return FrameBatch(np.stack(images), np.arange(first, first + len(images)), np.arange(len(images)) / 10)


def assert_equal(a: Heads, b: Heads) -> None:
    for name in Heads.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def test_it_keeps_the_protocol_and_its_names_are_known_before_it_is_loaded(kind):
    assert isinstance(kind.detector, HeadDetector)
    assert kind.detector.model_ids == detector_ids(kind.settings)
    assert all(name.count("@") == 1 for name in kind.detector.model_ids)


def test_both_men_of_a_wide_picture_have_their_heads_in_place(kind):
    heads = kind.detect(zidane())
    men = np.array([[440.0, 200, 680, 460], [860, 60, 1060, 290]])
    assert (iou_matrix(men, heads.xyxy).max(axis=1) > 0.4).all(), heads.xyxy
    assert (heads.score >= kind.settings.min_score).all()


def test_a_head_has_the_face_the_body_and_the_view_of_the_man_it_belongs_to(kind):
    heads = kind.detect(zidane())
    man = heads[iou_matrix(np.array([[860.0, 60, 1060, 290]]), heads.xyxy).argmax(axis=1)]
    assert man.has_face[0]
    assert heads.xyxy[:, 0].min() - 1 <= man.landmarks[0, :, 0].min() <= man.xyxy[0, 2]
    x1, y1, x2, y2 = man.body_xyxy[0]
    assert x1 < 960 < x2
    assert y1 < 200 < y2
    assert VIEW_NAMES[man.view[0]] != "rear"
    assert np.isfinite(man.yaw_deg[0])


def test_heads_come_sorted_by_frame_then_left_edge_with_the_batchs_numbers(kind):
    heads = kind.detect(zidane(), zidane()[:, ::-1], first=40)
    assert set(heads.frame.tolist()) == {40, 41}
    order = np.lexsort((heads.xyxy[:, 0], heads.frame))
    np.testing.assert_array_equal(order, np.arange(len(heads)))


def test_a_batch_without_frames_has_no_heads(kind):
    assert len(kind.detector.detect(FrameBatch(np.zeros((0, 240, 320, 3), np.uint8), [], []))) == 0


def test_a_blank_frame_has_no_heads(kind):
    assert len(kind.detect(np.zeros((240, 320, 3), np.uint8))) == 0


def test_heads_of_a_frame_do_not_depend_on_the_other_frames_of_the_batch(kind):
    image = astronaut()
    images = (image, (image * 0.6).astype(np.uint8), np.zeros_like(image), image[:, ::-1])
    alone = [kind.detect(one, first=5 + i) for i, one in enumerate(images)]
    assert_equal(kind.detect(*images), Heads.join(alone))


@pytest.mark.parametrize("size", [(1, 1), (1, 700), (33, 17), (719, 1279)])
def test_frames_of_odd_sizes_are_taken_and_boxes_stay_inside(kind, size):
    height, width = size
    heads = kind.detect(np.ascontiguousarray(np.resize(zidane(), (height, width, 3))))
    assert (heads.xyxy >= 0).all()
    assert (heads.xyxy <= [width, height, width, height]).all()


def test_the_exported_network_finds_the_boxes_of_the_trained_one(trained):
    torch, onnx = (
        YoloHead(path, image_px=160, min_score=0.05, device="cpu", threads=1)
        for path in (trained.weights, trained.onnx)
    )
    for image in (astronaut(), zidane(), zidane()[::2, ::2], bus()):
        (a,), (b,) = torch.find(image[None]), onnx.find(image[None])
        assert len(a) == len(b) > 0
        assert iou_matrix(a.xyxy, b.xyxy).max(axis=1).mean() >= 0.99
        np.testing.assert_allclose(a.score, b.score, atol=0.01)


def test_a_network_exported_for_one_size_and_batch_takes_any_picture_and_number(trained, tmp_path):
    copy = tmp_path / "fixed.pt"
    copy.write_bytes(trained.weights.read_bytes())
    yolo = import_ultralytics().YOLO
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yolo(str(copy)).export(format="onnx", imgsz=160, batch=2, simplify=False, device="cpu", verbose=False)
    fixed, free = (
        YoloHead(path, image_px=160, min_score=SURE, device="cpu", threads=1)
        for path in (tmp_path / "fixed.onnx", trained.onnx)
    )
    images = np.stack([zidane(), zidane()[:, ::-1], zidane()])
    for a, b in zip(fixed.find(images), free.find(images), strict=True):
        assert (
            iou_matrix(a.xyxy, b.xyxy).max(axis=1).mean() > 0.7
        )  # square against wide: other grey around it


def test_the_training_wrote_what_the_detector_was_made_of(trained):
    names = {path.name for path in trained.weights.parent.iterdir()}
    assert names == {"head.pt", "head.onnx", "training.json", "work"}
    data = Path(trained.weights).parents[1] / "data"
    assert {path.name for path in data.iterdir()} == {"images", "labels"}
    assert not [path for path in data.rglob("*") if path.suffix not in (".jpg", ".txt", "")]
