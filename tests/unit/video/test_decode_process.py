"""Decoders that hang or crash, and what a decoding process leaves behind: nothing."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import psutil
import pytest

from headtrack.errors import VideoError
from headtrack.settings import DecodeSettings
from headtrack.types import Video
from headtrack.video import decode_process
from headtrack.video.decode import decode, probe_watched
from headtrack.video.decode_process import DecodeProcess, DecoderLostError, end_idle_processes
from headtrack.video.decode_worker import Question
from headtrack.video.probe import probe

FRAMES = 400
SETTINGS = DecodeSettings(batch_frames=4, stall_s=1.0)


@pytest.fixture(autouse=True)
def _no_process_before_or_after() -> Iterator[None]:
    end_idle_processes()
    yield
    end_idle_processes()
    assert decoders() == []


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clip") / "x.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(FRAMES):
            picture = np.full((48, 64, 3), number % 250, np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode())
    return path


def video(clip: Path, decoder: str) -> Video:
    return replace(probe(clip, SETTINGS), decoder=decoder, decoder_reason="the test says so")


def decoders() -> list[psutil.Process]:
    alive = [p for p in psutil.Process().children() if p.status() != psutil.STATUS_ZOMBIE]
    return [p for p in alive if any("decode_worker" in word for word in p.cmdline())]


def levels(clip: Path) -> list[float]:
    with closing(decode(video(clip, "pyav"), SETTINGS)) as batches:
        return [level for batch in batches for level in batch.rgb.mean((1, 2, 3)).tolist()]


def struck(clip: Path, decoder: str, blow: int, settings: DecodeSettings, *, times: int = 1) -> tuple:
    """Decode; send a signal to the process at the third batch, and to `times` - 1 of those that follow."""
    seen: list[float] = []
    frames: list[int] = []
    told: list[str] = []
    struck_pids: set[int] = set()
    error = ""
    try:
        with closing(decode(video(clip, decoder), settings, on_switch=told.append)) as batches:
            for batch in batches:
                seen += batch.rgb.mean((1, 2, 3)).tolist()
                frames += batch.frame.tolist()
                for process in decoders() if len(frames) >= 12 and len(struck_pids) < times else []:
                    if process.pid not in struck_pids:
                        struck_pids.add(process.pid)
                        process.send_signal(blow)
    except VideoError as broken:
        error = str(broken)
    assert frames == list(range(len(frames)))
    return seen, told, error


def gone(process: psutil.Process, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(("decoder", "second"), [("decord", "pyav"), ("pyav", "pyav-unthreaded")])
@pytest.mark.parametrize(
    ("blow", "word"), [(signal.SIGSTOP, "killed as hung"), (signal.SIGSEGV, "signal 11, SIGSEGV")]
)
def test_where_a_decoder_hangs_or_crashes_the_second_goes_on_from_the_next_frame(
    clip: Path, decoder: str, second: str, blow: int, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen, told, error = struck(clip, decoder, blow, SETTINGS)
    assert error == ""
    assert np.abs(np.array(seen) - levels(clip)).max() <= 1
    assert told == [f"{second} went on where {decoder} hung or crashed"]
    assert word in caplog.text


@pytest.mark.parametrize(("blow", "word"), [(signal.SIGSTOP, "decode.stall_s"), (signal.SIGSEGV, "crashed")])
def test_where_the_second_fails_too_the_frames_before_stay(clip: Path, blow: int, word: str) -> None:
    started = time.monotonic()
    seen, told, error = struck(clip, "decord", blow, SETTINGS, times=2)
    assert word in error
    assert len(told) == 1
    assert 12 <= len(seen) < FRAMES
    assert time.monotonic() - started < 20


def test_a_decoder_that_the_settings_force_is_not_helped_out(clip: Path) -> None:
    seen, told, error = struck(clip, "decord", signal.SIGKILL, replace(SETTINGS, backend="decord"))
    assert "decord crashed after frame" in error
    assert "signal 9, SIGKILL" in error
    assert told == []
    assert 12 <= len(seen) < FRAMES


def test_one_process_serves_many_inputs(clip: Path) -> None:
    pids = set()
    for _ in range(20):
        for _ in decode(video(clip, "pyav"), SETTINGS):
            pids |= {p.pid for p in decoders()}
    assert len(pids) == 1


def test_a_video_that_cannot_be_decoded_does_not_cost_the_process(clip: Path) -> None:
    levels(clip)
    (before,) = decoders()
    for decoder in ("pyav", "decord"):
        with pytest.raises(VideoError, match=r"gone\.mp4"):
            list(decode(replace(video(clip, decoder), path="/gone.mp4"), SETTINGS))
    assert len(levels(clip)) == FRAMES
    assert decoders() == [before]


def test_a_process_that_died_while_idle_is_replaced(clip: Path) -> None:
    levels(clip)
    (before,) = decoders()
    before.kill()
    assert len(levels(clip)) == FRAMES
    assert decoders() != [before]


@pytest.mark.parametrize("leave", ["close", "raise", "forget"])
def test_leaving_off_before_the_end_leaves_no_process_no_file_and_no_memory(clip: Path, leave: str) -> None:
    list(decode(video(clip, "pyav"), SETTINGS))
    end_idle_processes()
    gc.collect()
    held, shared = len(os.listdir("/proc/self/fd")), os.listdir("/dev/shm")
    batches = decode(video(clip, "pyav"), SETTINGS)
    batch = next(batches)
    (process,) = decoders()
    if leave == "close":
        batches.close()
    elif leave == "raise":
        with pytest.raises(RuntimeError):
            batches.throw(RuntimeError("of the reader"))
    else:
        batches = None
        gc.collect()
    assert gone(process, within_s=5)
    assert decoders() == []
    assert batch.rgb.mean() < 5  # what was given stays readable
    del batch, batches
    gc.collect()
    assert (len(os.listdir("/proc/self/fd")), os.listdir("/dev/shm")) == (held, shared)


READ_SLOWLY = """
import sys, time
from pathlib import Path
from headtrack.settings import DecodeSettings
from headtrack.video.decode import decode
from headtrack.video.probe import probe
settings = DecodeSettings(batch_frames=4)
for batch in decode(probe(Path(sys.argv[1]), settings), settings):
    print("here", flush=True)
    time.sleep(0.2)
