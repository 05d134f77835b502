"""Blades that spin about z in CalculiX: decks, runs, and the frequencies that it printed.

A static step with large displacements under centrifugal load, then the frequencies of small
vibration about it (ccx 2.20, from Debian).  They are kept with their decks in
data/calculix_spin.json; `python -m tests.references.calculix_spin` makes them again.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from tests.references.calculix_blocks import held_body
from tests.samples.meshes import block

SIZE, COUNTS = np.array([0.4, 0.04, 0.006]), (8, 1, 1)
RATES = (0.001, 300.0, 600.0)  # rad/s; the first flap frequency at rest is 199
N_MODE = 6
RECORDS = Path(__file__).parents[1] / "data" / "calculix_spin.json"


def straight(x):
    return x - [0, SIZE[1] / 2, SIZE[2] / 2]


def bent(x):
    """Swept in the plane of the spin and bent out of it."""
    found = straight(x)
    found[:, 1] += 0.3 * x[:, 0] ** 2
    found[:, 2] += 0.1 * x[:, 0] ** 2
    return found


BLADES = {"straight": straight, "bent": bent}


def mesh(name):
    return block("hexahedron20", COUNTS, SIZE, BLADES[name])


def deck(name, rate):
    """Deck of a blade at a rate [rad/s]."""
    lines = held_body(mesh(name), "C3D20")
    lines += ["*STEP, NLGEOM", "*STATIC", "*DLOAD"]
    lines += [f"SOLID, CENTRIF, {rate**2:.12g}, 0, 0, 0, 0, 0, 1", "*END STEP"]
    lines += ["*STEP, PERTURBATION", "*FREQUENCY", str(N_MODE), "*END STEP"]
    return "\n".join(lines) + "\n"


def run(name, rate):
    """Frequencies [rad/s] that ccx prints."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "blade.inp").write_text(deck(name, rate))
        subprocess.run(["ccx", "blade"], cwd=folder, check=True, capture_output=True, timeout=300)
        lines = Path(folder, "blade.dat").read_text().splitlines()
    start = next(k for k, x in enumerate(lines) if "E I G E N V A L U E   O U T P U T" in x)
    rows = [x.split() for x in lines[start + 1 :] if len(x.split()) == 5]
    return [float(row[2]) for row in rows if row[0].isdigit()][:N_MODE]


def records():
    return json.loads(RECORDS.read_text())


def main():
    found = {name: {str(rate): run(name, rate) for rate in RATES} for name in BLADES}
    decks = {name: deck(name, RATES[1]) for name in BLADES}
    RECORDS.write_text(json.dumps({"frequencies": found, "decks": decks}) + "\n")


if __name__ == "__main__":
    main()
