from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from headtrack.errors import StoreError
from headtrack.store.spool import (
    complete_parts,
    read_crops,
    read_failures,
    read_part,
    remove_part,
    run_folder,
    write_failure,
    write_parts,
)
from headtrack.store.tables import crop_tables, result_tables
from headtrack.types import VideoFailure
from tests.factories import Seen, make_result, make_video

ROOT = Path(__file__).resolve().parents[3]

WRITE_TOO_MUCH = """
import signal, sys
from pathlib import Path
from headtrack.errors import StoreError
from headtrack.store.spool import write_parts
from tests.factories import Seen, make_result
if len(sys.argv) > 2:
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
seen = [Seen(0, 1999, t, x=float(t)) for t in range(20)]
try:
    write_parts(Path(sys.argv[1]), make_result(seen, frame_time_s=[i / 25 for i in range(2000)]))
except StoreError as error:
    print(error)
"""


def test_a_part_reads_back_as_it_was_written(tmp_path: Path) -> None:
    result = make_result([Seen(0, 9, 0), Seen(3, 8, 1, x=100, face=None)])
    part = write_parts(tmp_path, result)
    assert part == tmp_path / "parts" / result.video.video_id
    assert complete_parts(tmp_path) == [part]
    read = read_part(part)
    assert pa.concat_tables(read_crops(part)).to_pylist() == next(crop_tables(result)).to_pylist()
    for name, table in result_tables(result).items():
        wanted = table.drop_columns("analysed_at") if name == "video" else table
        ours = read[name].select(wanted.column_names).to_pylist()
        assert str(ours) == str(wanted.to_pylist())  # NaN is not equal to itself


def test_writing_a_part_again_replaces_it_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_parts(tmp_path, make_result([Seen(0, 9, 0)]))
    part = write_parts(tmp_path, make_result([]))
    assert len(read_part(part)["head"]) == 0
    assert os.listdir(tmp_path / "parts") == [part.name]


def test_a_half_written_part_is_not_listed(tmp_path: Path) -> None:
    left_by_a_crash = tmp_path / "parts" / ".aaaaaaaaaaaaaaaa.4711.new"
    left_by_a_crash.mkdir(parents=True)
    (left_by_a_crash / "video.parquet").write_bytes(b"PAR1")
    assert complete_parts(tmp_path) == []


def test_a_run_without_parts_has_none(tmp_path: Path) -> None:
    assert complete_parts(tmp_path / "nowhere") == []
    assert read_failures(tmp_path / "nowhere") == []


def test_parts_are_listed_by_video_id(tmp_path: Path) -> None:
    for video_id in ("c" * 16, "a" * 16, "b" * 16):
        write_parts(tmp_path, make_result([], video=make_video(video_id)))
    assert [p.name[0] for p in complete_parts(tmp_path)] == ["a", "b", "c"]


def test_a_damaged_part_says_what_to_remove(tmp_path: Path) -> None:
    part = write_parts(tmp_path, make_result([Seen(0, 9, 0)]))
    content = (part / "head.parquet").read_bytes()
    (part / "head.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(StoreError, match="remove that folder and run again"):
        read_part(part)
    content = (part / "crop_embedding.parquet").read_bytes()
    (part / "crop_embedding.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(StoreError, match="remove that folder and run again"):
        list(read_crops(part))
    (part / "head.parquet").unlink()
    with pytest.raises(StoreError, match="damaged"):
        read_part(part)


def test_a_part_of_a_version_that_kept_no_detections_reads_as_without_them(tmp_path: Path) -> None:
    part = write_parts(tmp_path, make_result([Seen(0, 9, 0)]))
    (part / "detection.parquet").unlink()
    assert len(read_part(part)["detection"]) == 0
    assert read_part(part)["detection"].schema == result_tables(make_result([]))["detection"].schema


def test_a_removed_part_is_gone(tmp_path: Path) -> None:
    part = write_parts(tmp_path, make_result([]))
    remove_part(part)
    assert complete_parts(tmp_path) == []


def test_failures_read_back_one_a_path_whatever_its_name(tmp_path: Path) -> None:
    odd = "/archive/über \udcff\n.mp4"
    first = VideoFailure(odd, "", "probe", "VideoError", "not a video")
    second = VideoFailure(odd, "", "decode", "VideoError", "broken")
    other = VideoFailure("/archive/a.mp4", "a" * 16, "decode", "VideoError", "no frame")
    for failure in (first, second, other):
        write_failure(tmp_path, failure)
    assert read_failures(tmp_path) == [other, second]


def test_the_run_folder_lies_beside_the_database() -> None:
    assert run_folder(Path("/d/people.duckdb"), "r1") == Path("/d/people.duckdb.runs/r1")


def test_a_file_in_the_place_of_the_run_folder_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "parts").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        write_parts(tmp_path, make_result([]))


def test_a_write_that_the_system_refuses_leaves_nothing_behind(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITE_TOO_MUCH, str(tmp_path), "limited"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert "the disk is full" in done.stdout, done.stderr
    assert "free some space and run again" in done.stdout
    assert os.listdir(tmp_path / "parts") == []


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = f'mount -t tmpfs -o size=16k tmpfs "{disk}" && '
    unshare = ["unshare", "-rm", "sh", "-c"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*unshare, mounted + "true"], capture_output=True).returncode
    ):
        pytest.skip("no small disk can be mounted here")
    script = mounted + '"$0" -c "$1" "$2/run" && ls -A "$2/run/parts" | wc -l'
    done = subprocess.run(
        [*unshare, script, sys.executable, WRITE_TOO_MUCH, str(disk)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert "the disk is full" in done.stdout, done.stderr
    assert "No space left on device" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == "0"
