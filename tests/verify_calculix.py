"""Bodies from CalculiX's files against the solver itself, run here for all solid elements.

Each element type: a free block's matrices are stored by the solver and read back; the frequencies
of the body that is held at its root, and the displacements under a force, are compared with what
the solver computes with the root held.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np

import lissom as ls
from tests.references.calculix_decks import FORCE, LINEAR, QUADRATIC, STEPS, run, solve, text

CELLS = list(product(range(3), range(2), range(2)))  # reduced integration needs two by two
SIZE = (0.05, 0.02, 0.015)


def compared(kind: str, folder: Path) -> float:
    """Largest relative difference of six frequencies; displacements are checked too."""
    deck = text(kind, CELLS, SIZE)
    solve(folder, "block", deck)
    ends = {"root": "ROOT", "tip": {"where": "TIP", "tie": "average"}}
    body = ls.read_calculix(folder / "block.inp", interfaces=ends, method="cantilever", modes=6)
    expected = [x.value for x in ls.read_frd(folder / "held.frd").named("DISP")]
    check_displacements(body.source, folder / "pull.frd")
    return float(np.abs(body.frequencies / expected - 1).max())


def compared_rigid(folder: Path) -> float:
    """The same frequencies of a body whose root is a *RIGID BODY of the deck."""
    deck = text("C3D20", CELLS, SIZE)
    solve(folder, "block", deck)
    y, z = SIZE[1], SIZE[2]  # half of two cells
    nodes = f"*NODE\n9001, 0., {y}, {z}\n9002, 0., {y}, {z}\n"
    tie = "*RIGID BODY, NSET=ROOT, REF NODE=9001, ROT NODE=9002\n"
    run(folder / "tied.inp", f"{deck}{nodes}{tie}*STEP\n{STEPS['']}*END STEP\n")
    body = ls.read_calculix(
        folder / "tied.inp", interfaces={"root": 9001}, method="cantilever", modes=6
    )
    expected = [x.value for x in ls.read_frd(folder / "held.frd").named("DISP")]
    return float(np.abs(body.frequencies / expected - 1).max())


def check_displacements(structure, path: Path) -> None:
    """Displacements under the force of the decks, to the printed digits."""
    free = ~np.isin(structure.freedoms[:, 0], structure.interfaces["root"].nodes)
    tip = structure.interfaces["tip"].nodes
    node, direction = structure.freedoms.T
    force = np.where(np.isin(node, tip), np.array(FORCE)[direction - 3] / len(tip), 0.0)
    moved = np.zeros(structure.n_freedom)
    moved[free] = np.linalg.solve(structure.stiffness.toarray()[np.ix_(free, free)], force[free])
    (expected,) = ls.read_frd(path).named("DISP")
    moved = moved.reshape(-1, 3)[: len(expected.values)]  # inner nodes of C3D8I are the last
    assert np.abs(moved - expected.values).max() < 5e-6 * np.abs(expected.values).max()


def main() -> int:
    """Compare all types; the exit status is 1 if one differs."""
    if shutil.which("ccx") is None:
        print("CalculiX (ccx) is not installed: nothing compared")
        return 0
    worst = 0.0
    for kind in LINEAR | QUADRATIC:
        with tempfile.TemporaryDirectory() as folder:
            found = compared(kind, Path(folder))
        print(f"{kind}: {found:.1e}", flush=True)
        worst = max(worst, found)
    with tempfile.TemporaryDirectory() as folder:
        worst = max(worst, compared_rigid(Path(folder)))
    print(f"frequencies of {len(LINEAR | QUADRATIC)} types of solids within {worst:.1e}")
    return int(worst > 1e-8)


if __name__ == "__main__":
    sys.exit(main())
