from __future__ import annotations

from pathlib import Path

import pytest

import headtrack
from headtrack.store.sql_files import file_statements, leading_comment, sql_files, statements

STATEMENT_FOLDERS = ("queries", "checks", "store")


def test_the_sql_folder_holds_every_kind() -> None:
    for folder in ("migrations", "views", *STATEMENT_FOLDERS):
        assert sql_files(folder), folder


@pytest.mark.parametrize("folder", STATEMENT_FOLDERS)
def test_every_statement_has_a_name_and_sql(folder: str) -> None:
    for name, statement in statements(folder).items():
        assert statement.name == name
        assert statement.sql.endswith(";")


@pytest.mark.parametrize("folder", ["queries", "checks"])
def test_every_query_and_check_is_documented(folder: str) -> None:
    assert all(statement.doc.endswith(".") for statement in statements(folder).values())


def test_statements_of_one_file_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "x.sql"
    file.write_text(
        "-- About the file.\n\n-- name: one\n-- First.\n-- More.\nSELECT $b, $a, $b;\n"
        "-- name: two\nSELECT 2;\n"
    )
    one, two = file_statements(file)
    assert (one.name, one.doc, one.sql, one.parameters) == (
        "one",
        "First. More.",
        "SELECT $b, $a, $b;",
        ("b", "a"),
    )
    assert (two.name, two.doc, two.sql, two.parameters) == ("two", "", "SELECT 2;", ())


def test_a_statement_takes_its_own_parameters_only(tmp_path: Path) -> None:
    file = tmp_path / "x.sql"
    file.write_text("-- name: one\nSELECT $a;\n")
    assert file_statements(file)[0].pick({"a": 1, "b": 2}) == {"a": 1}


def test_a_text_without_a_comment_has_none() -> None:
    assert leading_comment("SELECT 1") == ""
    assert leading_comment("") == ""


def test_no_sql_hides_in_python() -> None:
    package = Path(headtrack.__file__).parent
    keywords = ("SELECT ", "INSERT INTO", "DELETE FROM", "CREATE TABLE", "UPDATE ")
    for file in [f for f in package.rglob("*.py") if f.parent.name != "cli"]:  # its help shows SQL
        lines = [line for line in file.read_text().splitlines() if '"' in line]
        assert not [line for line in lines if any(f'"{k}' in line for k in keywords)], file
