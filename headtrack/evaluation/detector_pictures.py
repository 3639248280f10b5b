"""Labelled pictures one after another, from a YOLO folder or from the labelled frames of clips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headtrack.errors import DatasetError, VideoError
from headtrack.evaluation.labels import HeadLabels, Labels, clip_media
from headtrack.settings import DecodeSettings
from headtrack.types.arrays import as_array
from headtrack.types.pictures import LabelledPicture
from headtrack.video.decode import decode
from headtrack.video.probe import probe
from headtrack.video.still import read_still


@dataclass(frozen=True, slots=True)
class TruePicture:
    """One picture with its labelled heads.

    Attributes:
        rgb: (H, W, 3) uint8.
        xyxy: (N, 4) float64 px of each head.
        view: (N,) str; empty where not labelled.
        ignore: (I, 4) float64 px, regions that are not scored.
    """

    rgb: npt.NDArray[np.uint8]
    xyxy: npt.NDArray[np.float64]
    view: npt.NDArray[np.str_]
    ignore: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = len(self.xyxy)
        for name, dtype, shape in (
            ("rgb", np.uint8, (None, None, 3)),
            ("xyxy", np.float64, (n, 4)),
            ("view", np.str_, (n,)),
            ("ignore", np.float64, (None, 4)),
        ):
            object.__setattr__(self, name, as_array(name, getattr(self, name), dtype, shape))


def labelled_pictures(pictures: Iterable[LabelledPicture]) -> Iterator[TruePicture]:
    """Read the pictures of a YOLO folder, whose labels say nothing of views.

    Raises:
        DatasetError: a picture cannot be read.
    """
    for picture in pictures:
        try:
            rgb = read_still(picture.path)
        except VideoError as error:
            raise DatasetError(str(error)) from error
        boxes = picture.boxes_px(rgb.shape[1], rgb.shape[0])
        yield TruePicture(rgb, boxes, np.zeros(len(boxes), np.str_), np.zeros((0, 4)))


def labelled_frames(data_dir: Path, labels: Labels) -> Iterator[TruePicture]:
    """Decode the clips of a data folder and give their labelled frames.

    Raises:
        VideoError: a clip cannot be decoded up to its last labelled frame.
    """
    for clip, heads in labels.heads.items():
        video = probe(data_dir / clip_media(clip), DecodeSettings())
        wanted = set(heads.labelled_frame.tolist())
        with closing(decode(video, DecodeSettings())) as batches:
            for batch in batches:
                for frame, rgb in zip(batch.frame.tolist(), batch.rgb, strict=True):
                    if frame in wanted:
                        wanted.remove(frame)
                        yield _true_frame(heads, frame, rgb)
                if not wanted:
                    break
        if wanted:
            raise DatasetError(
                f"{video.path} has no frame {min(wanted)}, but heads.csv has labels for it; correct them"
            )


def _true_frame(heads: HeadLabels, frame: int, rgb: npt.NDArray[np.uint8]) -> TruePicture:
    here = heads.frame == frame
    return TruePicture(
        rgb, heads.xyxy[here], heads.view[here], heads.ignore_xyxy[heads.ignore_frame == frame]
    )
