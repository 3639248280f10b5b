from __future__ import annotations

import hashlib
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.video.decode import decode
from headtrack.video.probe import probe
from headtrack.video.still import read_still

SETTINGS = DecodeSettings()


def half_red(height: int = 8, width: int = 12) -> np.ndarray:
    """Red (RGB) above, black below."""
    rgb = np.zeros((height, width, 3), np.uint8)
    rgb[: height // 2, :, 0] = 255
    return rgb


def written(path: Path, pixels: np.ndarray) -> Path:
    assert cv2.imwrite(str(path), pixels)
    return path


def with_exif_orientation(jpeg: bytes, orientation: int) -> bytes:
    tiff = b"MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01" + bytes(
        [0, orientation, 0, 0]
    )
    body = b"Exif\x00\x00" + tiff + b"\x00\x00\x00\x00"
    return jpeg[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + jpeg[2:]


@pytest.mark.parametrize("suffix", ["png", "bmp", "webp", "jpg", "jpeg", "tiff"])
def test_each_kind_of_image_is_read_as_rgb(tmp_path: Path, suffix: str) -> None:
    rgb = read_still(written(tmp_path / f"x.{suffix}", half_red(32, 32)[..., ::-1]))
    assert rgb.shape == (32, 32, 3)
    assert rgb[4, 4, 0] > 230
    assert rgb[4, 4, 1:].max() < 40


def test_the_orientation_of_exif_is_applied(tmp_path: Path) -> None:
    plain = written(tmp_path / "plain.jpg", half_red(32, 48)[..., ::-1])
    path = tmp_path / "turned.jpg"
    path.write_bytes(with_exif_orientation(plain.read_bytes(), 6))  # to be turned clockwise
    rgb = read_still(path)
    assert rgb.shape == (48, 32, 3)
    assert rgb[24, 28, 0] > 200 > 60 > rgb[24, 4, 0]  # what was above is now right


def test_grey_and_16_bit_images_become_8_bit_rgb(tmp_path: Path) -> None:
    grey = read_still(written(tmp_path / "grey.png", np.full((4, 4), 77, np.uint8)))
    deep = read_still(written(tmp_path / "deep.png", np.full((4, 4, 3), 77 * 256, np.uint16)))
    assert np.unique(grey).tolist() == np.unique(deep).tolist() == [77]
    assert grey.shape == deep.shape == (4, 4, 3)


@pytest.mark.parametrize(("dtype", "full"), [(np.uint8, 255), (np.uint16, 65535)])
def test_transparent_parts_are_laid_over_grey(tmp_path: Path, dtype: type, full: int) -> None:
    bgra = np.zeros((2, 2, 4), dtype)
    bgra[0] = (0, 0, full, full)
    rgb = read_still(written(tmp_path / "x.png", bgra))
    assert rgb[0, 0].tolist() == [255, 0, 0]
    assert rgb[1, 0].tolist() == [128, 128, 128]


def test_a_still_is_a_video_of_one_frame(tmp_path: Path) -> None:
    path = written(tmp_path / "x.png", half_red())
    video = probe(path, SETTINGS)
    batches = list(decode(video, SETTINGS))
    assert (video.frame_count, video.width, video.height, video.duration_s) == (1, 12, 8, 0.0)
    assert video.video_id == hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    assert [(b.frame.tolist(), b.time_s.tolist(), b.rgb.shape) for b in batches] == [
        ([0], [0.0], (1, 8, 12, 3))
    ]


def test_an_animated_gif_is_a_video(tmp_path: Path) -> None:
    path = tmp_path / "x.gif"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("gif", rate=10)
        stream.width, stream.height, stream.pix_fmt = 16, 16, "rgb8"
        for level in (0, 120, 240):
            frame = av.VideoFrame.from_ndarray(np.full((16, 16, 3), level, np.uint8), format="rgb24")
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    video = probe(path, SETTINGS)
    frames = np.concatenate([b.rgb for b in decode(video, SETTINGS)])
    assert video.decoder == "pyav"
    assert len(frames) == 3
    assert np.all(np.diff(frames[:, 8, 8, 0].astype(int)) > 60)


def test_a_broken_image_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "broken.jpg"
    path.write_bytes(b"\xff\xd8\xff nothing more")
    with pytest.raises(VideoError, match=r"broken\.jpg"):
        probe(path, SETTINGS)
