from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.video.decode import decode
from headtrack.video.probe import probe
from headtrack.video.pyav_decoder import _Clock

SETTINGS = DecodeSettings()


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match=r"gone\.mp4 does not exist"):
        probe(tmp_path / "gone.mp4", SETTINGS)


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").touch()
    with pytest.raises(VideoError, match="empty"):
        probe(tmp_path / "x.mp4", SETTINGS)


def test_a_folder_is_called_a_folder(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="is a folder"):
        probe(tmp_path, SETTINGS)


def test_a_text_file_is_no_video(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_text("hello")
    with pytest.raises(VideoError, match="not a video"):
        probe(tmp_path / "x.mp4", SETTINGS)


def test_a_new_video_is_probed_and_decoded_right(tmp_path: Path) -> None:
    path = tmp_path / "a 'quoted\"; näme.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for level in range(0, 250, 10):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), level, np.uint8), format="rgb24")
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    video = probe(path, SETTINGS)
    batches = [(b.rgb.mean((1, 2, 3)), b.time_s) for b in decode(video, SETTINGS)]
    levels = np.concatenate([level for level, _ in batches])
    assert (video.width, video.height, video.frame_count, video.fps) == (64, 48, 25, 25.0)
    assert video.duration_s == pytest.approx(1.0)
    assert np.abs(levels - np.arange(0, 250, 10)).max() < 6
    np.testing.assert_allclose(np.concatenate([time_s for _, time_s in batches]), np.arange(25) / 25)


def test_times_start_at_zero_and_rise_where_pts_are_missing_or_repeat() -> None:
    clock = _Clock(Fraction(1, 100), fps=25.0)
    got = [clock.read(pts) for pts in (None, 500, 504, 504, None, 516)]
    np.testing.assert_allclose(got, [0.0, 0.04, 0.08, 0.12, 0.16, 0.20])