"""


@pytest.mark.parametrize(
    "end", [lambda p: p.kill(), lambda p: p.send_signal(signal.SIGINT), lambda p: p.terminate()]
)
def test_the_process_ends_with_the_one_that_started_it(
    clip: Path, end: Callable[[subprocess.Popen[str]], None]
) -> None:
    words = [sys.executable, "-W", "error", "-c", READ_SLOWLY, str(clip)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stderr is not None
        assert reader.stdout.readline() == "here\n"
        (process,) = psutil.Process(reader.pid).children()
        end(reader)
        said = reader.stderr.read()
    assert gone(process, within_s=5)
    assert "ResourceWarning" not in said
    assert "resource_tracker" not in said


def test_the_process_is_light() -> None:
    process = DecodeProcess()
    try:
        assert psutil.Process(process.pid).memory_info().rss < 150 * 2**20
        assert not [m for m in psutil.Process(process.pid).memory_maps() if "libtorch" in m.path]
    finally:
        process.close()


def test_a_probe_in_the_process_tells_what_one_here_tells(clip: Path, tmp_path: Path) -> None:
    assert probe_watched(clip, SETTINGS) == probe(clip, SETTINGS)
    (tmp_path / "x.mp4").write_text("hello")
    for path in (tmp_path / "x.mp4", tmp_path / "gone.mp4", tmp_path):
        with pytest.raises(VideoError) as here:
            probe(path, SETTINGS)
        with pytest.raises(VideoError) as there:
            probe_watched(path, SETTINGS)
        assert str(there.value) == str(here.value)
    assert len(decoders()) == 1


@pytest.mark.parametrize(("blow", "word"), [(signal.SIGSTOP, "hung"), (signal.SIGSEGV, "SIGSEGV")])
def test_a_probe_that_hangs_or_crashes_is_tried_once_more_without_decord(
    clip: Path, blow: int, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    probe_watched(clip, SETTINGS)
    (process,) = decoders()
    question = Question(clip, "0" * 16, SETTINGS)
    (idle,) = decode_process._idle
    process.send_signal(blow)
    with pytest.raises(DecoderLostError, match=word):
        idle.look_into(question, limit_s=1.0)
    assert not idle.is_alive
    assert decoders() == []
    end_idle_processes()
    probe_watched(clip, SETTINGS)
    decoders()[0].send_signal(signal.SIGSTOP)
    video = probe_watched(clip, SETTINGS)
    assert (video.decoder, "hung or crashed" in video.decoder_reason) == ("pyav", True)
    assert "once more without decord" in caplog.text
