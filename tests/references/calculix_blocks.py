"""Bent blocks of solid elements in CalculiX: decks, runs, and what it printed.

CalculiX (ccx 2.20, from Debian) is an independent implementation of the same elements.  Its results
are kept in data/calculix_blocks.json; `python -m tests.references.calculix_blocks` makes them
again.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from tests.samples.meshes import block

KINDS = {"tetra": "C3D4", "tetra10": "C3D10", "hexahedron": "C3D8", "hexahedron20": "C3D20"}
SIZE, COUNTS = (0.4, 0.06, 0.04), (8, 2, 2)
MODULUS, POISSON, DENSITY = 70e9, 0.33, 2700.0
FORCE = (100.0, 200.0, -300.0)  # N, at the last node
N_MODE = 8
RECORDS = Path(__file__).parents[1] / "data" / "calculix_blocks.json"


def bend(x):
    """Curved and twisted a little, so that elements are not boxes."""
    turned = x.copy()
    turned[:, 1] += 0.1 * x[:, 0] ** 2 + 0.05 * x[:, 2] * x[:, 0]
    turned[:, 2] += 0.05 * np.sin(5 * x[:, 0])
    return turned


def mesh(kind):
    return block(kind, COUNTS, SIZE, bend)


def held(points):
    """Nodes that are held: those of the end at x = 0."""
    return np.flatnonzero(points[:, 0] < 1e-9)


def deck(kind):
    """Deck with the block's frequencies; its deflection, stress and strain under a force."""
    m = mesh(kind)
    lines = held_body(m, KINDS[kind])
    lines += ["*STEP", "*STATIC", "*CLOAD"]
    lines += [f"{len(m.points)}, {a + 1}, {f}" for a, f in enumerate(FORCE)]
    lines += ["*NODE PRINT, NSET=ALL", "U", "*EL PRINT, ELSET=SOLID", "S, E", "*END STEP"]
    lines += ["*STEP", "*FREQUENCY", str(N_MODE), "*CLOAD, OP=NEW", "*END STEP"]
    return "\n".join(lines) + "\n"


def held_body(m, element):
    """Lines of a deck without steps: a mesh of one kind of element, held at x = 0."""
    cells = m.cells[0].data
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{k + 1}, {x:.12e}, {y:.12e}, {z:.12e}" for k, (x, y, z) in enumerate(m.points)]
    lines.append(f"*ELEMENT, TYPE={element}, ELSET=SOLID")
    for k, cell in enumerate(cells + 1):
        numbers = [str(n) for n in (k + 1, *cell)]
        lines += [", ".join(numbers[:15]) + ("," if len(numbers) > 15 else "")]
        lines += [", ".join(numbers[15:])] if len(numbers) > 15 else []
    lines += ["*NSET, NSET=ROOT", *(f"{n + 1}," for n in held(m.points))]
    lines += ["*MATERIAL, NAME=ALLOY", "*ELASTIC", f"{MODULUS}, {POISSON}"]
    lines += ["*DENSITY", f"{DENSITY}", "*SOLID SECTION, ELSET=SOLID, MATERIAL=ALLOY"]
    return [*lines, "*BOUNDARY", "ROOT, 1, 3"]


def run(kind):
    """Frequencies [Hz], displacement of the last node [m], stress and strain (e, q, 6) of ccx."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "block.inp").write_text(deck(kind))
        subprocess.run(["ccx", "block"], cwd=folder, check=True, capture_output=True, timeout=300)
        return _printed(Path(folder, "block.dat").read_text())


def _printed(text):
    titles = ("displacements", "stresses", "strains", "E I G E N V A L U E   O", "P A R T")
    parts = {title: [] for title in titles}
    inside = None
    for line in text.splitlines():
        title = next((key for key in parts if key in line), None)
        if title:  # the second step prints its modes, too
            inside = None if parts["P A R T"] else title
        elif inside:
            numbers = _numbers(line)
            if numbers:
                parts[inside].append(numbers)
    return {
        "frequencies": [row[3] for row in parts["E I G E N V A L U E   O"]],
        "displacement": parts["displacements"][-1][1:],
        **{name: _tensors(np.array(parts[name])) for name in ("stresses", "strains")},
    }


def _tensors(rows):
    """Components xx, yy, zz, yz, zx, xy of element and point in turn."""
    n_point = int(rows[:, 1].max())
    return rows[:, [2, 3, 4, 7, 6, 5]].reshape(-1, n_point, 6).tolist()


def _numbers(line):
    try:
        return [float(word) for word in line.split()]
    except ValueError:
        return []


def records():
    return json.loads(RECORDS.read_text())


def main():
    found = {kind: run(kind) for kind in KINDS}
    RECORDS.write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
