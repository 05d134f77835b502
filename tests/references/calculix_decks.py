"""Small decks for CalculiX, and what the solver answers to them.

`python -m tests.references.calculix_decks` runs the solver, where it is installed, and records its
files in tests/data/calculix, one archive for each deck:

  NAME.inp, NAME.dof, NAME.sti, NAME.mas   the free body and its matrices
  held.frd                                 modes with the nodes ROOT held
  pull.frd                                 displacements and stresses under a force at the nodes TIP
"""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from itertools import product
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "data" / "calculix"
CORNERS = ((0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2))
EDGES = {
    8: [*((k, (k + 1) % 4) for k in range(4)), *((4 + k, 4 + (k + 1) % 4) for k in range(4)),
        *((k, k + 4) for k in range(4))],
    4: [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    6: [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
}  # fmt: skip
SPLIT = {
    8: [tuple(range(8))],
    4: [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)],
    6: [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)],
}
LINEAR = {"C3D4": 4, "C3D6": 6, "C3D8": 8, "C3D8I": 8}
QUADRATIC = {"C3D10": 4, "C3D15": 6, "C3D20": 8, "C3D20R": 8}
FORCE = (100.0, -50.0, 200.0)  # [N], shared by the nodes of TIP

# Cells of a block, and of an L; sizes of a cell [m]
BLOCK = [(x, y, z) for x, y, z in product(range(4), range(2), range(1))]
ELL = [*((x, 0, 0) for x in range(3)), *((2, 0, z) for z in range(1, 3))]
DECKS = {
    "block_c3d8i": ("C3D8I", BLOCK, (0.05, 0.02, 0.02)),
    "block_c3d10": ("C3D10", BLOCK[::2], (0.05, 0.03, 0.02)),
    "bracket": ("C3D20", ELL, (0.04, 0.03, 0.03)),
}
STEPS = {
    "": "*FREQUENCY, SOLVER=MATRIXSTORAGE\n5\n",
    "held": "*FREQUENCY\n6\n*NODE FILE\nU\n*EL FILE\nS\n",
    "pull": "*STATIC\n*CLOAD\n{load}*NODE FILE\nU\n*EL FILE\nS\n",
}


def mesh(kind: str, cells: list[tuple[int, ...]], size: tuple[float, ...]):
    """Places of nodes [m] and nodes of elements, both counted from 1."""
    numbers: dict[tuple[int, ...], int] = {}
    elements = []
    n = (LINEAR | QUADRATIC)[kind]
    for cell in cells:
        for part in SPLIT[n]:
            at = [tuple(2 * c + d for c, d in zip(cell, CORNERS[k], strict=True)) for k in part]
            if kind in QUADRATIC:
                at += [
                    tuple((a + b) // 2 for a, b in zip(at[i], at[j], strict=True))
                    for i, j in EDGES[n]
                ]
            elements.append([numbers.setdefault(x, len(numbers) + 1) for x in at])
    return np.array(list(numbers)) * np.array(size) / 2, elements


def text(kind: str, cells, size, *, scale: float = 1.0, material=("70e9", "0.33", "2700")) -> str:
    """Deck without steps; ROOT is where x is least, TIP the face opposite to the last cell."""
    places, elements = mesh(kind, cells, size)
    last = np.max(cells, axis=0)
    axis = 2 if last[2] else 0
    root = np.flatnonzero(places[:, 0] < 1e-9) + 1
    tip = np.flatnonzero(places[:, axis] > size[axis] * (last[axis] + 1) - 1e-9) + 1
    modulus, poisson, density = material
    lines = ["*HEADING", "** written by tests/references/calculix_decks.py", "*NODE, NSET=NALL"]
    lines += [
        ", ".join([str(k), *(f"{x:.9g}" for x in p * scale)]) for k, p in enumerate(places, 1)
    ]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=EALL")
    for k, nodes in enumerate(elements, 1):
        words = [str(k), *map(str, nodes)]
        lines += [", ".join(words[:11]) + ("," if len(words) > 11 else "")]
        lines += [", ".join(words[11:])] if len(words) > 11 else []
    for name, group in (("ROOT", root), ("TIP", tip)):
        rows = (group[k : k + 8] for k in range(0, len(group), 8))
        lines += [f"*NSET, NSET={name}", *(", ".join(map(str, row)) for row in rows)]
    lines += ["*MATERIAL, NAME=ALUMINIUM", "*ELASTIC", f"{modulus}, {poisson}", "*DENSITY", density]
    lines += ["*SOLID SECTION, ELSET=EALL, MATERIAL=ALUMINIUM", ""]
    return "\n".join(lines)


def tip_nodes(deck: str) -> list[int]:
    """Numbers of the nodes of the set TIP."""
    block = deck.split("*NSET, NSET=TIP\n")[1].split("*MATERIAL")[0]
    return [int(x) for x in block.replace("\n", ",").split(",") if x.strip()]


def solve(folder: Path, name: str, deck: str) -> None:
    """Run the solver on the free body, on the held one, and under a force."""
    tip = tip_nodes(deck)
    load = "".join(f"{n}, {j + 1}, {f / len(tip):.17g}\n" for n in tip for j, f in enumerate(FORCE))
    for step, words in STEPS.items():
        held = "*BOUNDARY\nROOT, 1, 3\n" if step else ""
        path = folder / f"{step or name}.inp"
        run(path, f"{deck}{held}*STEP\n{words.format(load=load)}*END STEP\n")


def run(path: Path, deck: str) -> None:
    """Write a deck and run the solver on it."""
    path.write_text(deck)
    command = ["ccx", path.stem]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=300)
    if "Job finished" not in done.stdout:
        raise RuntimeError(f"CalculiX on {path}: {done.stdout[-2000:]}")


def unpacked(name: str, folder: Path) -> Path:
    """Deck of a recorded archive, with its files beside it."""
    with zipfile.ZipFile(DATA / f"{name}.zip") as archive:
        archive.extractall(folder)
    return folder / f"{name}.inp"


def main() -> None:
    """Record all decks."""
    DATA.mkdir(parents=True, exist_ok=True)
    for name, what in DECKS.items():
        folder = Path("out") / "calculix" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        solve(folder, name, text(*what))
        kept = [f"{name}.{x}" for x in ("inp", "dof", "sti", "mas")] + ["held.frd", "pull.frd"]
        path = DATA / f"{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for file in kept:
                archive.write(folder / file, file)
        print(name, path.stat().st_size)


if __name__ == "__main__":
    main()
