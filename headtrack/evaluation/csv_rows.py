"""Reads a label file row by row and says which line is wrong."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from headtrack.errors import DatasetError


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row, with the place it came from.

    Attributes:
        path: of the file.
        line: number of the row's last line, from 1.
        values: by column.
    """

    path: Path
    line: int
    values: dict[str, str]

    def text(self, column: str) -> str:
        """Give the column, which may not be empty."""
        value = self.values[column].strip()
        if not value:
            raise self.error(f"{column} is empty; give it a value")
        return value

    def whole(self, column: str) -> int:
        """Give the column as a whole number from 0."""
        value = self.values[column].strip()
        if not value.isdecimal():
            raise self.error(f"{column} must be a whole number from 0, got {value!r}")
        return int(value)

    def number(self, column: str) -> float:
        """Give the column as a finite number."""
        try:
            number = float(self.values[column])
        except ValueError as error:
            raise self.error(f"{column} must be a number, got {self.values[column]!r}") from error
        if not math.isfinite(number):
            raise self.error(f"{column} must be a finite number, got {self.values[column]!r}")
        return number

    def choice(self, column: str, allowed: Iterable[str]) -> str:
        """Give the column, which must be one of the allowed words."""
        value = self.values[column].strip()
        if value not in allowed:
            words = ", ".join(word or "(empty)" for word in allowed)
            raise self.error(f"{column} must be one of {words}; got {value!r}")
        return value

    def error(self, problem: str) -> DatasetError:
        """Make the error that names this row."""
        return DatasetError(f"{self.path}, line {self.line}: {problem}")


def read_csv(path: Path, columns: tuple[str, ...]) -> list[CsvRow]:
    """Read a CSV file with a header.

    Args:
        path: of the file.
        columns: that must be there; others are kept too.

    Raises:
        DatasetError: the file is missing, no UTF-8, lacks a column, or a row is too short or long.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            rows = [CsvRow(path, reader.line_num, row) for row in reader]
            header = reader.fieldnames or []
    except FileNotFoundError as error:
        raise DatasetError(
            f"{path} is missing; a label file with the columns {','.join(columns)} is expected there"
        ) from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{path} cannot be read as UTF-8 CSV: {error}") from error
    lacking = [column for column in columns if column not in header]
    if lacking:
        raise DatasetError(
            f"{path}, line 1: no column {', '.join(lacking)}; the columns are {', '.join(header)}"
        )
    for row in rows:
        if None in row.values or None in row.values.values():
            raise row.error(f"expected {len(header)} values; quote a value that holds a comma")
    return rows
