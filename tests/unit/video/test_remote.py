from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import fsspec
import pytest

from headtrack.errors import DatasetError, VideoError
from headtrack.types import RemoteFile
from headtrack.video.inputs import find_inputs
from headtrack.video.remote import describe, fetch


@pytest.fixture
def store() -> Iterator[None]:
    """A store in memory: fsspec's own, with real listings."""
    fs = fsspec.filesystem("memory")
    for name in (
        "b.mp4",
        "a.MOV",
        "deep/down/c.jpg",
        "deep/x.mp4",
        "notes.txt",
        ".hidden.mp4",
        "deep/.d/e.mp4",
    ):
        fs.pipe_file(f"/films/{name}", name.encode())
    yield
    fs.rm("/films", recursive=True)


def urls(*named: str) -> list[str]:
    return [str(file).removeprefix("memory://films/") for file in find_inputs(named).files]


@pytest.mark.usefixtures("store")
class TestListing:
    def test_a_folder_gives_its_videos_and_images_without_hidden_ones(self) -> None:
        for folder in ("memory://films", "memory://films/"):
            assert urls(folder) == ["a.MOV", "b.mp4", "deep/down/c.jpg", "deep/x.mp4"]
        assert find_inputs(["memory://films"]).other == {".txt": 1}

    def test_a_pattern_gives_what_it_matches(self) -> None:
        assert urls("memory://films/*.mp4") == ["b.mp4"]
        assert urls("memory://films/**/*.mp4") == ["b.mp4", "deep/x.mp4"]
        assert urls("memory://films/d*") == ["deep/down/c.jpg", "deep/x.mp4"]

    def test_a_named_file_is_taken_whatever_its_suffix_with_its_size_and_a_stamp(self) -> None:
        (file,) = find_inputs(["memory://films/notes.txt"]).files
        assert isinstance(file, RemoteFile)
        assert (file.url, file.size) == ("memory://films/notes.txt", len("notes.txt"))
        assert file.stamp

    def test_a_listing_and_a_description_give_the_same_stamp_until_the_content_changes(self) -> None:
        (listed,) = find_inputs(["memory://films/*.mp4"]).files
        assert describe("memory://films/b.mp4") == listed
        fsspec.filesystem("memory").pipe_file("/films/b.mp4", b"other")
        assert describe("memory://films/b.mp4") != listed

    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("memory://films/gone.mp4", r"gone\.mp4 does not exist"),
            ("memory://films/*.avi", "matches no video and no image"),
            ("memory://films/n*", r"only \.txt 1"),
            ("nope://films/a.mp4", "no protocol nope:// is known"),
        ],
    )
    def test_what_leads_nowhere_is_one_clear_error(self, url: str, said: str) -> None:
        with pytest.raises(VideoError, match=said):
            find_inputs([url])

    def test_a_manifest_here_may_name_files_folders_and_patterns_there(self, tmp_path: Path) -> None:
        manifest = tmp_path / "list.csv"
        manifest.write_text("path\nmemory://films/b.mp4\nmemory://films/deep/\nmemory://films/*.MOV\n")
        assert urls(str(manifest)) == ["b.mp4", "deep/down/c.jpg", "deep/x.mp4", "a.MOV"]

    def test_relative_paths_of_a_manifest_there_start_at_its_folder(self) -> None:
        fs = fsspec.filesystem("memory")
        fs.pipe_file("/films/list.csv", b"path\nb.mp4\ngone.mp4\ndeep\n")
        found = find_inputs(["memory://films/list.csv"]).files
        assert [str(f) for f in found[:2]] == ["memory://films/b.mp4", "memory://films/gone.mp4"]
        assert found[1] == RemoteFile("memory://films/gone.mp4")  # stays, to fail by itself
        assert len(found) == 4
        fs.pipe_file("/films/list.csv", b"path\n/etc/b.mp4\n")
        with pytest.raises(DatasetError, match=r"list\.csv, line 2: /etc/b\.mp4 would be a file of whoever"):
            find_inputs(["memory://films/list.csv"])

    def test_a_manifest_there_may_lead_up_but_not_out_of_its_store(self) -> None:
        fs = fsspec.filesystem("memory")
        fs.pipe_file("/films/deep/list.csv", b"path\n../b.mp4\nx.mp4\n")
        found = find_inputs(["memory://films/deep/list.csv"]).files
        assert [str(f) for f in found] == ["memory://films/b.mp4", "memory://films/deep/x.mp4"]
        fs.pipe_file("/films/deep/list.csv", b"path\n../../other/b.mp4\n")
        with pytest.raises(DatasetError, match=r"line 2: .* leads out of memory://films; give the whole URL"):
            find_inputs(["memory://films/deep/list.csv"])

    def test_a_protocol_may_be_written_in_capitals(self) -> None:
        (file,) = find_inputs(["MEMORY://films/b.mp4"]).files
        assert file == describe("memory://films/b.mp4")

    @pytest.mark.skipif(find_spec("gcsfs") is not None, reason="gcsfs is installed")
    def test_a_protocol_whose_package_is_missing_names_the_package(self) -> None:
        with pytest.raises(VideoError, match=r"gs:// needs a package .*pip install 'gcsfs'"):
            find_inputs(["gs://films/b.mp4"])

    def test_a_transfer_gives_the_bytes_and_their_hash(self) -> None:
        out = io.BytesIO()
        digest = fetch(describe("memory://films/b.mp4"), out)
        assert out.getvalue() == b"b.mp4"
        assert digest == hashlib.sha256(b"b.mp4").hexdigest()

    def test_a_file_of_another_size_than_listed_is_refused(self) -> None:
        listed = describe("memory://films/b.mp4")
        fsspec.filesystem("memory").pipe_file("/films/b.mp4", b"longer than before")
        with pytest.raises(VideoError, match="was changed while it was fetched"):
            fetch(listed, io.BytesIO())


def test_the_url_of_a_file_here_is_its_path(tmp_path: Path) -> None:
    film = tmp_path / "a film.mp4"
    film.touch()
    assert find_inputs([f"file://{tmp_path}/a%20film.mp4", film]).files == (film,)


def test_a_pattern_of_paths_gives_what_it_matches_also_in_a_manifest(tmp_path: Path) -> None:
    for name in ("a.mp4", "b.mp4", "b.txt", "deep/c.mp4", "[x].mp4"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [f.name for f in find_inputs([f"{tmp_path}/?.mp4"]).files if isinstance(f, Path)] == [
        "a.mp4",
        "b.mp4",
    ]
    assert len(find_inputs([f"{tmp_path}/**/*.mp4"]).files) == 4
    assert find_inputs([f"{tmp_path}/[x].mp4"]).files == (tmp_path / "[x].mp4",)  # a file's own name
    manifest = tmp_path / "list.csv"
    manifest.write_text("path\nd*\n")
    assert find_inputs([str(manifest)]).files == (tmp_path / "deep" / "c.mp4",)
    with pytest.raises(VideoError, match=r"pattern .* matches no video and no image, only \.txt 1"):
        find_inputs([f"{tmp_path}/*.txt"])
