"""The map of the documentation shows the folders as they are, in the order of the contract."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAP = (ROOT / "docs/house.md").read_text("utf-8").split("## A walk")[0]
ROWS = [re.findall(r"`([\w/]+)`", line.split("|")[1]) for line in MAP.splitlines() if "| `" in line]


def test_every_folder_is_on_the_map_once():
    source = ROOT / "src/lissom"
    folders = {x.parent.relative_to(source).as_posix() for x in source.rglob("__init__.py")} - {"."}
    modules = {x.stem for x in source.glob("*.py")} - {"__init__", "__main__"}
    shown = [name for row in ROWS for name in row]
    assert len(shown) == len(set(shown))
    assert set(shown) == folders | modules


def test_the_map_has_the_order_of_the_import_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    shown = [row for row in ROWS if all("/" not in name for name in row)]
    assert [" | ".join(row) for row in shown] == layers


def test_every_file_named_on_the_walk_exists():
    walk = (ROOT / "docs/house.md").read_text("utf-8").split("## A walk")[1]
    named = re.findall(r"`([\w/]+\.py)`", walk)
    missing = [x for x in named if "/" in x and not (ROOT / "src/lissom" / x).exists()]
    assert named and not missing
