from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from headtrack.errors import DatasetError, VideoError
from headtrack.video.inputs import Inputs, find_inputs, suffix_counts


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    for name in ("b.mp4", "a.MOV", "deep/down/c.jpg", "notes.txt", ".hidden.mp4", "deep/.cache/d.mp4"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


def names(paths: Iterable[Path], root: Path) -> list[str]:
    return [str(p.relative_to(root)) for p in paths]


def test_a_folder_gives_its_videos_and_images_sorted_without_hidden_ones(archive: Path) -> None:
    assert names(find_inputs([archive]).files, archive) == ["a.MOV", "b.mp4", "deep/down/c.jpg"]


def test_a_named_file_is_taken_whatever_its_suffix(archive: Path) -> None:
    assert names(find_inputs([archive / "notes.txt"]).files, archive) == ["notes.txt"]


def test_a_link_back_into_the_folder_does_not_loop(archive: Path) -> None:
    (archive / "deep" / "loop").symlink_to(archive)
    assert names(find_inputs([archive]).files, archive) == ["a.MOV", "b.mp4", "deep/down/c.jpg"]


def test_a_linked_folder_is_not_followed_but_named(
    archive: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "z.mp4").write_bytes(b"z")
    (archive / "linked").symlink_to(elsewhere)
    found = find_inputs([archive])
    assert names(found.files, archive) == ["a.MOV", "b.mp4", "deep/down/c.jpg"]
    assert names(found.linked, archive) == ["linked"]
    assert names(find_inputs([archive / "linked"]).files, archive) == ["linked/z.mp4"]


def test_a_linked_file_is_taken_wherever_it_lies(
    archive: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "z.mp4"
    elsewhere.write_bytes(b"z")
    (archive / "deep" / "linked.mp4").symlink_to(elsewhere)
    assert "deep/linked.mp4" in names(find_inputs([archive]).files, archive)


def test_what_is_neither_video_nor_image_is_counted_by_suffix_each_file_once(archive: Path) -> None:
    for name in ("deep/b.TXT", "deep/list.csv", "README"):
        (archive / name).touch()
    found = find_inputs([archive, archive / "deep"])
    assert found.other == {".txt": 2, "": 1, ".csv": 1}
    assert find_inputs([archive, archive / "notes.txt"]).other[".txt"] == 1  # named, so not left out
    assert suffix_counts({f".{n}": 20 - n for n in range(12)}).endswith(".9 11, others 19")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_named_and_refused_only_where_it_was_asked_for(archive: Path) -> None:
    locked = archive / "deep" / "locked"
    locked.mkdir(mode=0)
    assert find_inputs([archive]).unread == (locked,)
    with pytest.raises(VideoError, match="locked cannot be read"):
        find_inputs([locked])


def test_one_file_named_twice_counts_once(archive: Path) -> None:
    (archive / "same.mp4").symlink_to(archive / "b.mp4")
    found = find_inputs([archive / "b.mp4", archive, archive / "same.mp4"]).files
    assert names(found, archive) == ["b.mp4", "a.MOV", "deep/down/c.jpg"]


def test_paths_are_absolute(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(archive)
    assert find_inputs([Path("b.mp4")]).files == (archive / "b.mp4",)


def test_a_missing_path_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match=r"nowhere\.mp4 does not exist"):
        find_inputs([tmp_path / "nowhere.mp4"])


def test_a_folder_without_videos_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="no video"):
        find_inputs([tmp_path])


def test_a_csv_manifest_starts_relative_paths_at_its_own_folder(archive: Path) -> None:
    manifest = archive / "list.csv"
    manifest.write_text('path,note\nb.mp4,x\n"deep/down/c.jpg","with, comma"\n')
    assert names(find_inputs([manifest]).files, archive) == ["b.mp4", "deep/down/c.jpg"]


def test_a_parquet_manifest_gives_the_same(archive: Path) -> None:
    manifest = archive / "list.parquet"
    pa_parquet.write_table(pa.table({"path": ["b.mp4", str(archive / "a.MOV")]}), manifest)
    assert names(find_inputs([manifest]).files, archive) == ["b.mp4", "a.MOV"]


def test_a_manifest_row_that_leads_nowhere_stays_to_fail_by_itself(archive: Path) -> None:
    manifest = archive / "list.csv"
    manifest.write_text("path\nb.mp4\ngone.mp4\n")
    assert names(find_inputs([manifest]).files, archive) == ["b.mp4", "gone.mp4"]


def test_a_manifest_row_that_names_a_folder_is_searched(archive: Path) -> None:
    manifest = archive / "list.csv"
    manifest.write_text("path\ndeep\nb.mp4\n")
    assert names(find_inputs([manifest]).files, archive) == ["deep/down/c.jpg", "b.mp4"]


def test_a_manifest_row_that_names_a_folder_without_videos_is_an_error_with_its_line(archive: Path) -> None:
    (archive / "texts").mkdir()
    (archive / "texts" / "a.pdf").touch()
    manifest = archive / "list.csv"
    manifest.write_text("path\nb.mp4\ntexts\n")
    with pytest.raises(
        DatasetError, match=r"list\.csv, line 3: folder .*texts holds no video .*only \.pdf 1"
    ):
        find_inputs([manifest])


def test_no_paths_give_no_inputs() -> None:
    assert find_inputs([]) == Inputs((), {}, (), ())
