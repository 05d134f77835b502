"""A frame and a plate in CalculiX: decks, runs, and what it printed.

CalculiX (ccx 2.20, from Debian) expands beams and shells to solids of 20 nodes, so it shares no
theory with the elements of frames and panels.  Decks and results are kept in
data/calculix_frames.json; `python -m tests.references.calculix_frames` makes them again.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

import lissom as ls

RECORDS = Path(__file__).parents[1] / "data" / "calculix_frames.json"
N_MODE = 6
ALLOY = ls.Material("alloy", 70e9, 2700.0, 0.3)
MATERIAL = ["*MATERIAL, NAME=ALLOY", "*ELASTIC", "70e9, 0.3", "*DENSITY", "2700."]

# A knee in space: legs along x and y, then up; sections differ in both directions.
CORNERS = np.array([(0, 0, 0), (1.0, 0, 0), (1.0, 0.8, 0), (1.0, 0.8, 0.6)])
SECTION = ls.Rectangle(0.01, 0.015)
UPS = np.array([(0, 0, 1), (0, 0, 1), (0, 1, 0)])  # direction of the section's z
FORCE = np.array([3.0, -2.0, -5.0])  # N, at the last corner
LEG = 16  # elements of each leg

SIDE, THICK, CELLS = 1.0, 0.004, 12


def frame_deck():
    """Deck of the knee: B32R, deflection by a force, then frequencies."""
    points, elements, corner = [CORNERS[0]], [], 0
    for a, b in pairwise(CORNERS):
        points += [a + (b - a) * x for x in _graded(LEG, 1.0)[1:]]
        elements.append(
            [(corner + 2 * k, corner + 2 * k + 1, corner + 2 * k + 2) for k in range(LEG)]
        )
        corner += 2 * LEG
    lines, number = _nodes(points), 0
    for leg, cells in enumerate(elements):
        lines.append(f"*ELEMENT, TYPE=B32R, ELSET=LEG{leg}")
        for cell in cells:
            number += 1
            lines.append(f"{number}, " + ", ".join(str(n + 1) for n in cell))
    lines += MATERIAL
    for leg, up in enumerate(UPS):
        # the first direction of CalculiX is the section's height
        lines += [f"*BEAM SECTION, ELSET=LEG{leg}, MATERIAL=ALLOY, SECTION=RECT"]
        lines += [f"{SECTION.height}, {SECTION.width}", f"{up[0]}., {up[1]}., {up[2]}."]
    return _steps(lines, ["1, 1, 6"], len(points), FORCE)


def plate_deck():
    """Deck of the cantilever plate: S8R, deflection by a force at a corner, then frequencies."""
    n, along = 2 * CELLS, _graded(CELLS, 0.5)
    number, points = {}, []
    for i in range(n + 1):
        for j in range(n + 1):
            if i % 2 == 0 or j % 2 == 0:
                number[i, j] = len(points)
                points.append((SIDE * along[i], SIDE * (j / n - 0.5), 0.0))
    order = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1))
    lines = [*_nodes(points), "*ELEMENT, TYPE=S8R, ELSET=PLATE"]
    cells = [(2 * i, 2 * j) for i in range(CELLS) for j in range(CELLS)]
    for k, (i, j) in enumerate(cells):
        lines.append(f"{k + 1}, " + ", ".join(str(number[i + a, j + b] + 1) for a, b in order))
    lines += [*MATERIAL, "*SHELL SECTION, ELSET=PLATE, MATERIAL=ALLOY", f"{THICK}"]
    held = [f"{number[0, j] + 1}, 1, 6" for j in range(n + 1)]
    return _steps(lines, held, len(points), (0, 0, 1.0))


def _graded(n, turn):
    """Ends and middles of n elements over (0, 1), short where sections are held.

    Held solids cannot contract sideways, which stiffens a whole element there.
    """
    ends = (1 - np.cos(np.pi * turn * np.arange(n + 1) / n)) / (1 - np.cos(np.pi * turn))
    return np.interp(np.arange(2 * n + 1) / 2, np.arange(n + 1), ends)


def _nodes(points):
    return ["*NODE, NSET=ALL"] + [
        f"{k + 1}, " + ", ".join(f"{x:.12e}" for x in point) for k, point in enumerate(points)
    ]


def _steps(lines, held, last, force):
    lines = [*lines, "*NSET, NSET=LAST", f"{last},", "*BOUNDARY", *held]
    lines += ["*STEP", "*STATIC", "*CLOAD"]
    lines += [f"{last}, {k + 1}, {f}" for k, f in enumerate(force) if f]
    lines += ["*NODE PRINT, NSET=LAST", "U", "*END STEP"]
    lines += ["*STEP", "*FREQUENCY", str(N_MODE), "*CLOAD, OP=NEW", "*END STEP"]
    return "\n".join(lines) + "\n"


DECKS = {"frame": frame_deck, "plate": plate_deck}


def run(deck):
    """Displacement of the last node [m] and frequencies [Hz] of ccx."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "deck.inp").write_text(deck)
        subprocess.run(["ccx", "deck"], cwd=folder, check=True, capture_output=True, timeout=300)
        text = Path(folder, "deck.dat").read_text()
    before, after = text.split("E I G E N V A L U E   O U T P U T")
    numbers = [_numbers(line) for line in before.splitlines()]
    rows = [_numbers(line) for line in after.split("P A R T I C I P A T I O N")[0].splitlines()]
    return {
        "displacement": next(row[1:] for row in numbers if len(row) == 4),
        "frequencies": [row[3] for row in rows if len(row) == 5],
    }


def _numbers(line):
    try:
        return [float(word) for word in line.split()]
    except ValueError:
        return []


def has_calculix():
    return shutil.which("ccx") is not None


def records():
    return json.loads(RECORDS.read_text())


def main():
    found = {}
    for name, deck in DECKS.items():
        text = deck()
        found[name] = run(text) | {"deck": text}
    RECORDS.write_text(json.dumps(found, indent=1) + "\n")


class OneElement(ls.Section):
    """The rectangle as one solid of 20 nodes, whose warping is a multiple of y z."""

    area = SECTION.area
    second_moment_y = SECTION.second_moment_y
    second_moment_z = SECTION.second_moment_z
    torsion_constant = 4 * second_moment_y * second_moment_z / (second_moment_y + second_moment_z)


def frame_body(section):
    members = [
        ls.Member(k, k + 1, section, ALLOY, reference=up, parts=6) for k, up in enumerate(UPS)
    ]
    return ls.frame(CORNERS, members, interfaces={"root": 0, "tip": 3}, modes=8)


def panel_body():
    places = {"root": "left", "tip": (SIDE, SIDE / 2)}
    size = (SIDE, SIDE, THICK)
    return ls.panel(*size, ALLOY, interfaces=places, modes=14)


if __name__ == "__main__":
    main()
