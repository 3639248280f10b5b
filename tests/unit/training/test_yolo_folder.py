from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import DatasetError
from headtrack.training.split import is_held_out, split_pictures
from headtrack.training.work_folder import lay_out
from headtrack.training.yolo_folder import read_yolo_folder


def write(folder: Path, labels: dict[str, str]) -> Path:
    for name, text in labels.items():
        image, label = folder / "images" / f"{name}.jpg", folder / "labels" / f"{name}.txt"
        for path in (image, label):
            path.parent.mkdir(parents=True, exist_ok=True)
        image.write_bytes(b"a picture")
        label.write_text(text)
    return folder


def test_boxes_come_in_pixels_of_the_picture(tmp_path):
    (picture,) = read_yolo_folder(write(tmp_path, {"a": "0 0.5 0.25 0.2 0.1\n\n"}))
    assert picture.name == "a"
    np.testing.assert_allclose(picture.boxes_px(200, 100), [[80, 20, 120, 30]])


def test_a_picture_without_heads_has_an_empty_file_and_no_boxes(tmp_path):
    (picture,) = read_yolo_folder(write(tmp_path, {"a": ""}))
    assert picture.boxes_px(200, 100).shape == (0, 4)


def test_folders_inside_are_read_alike_and_sorted(tmp_path):
    pictures = read_yolo_folder(write(tmp_path, {"val/b": "", "train/c": "", "a": ""}))
    assert [picture.name for picture in pictures] == ["a", "train/c", "val/b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 0.5 0.5 0.1 0.1\n1 0.5 0.5 0.1 0.1", r"a\.txt, line 2: class 1; there is one class"),
        ("0 0.5 0.5 0.1", r"line 1: expected 5 numbers .*, got 4"),
        ("head 0.5 0.5 0.1 0.1", "line 1: expected numbers"),
        ("0 0.5 0.5 0 0.1", "a width and a height above 0, got 0 and 0.1"),
        ("0 0.5 nan 0.1 0.1", "line 1: expected finite numbers"),
        ("0 0.99 0.5 0.1 0.1", "the box leaves the picture"),
        ("0 320 240 40 50", "the box leaves the picture; give shares"),
    ],
)
def test_a_malformed_line_is_named_with_what_is_expected(tmp_path, text, words):
    with pytest.raises(DatasetError, match=words):
        read_yolo_folder(write(tmp_path, {"a": text}))


def test_what_is_missing_is_told(tmp_path):
    with pytest.raises(DatasetError, match="no folder `images`"):
        read_yolo_folder(tmp_path)
    (tmp_path / "images").mkdir()
    with pytest.raises(DatasetError, match="no folder `labels`"):
        read_yolo_folder(tmp_path)
    (tmp_path / "labels").mkdir()
    with pytest.raises(DatasetError, match="holds no picture"):
        read_yolo_folder(tmp_path)
    (tmp_path / "images" / "a.png").write_bytes(b"")
    with pytest.raises(DatasetError, match=r"a\.txt is missing; add it, empty where"):
        read_yolo_folder(tmp_path)


def test_two_pictures_with_one_label_file_are_refused(tmp_path):
    write(tmp_path, {"a": ""})
    (tmp_path / "images" / "a.png").write_bytes(b"")
    with pytest.raises(DatasetError, match="would share one label file"):
        read_yolo_folder(tmp_path)


def test_the_same_fifth_is_held_out_whatever_else_is_there(tmp_path):
    pictures = read_yolo_folder(write(tmp_path, {f"p{i}": "" for i in range(500)}))
    split, fewer = split_pictures(pictures), split_pictures(pictures[::2])
    assert {p.name for p in split.train} | {p.name for p in split.held_out} == {p.name for p in pictures}
    assert 80 <= len(split.held_out) <= 120
    assert {p.name for p in fewer.held_out} <= {p.name for p in split.held_out}


def test_frames_of_one_camera_stay_in_the_training_part():
    assert any(is_held_out(f"camera1_{i}") for i in range(20))
    assert not any(is_held_out(f"camera1_{i}", ["other*", "camera1_*"]) for i in range(20))


def test_the_work_folder_links_pictures_copies_labels_and_leaves_the_data_alone(tmp_path):
    names = [f"p{i}" for i in range(20)] + ["deep/q"]
    data = write(tmp_path / "data's", {name: "0 0.5 0.5 0.1 0.1\n" for name in names})
    before = sorted(data.rglob("*"))
    split = split_pictures(read_yolo_folder(data))
    listing = lay_out(split, tmp_path / "work" / "data")
    assert listing == lay_out(split, tmp_path / "work" / "data")  # once more is the same
    images = [p for p in listing.parent.joinpath("images").rglob("*") if p.is_symlink()]
    labels = [p for p in listing.parent.joinpath("labels").rglob("*.txt") if not p.is_symlink()]
    assert len(images) == len(labels) == len(names)
    assert all(p.read_bytes() == b"a picture" for p in images)
    assert sorted(data.rglob("*")) == before
    assert "names: [head]" in listing.read_text()


def test_a_folder_that_is_none_is_told(tmp_path):
    file = tmp_path / "a.jpg"
    file.write_bytes(b"")
    for path, words in ((tmp_path / "nosuch", "does not exist"), (file, "is a file")):
        with pytest.raises(DatasetError, match=words):
            read_yolo_folder(path)
