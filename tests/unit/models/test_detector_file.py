from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from headtrack.errors import ModelError, SettingsError
from headtrack.models.detector_file import detector_file, with_absolute_detector
from headtrack.models.detectors import BUILT_IN, detector_ids, detector_models
from headtrack.models.registry import model_id
from headtrack.models.yolo_head import YoloHead, head_class
from headtrack.models.yolo_networks import read_engine_metadata
from headtrack.settings import DetectSettings, Settings, video_settings_hash


def with_detector(path: Path | str) -> Settings:
    return Settings(detect=DetectSettings(detector=str(path)))


def test_no_detector_means_the_built_in_networks():
    settings = DetectSettings()
    assert detector_file(settings) is None
    assert detector_models(settings) == BUILT_IN
    assert detector_ids(settings) == tuple(model_id(name) for name in BUILT_IN)


def test_a_file_is_named_by_its_content_and_adds_the_networks_it_needs(tmp_path):
    network, script = tmp_path / "head.onnx", tmp_path / "mine.py"
    network.write_bytes(b"weights")
    script.write_text("pass")
    prefix = hashlib.sha256(b"weights").hexdigest()[:12]
    built_in = tuple(model_id(name) for name in BUILT_IN)
    assert detector_ids(DetectSettings(detector=str(network))) == (f"head@{prefix}", *built_in)
    assert detector_models(DetectSettings(detector=str(script))) == ()
    assert len(detector_ids(DetectSettings(detector=str(script)))) == 1


def test_where_the_file_lies_does_not_change_what_was_found(tmp_path):
    assert video_settings_hash(with_detector(tmp_path / "a.pt")) == video_settings_hash(Settings())
    other = replace(Settings(), detect=DetectSettings(min_score=0.4))
    assert video_settings_hash(other) != video_settings_hash(Settings())


def test_workers_elsewhere_are_told_the_whole_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = with_absolute_detector(with_detector("head.pt"))
    assert settings.detect.detector == str(tmp_path / "head.pt")


@pytest.mark.parametrize("name", ["head.pth", "head", "head.pt.zip", "head.txt"])
def test_a_name_that_ends_otherwise_is_refused_with_what_is_taken(name):
    with pytest.raises(SettingsError, match=r"\.pt, \.onnx, \.engine.*\.py"):
        detector_file(DetectSettings(detector=name))


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(ModelError, match=r"no\.pt does not exist"):
        detector_file(DetectSettings(detector=str(tmp_path / "no.pt")))
    (tmp_path / "folder.onnx").mkdir()
    with pytest.raises(ModelError, match=r"folder\.onnx cannot be read: Is a directory"):
        detector_file(DetectSettings(detector=str(tmp_path / "folder.onnx")))


@pytest.mark.parametrize(
    ("names", "index"),
    [({0: "head"}, 0), ({0: "person", 1: "Heads"}, 1), ({0: "object"}, 0), ({3: "x"}, 3)],
)
def test_the_class_head_or_the_only_class_is_taken(names, index):
    assert head_class(names, Path("a.pt")) == index


@pytest.mark.parametrize(
    "names", [{0: "person"}, {0: "face"}, {0: "cat", 1: "dog"}, {0: "head", 1: "heads"}, {}]
)
def test_a_network_without_one_class_of_heads_is_refused_with_its_classes(names):
    with pytest.raises(ModelError, match=rf"its classes are {', '.join(names.values())}"):
        head_class(names, Path("a.pt"))


def write_onnx(path: Path, metadata: dict[str, str], *, channels: int = 3) -> Path:
    """Write a network that gives its input back: no detector, whatever it says of itself."""
    shape = ["batch", channels, "height", "width"]
    sides = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, shape) for n in ("images", "out")]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["images"], ["out"])], "same", sides[:1], sides[1:]
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.helper.set_model_props(model, metadata)
    onnx.save(model, str(path))
    return path


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({}, "does not say which classes it finds"),
        ({"names": "not a dict", "task": "detect"}, "does not say which classes it finds"),
        ({"names": "{0: 'person'}", "task": "pose"}, "model for pose, with the classes person"),
        ({"names": "{0: 'cat', 1: 'dog'}", "task": "detect"}, "its classes are cat, dog"),
        ({"names": "{0: 'head'}", "task": "detect", "head": "RTDETRDecoder"}, "is an RT-DETR"),
        ({"names": "{0: 'head'}", "task": "detect"}, "unlike a YOLO detector with the classes head"),
    ],
)
def test_an_onnx_file_that_is_no_detector_of_heads_is_refused(tmp_path, metadata, words):
    path = write_onnx(tmp_path / "some.onnx", metadata)
    with pytest.raises(ModelError, match=words):
        YoloHead(path, image_px=160, min_score=0.3, device="cpu", threads=1)


