"""A tiny labelled archive: two clips, two stills, and arrays of what a run might have found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headtrack.evaluation.labels import HeadLabels, Labels, read_labels
from headtrack.evaluation.predictions import Found, FoundHeads

HEADS = """clip,frame,person,x1,y1,x2,y2,view,appearance,ignore
a.mp4,0,P1,10,10,30,30,front,,0
a.mp4,0,P2,60,10,80,30,rear,,0
a.mp4,10,P1,12,10,32,30,front,,0
a.mp4,10,IGN,100,0,200,90,,,1
a.mp4,20,NONE,0,0,0,0,,,1
b.mp4,5,P1,10,10,30,30,rear,,0
b.mp4,7,P1,10,10,30,30,profile,,0
"""
SHOTS = """clip,shot,first_frame,last_frame
a.mp4,1,0,9
a.mp4,2,10,29
b.mp4,1,0,9
"""
CROSS_MEDIA = """identity,media,person_in_media
H1,clips/a.mp4,P1
H1,stills/one.png,only
H2,clips/b.mp4,P1
H2,stills/two.png,only
"""


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Give the folder; the media are empty, since nothing here decodes them."""
    for media in ("clips/a.mp4", "clips/b.mp4", "stills/one.png", "stills/two.png"):
        (tmp_path / media).parent.mkdir(exist_ok=True)
        (tmp_path / media).touch()
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/heads.csv").write_text(HEADS)
    (tmp_path / "labels/shots.csv").write_text(SHOTS)
    (tmp_path / "labels/cross_media.csv").write_text(CROSS_MEDIA)
    return tmp_path


@pytest.fixture
def labels(data_dir: Path) -> Labels:
    return read_labels(data_dir)


def found_heads(*rows: tuple) -> FoundHeads:
    """Make finds of (frame, x1, y1, x2, y2, view, track, person) and, if need be, appearance, tracklet."""
    return FoundHeads(
        frame=np.array([r[0] for r in rows], int),
        xyxy=np.array([r[1:5] for r in rows], float).reshape(-1, 4),
        score=np.ones(len(rows)),
        view=np.array([r[5] for r in rows], str),
        track=np.array([r[6] for r in rows], int),
        person=np.array([r[7] for r in rows], str),
        appearance=np.array([r[8] if len(r) > 8 else "" for r in rows], str),
        tracklet=np.array([r[9] if len(r) > 9 else r[6] for r in rows], int),
    )


@pytest.fixture
def make_found():
    return found_heads


@pytest.fixture
def make_labels():
    """Make labels of (frame, x1, y1, x2, y2, person, view), without regions to ignore."""

    def make(*rows: tuple) -> HeadLabels:
        return HeadLabels(
            frame=np.array([r[0] for r in rows], int),
            xyxy=np.array([r[1:5] for r in rows], float).reshape(-1, 4),
            person=np.array([r[5] for r in rows], str),
            view=np.array([r[6] for r in rows], str),
            ignore_frame=np.zeros(0, int),
            ignore_xyxy=np.zeros((0, 4)),
            labelled_frame=np.unique([r[0] for r in rows]),
        )

    return make


@pytest.fixture
def perfect() -> dict[str, Found]:
    """Give what a run without a mistake finds, with heads in unlabelled frames and ignored regions."""
    a = found_heads(
        (0, 10, 10, 30, 30, "front", 0, "p1"),
        (0, 60, 10, 80, 30, "rear", 1, "p2"),
        (9, 12, 10, 32, 30, "front", 0, "p1"),
        (10, 12, 10, 32, 30, "front", 0, "p1"),
        (10, 120, 10, 140, 30, "front", 2, "p9"),
    )
    b = found_heads((5, 10, 10, 30, 30, "rear", 0, "p3"), (7, 10, 10, 30, 30, "profile", 0, "p3"))
    none = np.zeros(0, int)
    return {
        "clips/a.mp4": Found(a, np.array([10])),
        "clips/b.mp4": Found(b, none),
        "stills/one.png": Found(
            found_heads((0, 0, 0, 90, 90, "front", 0, "p1"), (0, 95, 0, 99, 5, "front", 1, "p8")), none
        ),
        "stills/two.png": Found(found_heads((0, 5, 5, 90, 90, "front", 0, "p3")), none),
    }
