from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from headtrack.errors import DatasetError, VideoError
from headtrack.video.inputs import find_inputs


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    for name in ("b.mp4", "a.MOV", "deep/down/c.jpg", "notes.txt", ".hidden.mp4", "deep/.cache/d.mp4"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


def names(paths: list[Path], root: Path) -> list[str]:
    return [str(p.relative_to(root)) for p in paths]


def test_a_folder_gives_its_videos_and_images_sorted_without_hidden_ones(archive: Path) -> None:
    assert names(find_inputs([archive]), archive) == ["a.MOV", "b.mp4", "deep/down/c.jpg"]


def test_a_named_file_is_taken_whatever_its_suffix(archive: Path) -> None:
    assert names(find_inputs([archive / "notes.txt"]), archive) == ["notes.txt"]


def test_a_link_back_into_the_folder_does_not_loop(archive: Path) -> None:
    (archive / "deep" / "loop").symlink_to(archive)
    assert names(find_inputs([archive]), archive) == ["a.MOV", "b.mp4", "deep/down/c.jpg"]


def test_a_linked_folder_is_searched(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "z.mp4").write_bytes(b"z")
    (archive / "linked").symlink_to(elsewhere)
    assert "linked/z.mp4" in names(find_inputs([archive]), archive)


def test_one_file_named_twice_counts_once(archive: Path) -> None:
    (archive / "same.mp4").symlink_to(archive / "b.mp4")
    found = find_inputs([archive / "b.mp4", archive, archive / "same.mp4"])
    assert names(found, archive) == ["b.mp4", "a.MOV", "deep/down/c.jpg"]


def test_paths_are_absolute(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(archive)
    assert find_inputs([Path("b.mp4")]) == [archive / "b.mp4"]


def test_a_missing_path_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match=r"nowhere\.mp4 does not exist"):
        find_inputs([tmp_path / "nowhere.mp4"])


def test_a_folder_without_videos_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="no video"):
        find_inputs([tmp_path])


def test_a_csv_manifest_starts_relative_paths_at_its_own_folder(archive: Path) -> None:
    manifest = archive / "list.csv"
    manifest.write_text('path,note\nb.mp4,x\n"deep/down/c.jpg","with, comma"\n')
    assert names(find_inputs([manifest]), archive) == ["b.mp4", "deep/down/c.jpg"]


def test_a_parquet_manifest_gives_the_same(archive: Path) -> None:
    manifest = archive / "list.parquet"
    pa_parquet.write_table(pa.table({"path": ["b.mp4", str(archive / "a.MOV")]}), manifest)
    assert names(find_inputs([manifest]), archive) == ["b.mp4", "a.MOV"]


def test_a_numeric_name_in_a_csv_manifest_stays_a_name(archive: Path) -> None:
    manifest = archive / "list.csv"
    manifest.write_text("path\n007\n")
    assert names(find_inputs([manifest]), archive) == ["007"]


def test_a_manifest_row_that_leads_nowhere_stays_to_fail_by_itself(archive: Path) -> None:
    manifest = archive / "list.csv"
    manifest.write_text("path\nb.mp4\ngone.mp4\n")
    assert names(find_inputs([manifest]), archive) == ["b.mp4", "gone.mp4"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file\nb.mp4\n", "line 1.*file.*'path'"),
        ("path\n", "at least one row"),
        ("path,n\nb.mp4,1\n,2\n", "line 3"),
        ("", "cannot be read"),
        ("path\na,b,c\n", "cannot be read"),
    ],
)
def test_a_bad_manifest_is_an_error_with_its_line(archive: Path, text: str, message: str) -> None:
    manifest = archive / "list.csv"
    manifest.write_text(text)
    with pytest.raises(DatasetError, match=message):
        find_inputs([manifest])


def test_a_parquet_manifest_that_is_none_is_an_error(archive: Path) -> None:
    manifest = archive / "list.parquet"
    manifest.write_bytes(b"no parquet")
    with pytest.raises(DatasetError, match=r"list\.parquet"):
        find_inputs([manifest])


def test_no_paths_give_no_inputs() -> None:
    assert find_inputs([]) == []
