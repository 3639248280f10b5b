"""What every decoder must do, on every readable file of the shared odd and usual clips."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from headtrack.errors import VideoError
from headtrack.protocols import Decoder
from headtrack.settings import DecodeSettings
from headtrack.video.decode import decode
from headtrack.video.decoders import DECODERS
from headtrack.video.decord_decoder import DecordDecoder
from headtrack.video.probe import probe
from headtrack.video.pyav_decoder import PyAvDecoder
from tests.contract.decoding import difference, drained, plainly_decoded

DATA = Path(os.environ.get("HEADTRACK_DATA", Path(__file__).parents[3] / "shared" / "data"))
pytestmark = pytest.mark.skipif(not (DATA / "odd").is_dir(), reason=f"no clips in {DATA}; set HEADTRACK_DATA")

SETTINGS = DecodeSettings()
UNREADABLE = ("audio_only.m4a", "random.mp4", "stage_truncated.mp4", "text.mp4", "zero.mp4")
# With the number of frames before the damage.
DAMAGED = {"decord_corrupted.mp4": 28, "stage_truncated.mkv": 160, "stage_truncated_faststart.mp4": 182}
LONG = ("corridor.mp4", "plaza.avi", "spy_slides.mp4")
# Files that decord reads like PyAV when one frame follows the other; on VP9 it stops halfway.
DECORD_FILES = (
    "delayed_start.mp4", "no_people.mp4", "one frame 'quoted\"; name.mp4", "ship.mp4", "silent.mp4",
    "stage.mp4", "stage_editlist.mp4", "stage_hevc.mp4",
)  # fmt: skip


def readable() -> list[Path]:
    folders = [DATA / "odd", DATA / "clips"]
    files = [p for folder in folders if folder.is_dir() for p in sorted(folder.iterdir())]
    return [p for p in files if p.name not in (*UNREADABLE, *LONG)]


@pytest.mark.parametrize("path", readable(), ids=lambda p: p.name)
def test_the_chosen_decoder_gives_what_plain_pyav_gives(path: Path) -> None:
    video = probe(path, SETTINGS)
    got = drained(decode(video, SETTINGS))
    assert difference(got, plainly_decoded(path), whole=DAMAGED.get(path.name)) == ""
    assert got.shape == (video.height, video.width, 3)
    assert bool(got.error) == (path.name in DAMAGED)
    if path.name not in DAMAGED:
        assert video.frame_count == len(got.frame)


@pytest.mark.parametrize("name", ["pyav", "pyav-unthreaded"])
@pytest.mark.parametrize("path", readable(), ids=lambda p: p.name)
def test_pyav_gives_what_plain_pyav_gives(path: Path, name: str) -> None:
    video = probe(path, DecodeSettings(backend="pyav"))
    assert video.decoder == "pyav"
    got = drained(DECODERS[name].batches(video, batch_frames=7))
    assert difference(got, plainly_decoded(path), whole=DAMAGED.get(path.name)) == ""


@pytest.mark.parametrize("path", readable(), ids=lambda p: p.name)
def test_decord_gives_what_plain_pyav_gives_or_is_not_taken(path: Path) -> None:
    video = probe(path, DecodeSettings(backend="decord"))
    assert video.decoder == "decord"
    got = drained(DecordDecoder().batches(video, batch_frames=16))
    wrong = difference(got, plainly_decoded(path))
    assert not (wrong and path.name in DECORD_FILES), wrong
    assert not wrong or got.error or probe(path, SETTINGS).decoder == "pyav", wrong


@pytest.mark.heavy
@pytest.mark.parametrize("name", LONG)
def test_long_clips_are_decoded_whole(name: str) -> None:
    path = DATA / "clips" / name
    assert difference(drained(decode(probe(path, SETTINGS), SETTINGS)), plainly_decoded(path)) == ""


@pytest.mark.parametrize(
    ("name", "decoder"),
    [
        ("clips/ship.mp4", "decord"),
        ("clips/silent.mp4", "decord"),
        ("clips/corridor.mp4", "pyav"),  # decord would keep all of it in memory
        ("clips/plaza.avi", "pyav"),
        ("odd/stage_av1.mp4", "pyav"),
        ("odd/stage_vp9.webm", "pyav"),
        ("odd/stage_hevc10.mkv", "pyav"),
        ("odd/stage_interlaced.mp4", "pyav"),
        ("odd/stage_editlist.mp4", "pyav"),
        ("odd/spy_vfr_drop.mp4", "pyav"),
        ("odd/rotated_phone.mp4", "pyav"),
        ("odd/stage_truncated.mkv", "pyav"),
        ("odd/stage_truncated_faststart.mp4", "pyav"),
    ],
)
def test_decord_is_taken_only_for_plain_files(name: str, decoder: str) -> None:
    video = probe(DATA / name, SETTINGS)
    assert (video.decoder, bool(video.decoder_reason)) == (decoder, True)


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(VideoError, match=name):
        probe(DATA / "odd" / name, SETTINGS)


def test_a_phone_video_is_turned_as_its_file_says() -> None:
    video = probe(DATA / "odd" / "rotated_phone.mp4", SETTINGS)
    assert (video.width, video.height, video.rotation_deg) == (544, 1280, 90)
    reader = DECODERS["decord"].batches(video, batch_frames=1)  # decord turns by itself
    ours = next(iter(PyAvDecoder().batches(video, batch_frames=1)))
    np.testing.assert_array_equal(ours.rgb, next(iter(reader)).rgb)


def test_the_pixel_aspect_is_recorded_and_not_applied() -> None:
    video = probe(DATA / "clips" / "ship.mp4", SETTINGS)
    assert (video.width, video.sample_aspect) == (426, Fraction(640, 639))


def test_pyav_goes_on_where_decord_stops() -> None:
    path = DATA / "odd" / "stage_vp9.webm"
    video = replace(probe(path, SETTINGS), decoder="decord")
    assert difference(drained(decode(video, SETTINGS)), plainly_decoded(path)) == ""


def test_forced_decord_is_not_helped_out() -> None:
    video = probe(DATA / "odd" / "decord_corrupted.mp4", DecodeSettings(backend="decord"))
    got = drained(decode(video, DecodeSettings(backend="decord")))
    assert "decord stopped" in got.error
    assert len(got.frame) < 49


def test_a_damaged_packet_costs_one_frame_and_is_told() -> None:
    got = drained(decode(probe(DATA / "odd" / "decord_corrupted.mp4", SETTINGS), SETTINGS))
    assert len(got.frame) == 49
    assert "1 damaged packet" in got.error


@pytest.mark.parametrize("name", ["stage_truncated.mkv", "stage_truncated_faststart.mp4"])
def test_a_truncated_file_gives_its_frames_and_then_an_error(name: str) -> None:
    got = drained(decode(probe(DATA / "odd" / name, SETTINGS), SETTINGS))
    assert len(got.frame) > 150
    assert "truncated" in got.error


@pytest.mark.parametrize("decoder", [DecordDecoder(), PyAvDecoder()], ids=["decord", "pyav"])
def test_a_file_that_vanished_after_the_probe_is_an_error(decoder: Decoder) -> None:
    video = replace(probe(DATA / "odd" / "no_people.mp4", SETTINGS), path="/gone.mp4")
    with pytest.raises(VideoError, match="gone"):
        next(iter(decoder.batches(video, batch_frames=4)))


def test_frames_do_not_depend_on_the_batch_size() -> None:
    video = probe(DATA / "odd" / "no_people.mp4", SETTINGS)
    one, many = (drained(decode(video, DecodeSettings(batch_frames=n))) for n in (1, 32))
    assert difference(one, many) == ""