def write_answer(path: Path, answer: np.ndarray) -> Path:
    """Write a network with the classes person and head that gives one answer to every picture."""
    images = onnx.helper.make_tensor_value_info("images", onnx.TensorProto.FLOAT, ["batch", 3, "h", "w"])
    out = onnx.helper.make_tensor_value_info("out", onnx.TensorProto.FLOAT, answer.shape)
    value = onnx.numpy_helper.from_array(answer.astype(np.float32))
    node = onnx.helper.make_node("Constant", [], ["out"], value=value)
    graph = onnx.helper.make_graph([node], "answer", [images], [out])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.helper.set_model_props(model, {"names": "{0: 'person', 1: 'head'}", "task": "detect"})
    onnx.save(model, str(path))
    return path


# A picture of 320 x 160 px is seen at half its size, 160 x 80, on grey of 160 x 96.
HEAD, DOUBLE, PERSON, OUTSIDE = [40, 28, 80, 68], [41, 28, 81, 68], [10, 10, 30, 90], [150, 80, 170, 96]
IN_PICTURE = [[80, 40, 160, 120], [300, 144, 320, 160]]


def test_heads_are_given_once_and_in_pixels_of_the_picture(tmp_path):
    rows = [[*HEAD, 0.2, 0.9], [*DOUBLE, 0.1, 0.8], [*PERSON, 0.95, 0.1], [*OUTSIDE, 0.0, 0.4]]
    answer = np.array(rows, float)
    answer[:, :4] = np.concatenate(
        [(answer[:, :2] + answer[:, 2:4]) / 2, answer[:, 2:4] - answer[:, :2]], axis=1
    )
    assert_heads(write_answer(tmp_path / "grid.onnx", answer.T[None]), [0.9, 0.4])


def test_networks_that_suppress_doubles_themselves_are_read_as_well(tmp_path):
    rows = [[*PERSON, 0.95, 0], [*HEAD, 0.9, 1], [*OUTSIDE, 0.4, 1], [0, 0, 0, 0, 0, 1]]
    assert_heads(write_answer(tmp_path / "end_to_end.onnx", np.array(rows, float)[None]), [0.9, 0.4])


def assert_heads(path: Path, score: list[float]) -> None:
    head = YoloHead(path, image_px=160, min_score=0.3, device="cpu", threads=1)
    for boxes in head.find(np.zeros((2, 160, 320, 3), np.uint8)):
        np.testing.assert_allclose(boxes.xyxy, IN_PICTURE, atol=1e-4)
        np.testing.assert_allclose(boxes.score, score, atol=1e-6)


def test_a_network_that_cannot_be_run_is_named(tmp_path):
    path = write_onnx(tmp_path / "odd.onnx", {"names": "{0: 'head'}", "task": "detect"}, channels=4)
    with pytest.raises(ModelError, match=r"odd\.onnx cannot be run"):
        YoloHead(path, image_px=160, min_score=0.3, device="cpu", threads=1)


@pytest.mark.parametrize("name", ["broken.pt", "broken.onnx"])
def test_a_broken_file_is_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"not a network")
    with pytest.raises(ModelError, match=rf"{name} cannot be loaded"):
        YoloHead(tmp_path / name, image_px=160, min_score=0.3, device="cpu", threads=1)


def test_an_engine_without_a_gpu_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "head.engine").write_bytes(b"engine")
    with pytest.raises(ModelError, match=r"head\.engine needs an NVIDIA GPU.*take the \.pt or \.onnx"):
        YoloHead(tmp_path / "head.engine", image_px=160, min_score=0.3, device="cpu", threads=1)


def test_the_words_before_an_engine_are_read_without_tensorrt(tmp_path):
    words = json.dumps({"names": {"0": "head"}, "task": "detect", "imgsz": [640, 640]}).encode()
    path = tmp_path / "head.engine"
    path.write_bytes(len(words).to_bytes(4, "little") + words + b"\x00engine")
    assert read_engine_metadata(path)["names"] == {"0": "head"}
    path.write_bytes(b"ptrt\x00\x00\x00\x00")
    with pytest.raises(ModelError, match="no engine that ultralytics made"):
        read_engine_metadata(path)
