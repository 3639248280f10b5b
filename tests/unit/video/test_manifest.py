from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

from headtrack.errors import DatasetError
from headtrack.video.manifest import read_manifest


@pytest.fixture(params=["csv", "parquet"])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Give a writer of the same rows in either kind of manifest, and the word for the first of them."""

    def as_csv(rows: list[dict[str, str | None]]) -> tuple[Path, str]:
        manifest = tmp_path / "list.csv"
        lines = [",".join(rows[0]), *(",".join(value or "" for value in row.values()) for row in rows)]
        manifest.write_text("\n".join(lines) + "\n")
        return manifest, f"line {len(rows) + 1}"

    def as_parquet(rows: list[dict[str, str | None]]) -> tuple[Path, str]:
        manifest = tmp_path / "list.parquet"
        columns = {name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]}
        pa_parquet.write_table(pa.table(columns), manifest)
        return manifest, f"row {len(rows)}"

    return as_csv if request.param == "csv" else as_parquet


def refusal(manifest: Path) -> str:
    with pytest.raises(DatasetError) as caught:
        read_manifest(manifest)
    return str(caught.value)


def csv_file(tmp_path: Path, content: str | bytes) -> Path:
    manifest = tmp_path / "list.csv"
    manifest.write_bytes(content if isinstance(content, bytes) else content.encode())
    return manifest


def test_relative_rows_start_at_the_manifest_and_absolute_ones_stay(write: Any, tmp_path: Path) -> None:
    manifest, _ = write([{"path": "a.mp4", "note": "x"}, {"path": "/films/b.mp4", "note": None}])
    assert [row.path for row in read_manifest(manifest)] == [tmp_path / "a.mp4", Path("/films/b.mp4")]


def test_a_row_without_any_value_is_passed_over(write: Any) -> None:
    nothing: dict[str, str | None] = {"path": None, "note": " "}
    manifest, _ = write([nothing, {"path": "a.mp4", "note": None}, nothing, {"path": "b.mp4", "note": "x"}])
    assert [row.path.name for row in read_manifest(manifest)] == ["a.mp4", "b.mp4"]


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_path_beside_other_values_is_refused_with_its_row(write: Any, blank: str | None) -> None:
    manifest, place = write([{"path": "a.mp4", "note": "x"}, {"path": blank, "note": "lost"}])
    message = refusal(manifest)
    assert message.startswith(f"manifest {manifest}, {place}: 'path' is blank; ")
    assert "None" not in message


def test_a_row_that_names_a_manifest_is_refused_with_its_row(write: Any) -> None:
    manifest, place = write([{"path": "a.mp4"}, {"path": "more.CSV"}])
    assert f"{place}: more.CSV is itself a manifest; " in refusal(manifest)


def test_a_manifest_of_blank_rows_names_no_video(write: Any) -> None:
    manifest, _ = write([{"path": None, "note": None}])
    assert "names no video" in refusal(manifest)


def test_a_header_that_is_nearly_right_is_told_what_to_rename(write: Any) -> None:
    manifest, _ = write([{"Path": "a.mp4", "note": "x"}])
    message = refusal(manifest)
    assert "no column 'path', only 'Path', 'note'" in message
    assert "rename the column 'Path' to 'path'" in message


@pytest.mark.parametrize(("separator", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_than_commas_are_named(tmp_path: Path, separator: str, word: str) -> None:
    manifest = csv_file(tmp_path, f"path{separator}note\na.mp4{separator}x\n")
    assert f"line 1: there is no column 'path', only 'path{separator}note'".replace("\t", "\\t") in refusal(
        manifest
    )
    assert f"it seems to use {word}: save it with commas" in refusal(manifest)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("", ["is empty (0 bytes)"]),
        ("path\n", ["names no video"]),
        ("file\nb.mp4\n", ["line 1: there is no column 'path', only 'file'; name the column"]),
        ("path,path\na,b\n", ["line 1: 2 columns are named 'path'"]),
        ("path\nall, of it.mp4\n", ["line 2: it has 2 values for 1 columns", "double quotes"]),
        ('path\n"a.mp4\nb.mp4\n', ["line 2: this is not CSV", "double quote"]),
        ("path\na.mp4\nGr\xf6\xdfe.mp4\n".encode("latin-1"), ["line 3: this is not UTF-8 text", "CSV UTF-8"]),
        ("path\na\0.mp4\n", ["line 2: 'path' is 'a\\x00.mp4'", "NUL"]),
    ],
)
def test_a_bad_csv_manifest_says_what_is_wrong_where_and_what_to_do(
    tmp_path: Path, content: str | bytes, parts: list[str]
) -> None:
    message = refusal(csv_file(tmp_path, content))
    for part in ["list.csv", *parts]:
        assert part in message


def test_lines_are_counted_as_an_editor_counts_them(tmp_path: Path) -> None:
    manifest = csv_file(tmp_path, '\ufeff\npath,note\r\n\n"a\nb.mp4",x\n,y\n')
    assert "line 6: 'path' is blank" in refusal(manifest)


def test_what_a_spreadsheet_writes_is_read(tmp_path: Path) -> None:
    manifest = csv_file(tmp_path, '\ufeffpath,note,,\r\n007,x,,\r\n"a, ""b"".mp4",,,\r\n,,,\r\n')
    assert [row.path.name for row in read_manifest(manifest)] == ["007", 'a, "b".mp4']


@pytest.mark.parametrize("content", [b"no parquet", b"PAR1" + bytes(40) + b"PAR1"])
def test_a_damaged_parquet_manifest_is_told_without_the_library_s_own_words(
    tmp_path: Path, content: bytes
) -> None:
    manifest = tmp_path / "list.parquet"
    manifest.write_bytes(content)
    assert refusal(manifest) == (
        f"manifest {manifest} is no Parquet file, or a damaged one; write it anew, or give it the suffix "
        ".csv if it is text"
    )


def test_a_parquet_column_of_numbers_is_refused_with_its_row(tmp_path: Path) -> None:
    manifest = tmp_path / "list.parquet"
    pa_parquet.write_table(pa.table({"path": [7]}), manifest)
    assert "row 1: 'path' is 7, which is no text" in refusal(manifest)


def test_a_manifest_that_leads_nowhere_says_why(tmp_path: Path) -> None:
    manifest = tmp_path / "list.csv"
    manifest.symlink_to(tmp_path / "gone.csv")
    assert "cannot be read (No such file or directory)" in refusal(manifest)
