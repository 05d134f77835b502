"""A free frame of two bars as Nastran files, and its matrices from textbook formulas.

`python -m tests.samples.nastran_files` writes the files of tests/data/nastran with pyNastran (bulk
data and DMIG) and pyYeti (OUTPUT4), where these are installed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "data" / "nastran"

# Grid numbers, places in the basic system [m], and number of the system CD of their freedoms
GRIDS = {11: ((0.0, 0.0, 0.0), 0), 14: ((0.8, 0.0, 0.0), 3), 30: ((0.8, 0.5, 0.2), 0)}
BARS = ((11, 14), (14, 30))
AREA, I_Y, I_Z, TORSION = 4e-4, 3e-8, 5e-8, 6e-8  # [m^2, m^4]
E, G, DENSITY = 70e9, 26e9, 2700.0
TURN = 0.6  # [rad] of system 3 about z


def axes(number: int) -> np.ndarray:
    """Columns: directions of a grid's freedoms."""
    c, s = np.cos(TURN), np.sin(TURN)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) if GRIDS[number][1] else np.eye(3)


def _bar(length: float) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass of a Bernoulli bar; freedoms x, y, z, turns, at both ends."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    m, l = DENSITY * AREA * length, length  # noqa: E741
    for rows, k, inertia in (
        ((0, 6), E * AREA / l, m),
        ((3, 9), G * TORSION / l, m * (I_Y + I_Z) / AREA),
    ):
        K[np.ix_(rows, rows)] += k * np.array([[1, -1], [-1, 1]])
        M[np.ix_(rows, rows)] += inertia / 6 * np.array([[2, 1], [1, 2]])
    bend = np.array(
        [
            [12, 6 * l, -12, 6 * l],
            [6 * l, 4 * l * l, -6 * l, 2 * l * l],
            [-12, -6 * l, 12, -6 * l],
            [6 * l, 2 * l * l, -6 * l, 4 * l * l],
        ]
    )
    mass = np.array(
        [
            [156, 22 * l, 54, -13 * l],
            [22 * l, 4 * l * l, 13 * l, -3 * l * l],
            [54, 13 * l, 156, -22 * l],
            [-13 * l, -3 * l * l, -22 * l, 4 * l * l],
        ]
    )
    for rows, signs, inertia in (
        ((1, 5, 7, 11), (1, 1, 1, 1), I_Z),
        ((2, 4, 8, 10), (1, -1, 1, -1), I_Y),
    ):
        S = np.outer(signs, signs)
        K[np.ix_(rows, rows)] += E * inertia / l**3 * bend * S
        M[np.ix_(rows, rows)] += m / 420 * mass * S
    return K, M


def basic() -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and mass (18, 18) along basic axes, translations of each grid first."""
    K, M = np.zeros((18, 18)), np.zeros((18, 18))
    numbers = list(GRIDS)
    for ends in BARS:
        a, b = (np.array(GRIDS[x][0]) for x in ends)
        x = (b - a) / np.linalg.norm(b - a)
        y = np.cross((0, 0, 1.0), x) / np.linalg.norm(np.cross((0, 0, 1.0), x))
        R = np.kron(np.eye(4), np.stack([x, y, np.cross(x, y)]))
        rows = [6 * numbers.index(e) + k for e in ends for k in range(6)]
        for whole, part in zip((K, M), _bar(float(np.linalg.norm(b - a))), strict=True):
            whole[np.ix_(rows, rows)] += R.T @ part @ R
    return K, M


def displaced() -> tuple[np.ndarray, np.ndarray]:
    """The same along the axes CD of the grids, as Nastran writes them."""
    T = np.zeros((18, 18))
    for k, number in enumerate(GRIDS):
        for part in (0, 3):
            rows = slice(6 * k + part, 6 * k + part + 3)
            T[rows, rows] = axes(number)
    return tuple(T.T @ x @ T for x in basic())


def main() -> None:
    """Write the files."""
    from pyNastran.bdf.bdf import BDF
    from pyyeti.nastran import op4

    DATA.mkdir(parents=True, exist_ok=True)
    model = BDF(debug=False)
    c, s = np.cos(TURN), np.sin(TURN)
    model.add_cord2r(3, [1.0, 2.0, 3.0], [1.0, 2.0, 4.0], [1.0 + c, 2.0 + s, 3.0])
    model.add_cord2c(5, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    for number, (place, cd) in GRIDS.items():
        if number == 30:  # in cylindrical coordinates
            place = (np.hypot(*place[:2]), np.rad2deg(np.arctan2(place[1], place[0])), place[2])
        model.add_grid(number, place, cp=5 if number == 30 else 0, cd=cd)
    labels = [(number, c) for number in GRIDS for c in range(1, 7)]
    pairs = [(i, j) for j in range(18) for i in range(j, 18)]
    for name, matrix in zip(("KAAX", "MAAX"), displaced(), strict=True):
        kept = [(i, j) for i, j in pairs if matrix[i, j] != 0.0]
        model.add_dmig(
            name,
            6,
            2,
            0,
            0,
            18,
            [labels[j] for _, j in kept],
            [labels[i] for i, _ in kept],
            np.array([matrix[x] for x in kept]),
        )
    model.write_bdf(str(DATA / "frame.bdf"), is_double=True, write_header=False)
    model.write_bdf(str(DATA / "frame_short.bdf"), size=8, write_header=False)
    K, M = displaced()
    for sparse in ("dense", "bigmat", "nonbigmat"):
        for kind, options in {
            "text": {"binary": False, "digits": 16},
            "little": {"endian": "<"},
            "big": {"endian": ">"},
        }.items():
            op4.write(
                str(DATA / f"{sparse}_{kind}.op4"),
                ["KAA", "MAA"],
                [K, M],
                sparse=sparse,
                forms=[6, 6],
                **options,
            )
    for kind, options in {
        "text": {"binary": False, "digits": 16},
        "little": {"endian": "<"},
    }.items():
        path = str(DATA / f"complex_{kind}.op4")
        op4.write(path, ["Z"], [K + 1j * M], sparse="nonbigmat", **options)


if __name__ == "__main__":
    main()
