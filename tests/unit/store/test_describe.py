from __future__ import annotations

import pytest

from headtrack.store.describe import Described, describe_database
from headtrack.store.sql_files import sql_files

DESCRIBED = describe_database()


def of_kind(kind: str) -> list[Described]:
    return [d for d in DESCRIBED if d.kind == kind]


@pytest.mark.parametrize("relation", [*of_kind("table"), *of_kind("view")], ids=lambda d: d.name)
def test_every_table_and_view_and_each_of_their_columns_has_a_comment(relation: Described) -> None:
    assert relation.comment.endswith(".")
    assert [c.name for c in relation.columns if not c.comment] == []


@pytest.mark.parametrize("statement", [*of_kind("query"), *of_kind("check")], ids=lambda d: d.name)
def test_every_query_and_check_has_a_comment_and_columns(statement: Described) -> None:
    assert statement.comment.endswith(".")
    assert statement.columns
    for name in statement.parameters:
        assert f"${name}" in statement.comment


def test_every_view_file_makes_the_view_it_is_named_after() -> None:
    files = {file.name.partition("_")[2].removesuffix(".sql") for file in sql_files("views")}
    assert files == {d.name for d in of_kind("view")}
