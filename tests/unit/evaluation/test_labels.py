from __future__ import annotations

from pathlib import Path

import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.labels import Labels, read_labels

HEADER = "clip,frame,person,x1,y1,x2,y2,view,appearance,ignore\n"


def test_heads_ignore_regions_and_empty_frames_are_told_apart(labels: Labels):
    a = labels.heads["a.mp4"]
    assert a.person.tolist() == ["P1", "P2", "P1"]
    assert a.ignore_xyxy.tolist() == [[100, 0, 200, 90]]
    assert a.labelled_frame.tolist() == [0, 10, 20]


def test_a_cut_is_the_first_frame_of_every_shot_but_the_first(labels: Labels):
    assert labels.cuts["a.mp4"].cut.tolist() == [10]
    assert labels.cuts["b.mp4"].cut.tolist() == []


def test_every_labelled_file_is_listed_once(labels: Labels):
    assert labels.media == ["clips/a.mp4", "clips/b.mp4", "stills/one.png", "stills/two.png"]


def test_people_over_media_need_not_be_labelled(data_dir: Path):
    (data_dir / "labels/cross_media.csv").unlink()
    assert read_labels(data_dir).sightings == ()


def test_scenes_of_slides_are_shots_and_their_other_stills_are_none(data_dir: Path):
    (data_dir / "clips/spy_slides.mp4").touch()
    (data_dir / "labels/spy_stills.csv").write_text(
        "image,scene,still,persons,note\nx,1,1,NONE,\nx,1,2,P1,\nx,2,1,P1,\nx,2,2,P1,\nx,3,1,P1,\n"
    )
    slides = read_labels(data_dir).cuts["spy_slides.mp4"]
    assert slides.cut.tolist() == [24, 48]
    assert slides.still_change.tolist() == [12, 36]


@pytest.mark.parametrize("name", ["heads.csv", "shots.csv"])
def test_a_missing_label_file_is_named_with_what_it_should_hold(data_dir: Path, name: str):
    (data_dir / "labels" / name).unlink()
    with pytest.raises(DatasetError, match=rf"{name} is missing; a label file with the columns clip,"):
        read_labels(data_dir)


def test_a_folder_without_labels_is_refused(tmp_path: Path):
    with pytest.raises(DatasetError, match="has no folder `labels`; give --data"):
        read_labels(tmp_path)


def test_a_labelled_clip_that_is_not_there_is_named(data_dir: Path):
    (data_dir / "clips/b.mp4").unlink()
    with pytest.raises(DatasetError, match=r"b\.mp4 is missing, but .*labels has labels for it"):
        read_labels(data_dir)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a.mp4,x,P1,1,1,2,2,front,,0", "frame must be a whole number from 0, got 'x'"),
        ("a.mp4,-1,P1,1,1,2,2,front,,0", "frame must be a whole number from 0, got '-1'"),
        ("a.mp4,1,P1,1,1,wide,2,front,,0", "x2 must be a number, got 'wide'"),
        ("a.mp4,1,P1,5,1,2,2,front,,0", "x1 < x2 and y1 < y2, got 5,1,2,2"),
        ("a.mp4,1,P1,1,1,nan,2,front,,0", "x2 must be a finite number, got 'nan'"),
        ("a.mp4,1,P1,1,1,2,2,behind,,0", "view must be one of front, .*; got 'behind'"),
        ("a.mp4,1,P1,1,1,2,2,front,,yes", "ignore must be one of 0, 1; got 'yes'"),
        ("a.mp4,1,,1,1,2,2,front,,0", "person is empty"),
        ("a.mp4,1,NONE,0,0,0,0,,,0", "its ignore must be 1"),
        ("a.mp4,1,P1,1,1,2,2,front", "expected 10 values"),
        ("a.mp4,1,P1,1,1,2,2,front,,0,7", "expected 10 values"),
        ("a.mp4,0,P1,1,1,2,2,front,,0", "P1 is labelled twice in frame 0 of a.mp4"),
    ],
)
def test_a_malformed_head_is_named_by_file_and_line(data_dir: Path, row: str, problem: str):
    (data_dir / "labels/heads.csv").write_text(f"{HEADER}a.mp4,0,P1,1,1,2,2,front,,0\n{row}\n")
    with pytest.raises(DatasetError, match=rf"heads\.csv, line 3: .*{problem}"):
        read_labels(data_dir)


@pytest.mark.parametrize("row", ["a.mp4,2,12,20", "a.mp4,2,10,9", "b.mp4,1,3,20"])
def test_shots_with_a_gap_or_an_overlap_are_named_by_line(data_dir: Path, row: str):
    (data_dir / "labels/shots.csv").write_text(f"clip,shot,first_frame,last_frame\na.mp4,1,0,9\n{row}\n")
    with pytest.raises(DatasetError, match=r"shots\.csv, line 3: shots of .* must follow one another"):
        read_labels(data_dir)


def test_a_lacking_column_is_named(data_dir: Path):
    (data_dir / "labels/shots.csv").write_text("clip,shot,first\na.mp4,1,0\n")
    with pytest.raises(DatasetError, match="line 1: no column first_frame, last_frame"):
        read_labels(data_dir)


def test_a_file_that_is_no_text_is_refused(data_dir: Path):
    (data_dir / "labels/heads.csv").write_bytes(b"\xff\xfe\x00clip")
    with pytest.raises(DatasetError, match=r"heads\.csv cannot be read as UTF-8 CSV"):
        read_labels(data_dir)


def test_a_header_alone_means_no_labels(data_dir: Path):
    (data_dir / "labels/heads.csv").write_text(HEADER)
    assert read_labels(data_dir).heads == {}
