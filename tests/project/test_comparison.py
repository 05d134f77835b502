"""The numbers of the comparison page are those of the benchmarks, but for new measurements."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.tools.pages import DOCS

ROW = re.compile(r"^\| ([^|]+) \| ([\d.]+) (µs|ms) \| ([\d.]+) \3 \| ([^|]+) \|$", re.MULTILINE)
CALL = re.compile(r"(\w+ \w+), (chain|humanoid) of (\d+) joints, (one call|in a batch)")
ARRAYS = re.compile(r"(.+), (chain|humanoid|Panda|UR5)(?: of| with)?(?: (\d+) joints)?, .* arrays")
FRAMES = {"pose of a frame": "frame pose", "Jacobian of a frame": "frame jacobian"}
NEW_MEASUREMENT = 0.3  # of a number, before the page must be written anew

ROWS = ROW.findall((DOCS / "comparison.md").read_text(encoding="utf-8"))
RESULTS = json.loads((DOCS / "benchmarks" / "results.json").read_text(encoding="utf-8"))["results"]


def table(name: str, title: str) -> dict[str, Any]:
    return next(t for t in RESULTS[name]["tables"] if t["title"].startswith(title))


def cell(table: dict[str, Any], row: Any, column: str) -> float:
    """Number in the row that starts with a value, under a heading."""
    values = next(r for r in table["rows"] if r[0] == row)
    return leading(values[table["header"].index(column)])


def leading(value: Any) -> float:
    """Number that a cell is, or that its text begins with."""
    return float(str(value).split()[0])


def measured(what: str, other: str) -> tuple[float, float]:
    """What the benchmarks say: lissom's number and the other's."""
    library = other.split(",")[0]
    if call := ARRAYS.match(what):
        quantity, kind, joints = call.groups()
        found = table("calls", FRAMES.get(quantity, quantity).capitalize())
        mechanism = "rigid chain" if kind == "chain" else kind
        row = next(r for r in found["rows"] if r[0] == mechanism and str(r[1]) == (joints or "6"))
        return tuple(row[found["header"].index(who)] for who in ("evaluator", library))
    if "tick" in what:
        found = table("calls", "One tick of a controller")
        return cell(found, "lissom", "time"), cell(found, library, "time")
    if call := CALL.match(what):
        quantity, kind, joints, form = call.groups()
        found = table("rigid", f"{'Rigid chain' if kind == 'chain' else 'Humanoid'}: {quantity}")
        form = "call" if form == "one call" else "batch"
        return tuple(cell(found, int(joints), f"{who} {form}") for who in ("lissom", library))
    if "RK4" in what:
        found = table("simulate-rigid", "RK4 with 1 ms")
        joints = int(what.split()[0])
        return cell(found, joints, "lissom"), cell(found, joints, library)
    if rod := re.match(
        r"(soft pendulum|double pendulum|right-angle frame).* (1e-\d\d) lengths", what
    ):
        found = table("rods", rod[1].capitalize())
        return cell(found, rod[2], "lissom [ms]"), cell(found, rod[2], "Exudyn [ms]")
    modes = re.search(r"(\d+ modes)", what)[1]
    if error := re.search(r"tip to (1e-\d) m", what):
        found = table("simulate-flexible", "Cheapest run whose tip")
        row = error[1].replace("e-", "e-0")
        return cell(found, row, f"lissom, {modes}"), cell(found, row, f"{library}, segments")
    rows = table("simulate-flexible", f"Links with {modes}")["rows"]
    wanted = ("dop853", "rtol 1e-08") if "dop853" in what else ("generalized_alpha", "1 ms")
    own = next(r for r in rows if r[:2] == ["lissom", modes] and tuple(r[2:4]) == wanted)
    return leading(own[4]), next(leading(r[4]) for r in rows if r[:2] == [library, modes])


def test_there_are_losses_and_wins():
    assert sum(float(own) > float(other) for _, own, _, other, _ in ROWS) >= 6
    assert sum(float(own) < float(other) for _, own, _, other, _ in ROWS) >= 8


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}: {row[4]}")
def test_numbers_are_those_of_the_benchmarks(row):
    what, own, _, others, library = row
    assert (float(own), float(others)) == pytest.approx(
        measured(what, library), rel=NEW_MEASUREMENT
    )
