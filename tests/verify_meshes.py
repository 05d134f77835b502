"""Every mesh of the published robots in example-robot-data, beside Assimp's reading of it.

Assimp comes with Pinocchio, inside coal.  Compared are the bounds, and area and volume of STL and
Collada files of one part: coal numbers the triangles of further parts as if they were of the first,
and hollow quadrilaterals of OBJ files are cut along the other diagonal.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from lissom.errors import ModelError
from lissom.io.urdf.meshes import read_mesh
from tests.samples.urdf_files import robot_file
from tests.tools.measures import surface_measures

BOUND = 1e-5  # Assimp reckons in single precision; part of the size, the area or the volume


def compared(path: Path) -> tuple[float, bool]:
    """Largest difference, and whether areas and volumes were among them."""
    import coal

    other = coal.MeshLoader().load(str(path), np.ones(3))
    corners = other.vertices()
    pieces = read_mesh(path).pieces
    sums = [surface_measures(piece.vertices, piece.triangles) for piece in pieces]
    size = np.ptp(corners, axis=0).max()
    least, most = (pick([x[k] for x in sums], axis=0) for k, pick in ((2, np.min), (3, np.max)))
    worst = np.abs([least - corners.min(0), most - corners.max(0)]).max() / size
    whole = len(pieces) == 1 and path.suffix.lower() != ".obj"
    if whole:
        triangles = np.array(
            [[other.tri_indices(i)[k] for k in range(3)] for i in range(other.num_tris)]
        )
        whole = np.max(triangles) == len(corners) - 1
    if whole:
        area, volume, *_ = surface_measures(corners, triangles)
        worst = max(worst, abs(sums[0][0] - area) / area, abs(sums[0][1] - volume) / (area * size))
    return float(worst), bool(whole)


def main() -> int:
    """Compare all files and report."""
    folder = robot_file("")
    paths = [x for x in sorted(folder.rglob("*")) if x.suffix.lower() in (".dae", ".stl", ".obj")]
    bad, whole, worst = 0, 0, 0.0
    for path in paths:
        try:
            difference, area = compared(path)
        except (ModelError, ValueError) as error:
            print(f"{path.relative_to(folder)}: {error}")
            bad += 1
            continue
        worst, whole = max(worst, difference), whole + area
        if difference > BOUND:
            print(f"{path.relative_to(folder)}: {difference:.1e}")
            bad += 1
    print(
        f"{len(paths)} meshes: bounds, and areas and volumes of {whole}, differ from Assimp's by "
        f"{worst:.0e} at most; {bad} could not be compared or differ by more than {BOUND:g}"
    )
    return min(bad, 100)


if __name__ == "__main__":
    sys.exit(main())
