"""Every name in the table of docs/notation.md exists where the table says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.public_names import resolve

PAGE = Path(__file__).resolve().parents[2] / "docs" / "notation.md"
CODE = re.compile(r"`([^`]+)`")


def rows() -> list[list[str]]:
    """Cells of the rows of all tables that have a column *where*."""
    table, found = False, []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            table = False
        elif cells[0] == "symbol":
            table = cells[-1] == "where"
        elif table and not set(cells[0]) <= set("-: "):
            found.append(cells)
    return found


PATHS = [(row[0], path) for row in rows() for path in CODE.findall(row[-1])]


def test_the_table_was_found():
    assert len(PATHS) >= 20


@pytest.mark.parametrize(("symbol", "path"), PATHS, ids=[path for _, path in PATHS])
def test_each_name_of_the_table_exists_in_the_code(symbol, path):
    assert resolve(path) is not None


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[2])
def test_the_name_is_the_last_part_of_its_place(row):
    names = {name.split("(")[0] for name in CODE.findall(row[2])}
    places = {path.rpartition(".")[2] for path in CODE.findall(row[-1])}
    assert places <= names


def test_a_symbol_has_one_row():
    symbols = [row[0] for row in rows()]
    assert len(set(symbols)) == len(symbols)
