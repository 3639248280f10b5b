from __future__ import annotations

from pathlib import Path

import pytest

from headtrack.errors import DatasetError
from headtrack.evaluation.mot_format import read_mot


def test_boxes_become_corners_and_frames_count_from_zero(tmp_path: Path):
    file = tmp_path / "gt.txt"
    file.write_text("1,7,10,20,30.5,40,1,-1,-1,-1\n\n3,8,0,0,1,1\n")
    boxes = read_mot(file)
    assert (boxes.frame.tolist(), boxes.track.tolist()) == ([0, 2], [7, 8])
    assert boxes.xyxy.tolist() == [[10, 20, 40.5, 60], [0, 0, 1, 1]]


def test_an_empty_file_holds_no_boxes(tmp_path: Path):
    (tmp_path / "gt.txt").write_text("")
    assert len(read_mot(tmp_path / "gt.txt")) == 0


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1,1,a,2,3,4", "expected numbers with commas"),
        ("1,1,2,3", "expected frame,id,left,top,width,height"),
        ("0,1,2,3,4,5", r"frame \(from 1\) and id must be whole"),
        ("1,1.5,2,3,4,5", r"frame \(from 1\) and id must be whole"),
        ("nan,1,2,3,4,5", r"frame \(from 1\) and id must be whole"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, problem: str):
    (tmp_path / "gt.txt").write_text(f"1,1,2,3,4,5\n{line}\n")
    with pytest.raises(DatasetError, match=rf"gt\.txt, line 2: {problem}"):
        read_mot(tmp_path / "gt.txt")


def test_two_boxes_of_one_id_in_one_frame_are_refused(tmp_path: Path):
    (tmp_path / "gt.txt").write_text("1,1,2,3,4,5\n1,1,3,3,4,5\n")
    with pytest.raises(DatasetError, match="track 1 has 2 boxes in frame 0"):
        read_mot(tmp_path / "gt.txt")


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(DatasetError, match=r"none\.txt cannot be read as MOT text"):
        read_mot(tmp_path / "none.txt")
