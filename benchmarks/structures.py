"""From a finite-element file to a flexible body, by the size of the mesh; and a truss mast."""

from __future__ import annotations

import itertools
import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.io.structures.calculix.body import read_structure
from lissom.io.structures.mesh import mesh_structure
from lissom.structures import ALUMINIUM, CARBON, Tube
from lissom.structures.finite import Member, Patch, Structure, regions
from lissom.structures.finite.frame import frame_structure

from .depth import Depth
from .drawing import BLUE, GREEN, ORANGE, Records, new_panels
from .result import Requirement, Result, Table
from .timing import Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Record = dict[str, Any]

SIZE = (0.4, 0.1, 0.06)  # of the block [m]
# Elements along the edges: 12,000, 25,000 and 50,000 freedoms
COUNTS = {
    "quick": ((6, 2, 2), (8, 3, 2)),
    "normal": ((24, 8, 4), (34, 10, 5)),
    "full": ((24, 8, 4), (34, 10, 5), (44, 12, 7)),
}
BAYS = 22  # of the mast: 207 members
MODES = 8
GROWTH = 2.0  # power of the freedoms in the cost of factors of solid meshes, nested dissection

WAYS = {
    "from_mesh, rigid": lambda path: mesh_structure(path, ALUMINIUM, _ends("rigid")),
    "from_mesh, average": lambda path: mesh_structure(path, ALUMINIUM, _ends("average")),
    "read_calculix": lambda path: read_structure(path, {"root": "ROOT", "tip": "TIP"}),
}

ABOUT = f"""A block of quadratic hexahedra (C3D20) in a deck `.inp` becomes a flexible body of
{MODES} modes and the static shapes of two interfaces, the faces at its ends: by `from_mesh` with
rigid and with average ties, and by `read_calculix` without stored matrices. *Reading* is that of
the file with all checks, mass and stiffness; *reduction* finds the shapes and all that a body has,
stresses included. *Growth* is the power of the number of freedoms with which the whole time grows
from the row above. The mast is that of the gallery, 207 members, by `frame`. CPU seconds on one
thread."""


def run(depth: Depth, progress: Progress) -> Result:
    """Seconds from the file to the body, by way and size.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with (activity, steps done, total steps).
    """
    records: list[Record] = []
    cases = [*itertools.product(WAYS, COUNTS[depth.name])]
    with tempfile.TemporaryDirectory() as folder:
        files = {counts: _deck(counts, folder) for counts in COUNTS[depth.name]}
        for k, (way, counts) in enumerate(cases):
            progress(way, k, len(cases) + 1)
            make = WAYS[way]
            path, elements = files[counts], math.prod(counts)
            records.append(_timed(way, elements, lambda m=make, p=path: m(p), depth))  # type: ignore[misc]
    progress("mast", len(cases), len(cases) + 1)
    nodes, members = _mast()
    ports = {"root": len(nodes) - 2, "tip": len(nodes) - 1}
    made = _timed(
        "frame", len(members), lambda: frame_structure(nodes, members, interfaces=ports), depth
    )
    return Result(
        name="structures",
        title="Finite elements: from the file to the body",
        about=ABOUT,
        tables=(_table(records), _mast_table(made)),
        requirements=(_growth(records),),
        records=(*records, made),
    )


def _ends(tie: str) -> dict[str, Patch]:
    planes = {"root": regions.plane("x", 0.0), "tip": regions.plane("x", SIZE[0])}
    return {name: Patch(plane, tie=tie) for name, plane in planes.items()}


def _timed(way: str, elements: int, make: Callable[[], Structure], depth: Depth) -> Record:
    """Smallest CPU seconds of making a structure and of reducing it."""
    reading = reduction = math.inf
    for _ in range(depth.passes):
        start = time.process_time()
        found = make()
        middle = time.process_time()
        found.reduce(modes=MODES)
        reading = min(reading, middle - start)
        reduction = min(reduction, time.process_time() - middle)
    return {
        "way": way,
        "freedoms": found.n_freedom,
        "elements": elements,
        "reading seconds": reading,
        "reduction seconds": reduction,
        "seconds": reading + reduction,
    }


def _table(records: list[Record]) -> Table:
    rows = []
    for before, r in zip([None, *records], records, strict=False):
        seconds = (r["reading seconds"], r["reduction seconds"], r["seconds"])
        growth = _power(before, r) if before and before["way"] == r["way"] else None
        rows.append((r["way"], r["freedoms"], r["elements"], *seconds, growth))
    header = ("way", "freedoms", "elements", "reading", "reduction", "whole", "growth")
    return Table("Seconds from the file to the body", header, tuple(rows))


def _mast_table(r: Record) -> Table:
    header = ("freedoms", "members", "matrices", "reduction")
    row = (r["freedoms"], r["elements"], r["reading seconds"], r["reduction seconds"])
    return Table("Seconds of the mast", header, (row,))


def _power(small: Record, large: Record) -> float:
    times, sizes = (large[k] / small[k] for k in ("seconds", "freedoms"))
    return math.log(times) / math.log(sizes)


def _growth(records: list[Record]) -> Requirement:
    """Power of the freedoms with which the time grows from the smallest to the largest mesh."""
    powers = {}
    for way in WAYS:
        own = [r for r in records if r["way"] == way]
        powers[way] = _power(own[0], own[-1])
    worst = max(powers, key=powers.__getitem__)
    what = "power of the number of freedoms with which the time from file to body grows"
    return Requirement("structures", what, "at most", GROWTH, powers[worst], worst, aim=True)


# Nodes of a C3D20 on a grid of half elements
_CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
_EDGES = [(1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2)]
_EDGES += [(0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]


def _deck(counts: tuple[int, ...], folder: str) -> Path:
    """Deck of a block, with the node sets ROOT and TIP."""
    parts, half = np.array(counts), 2 * np.array(counts) + 1
    first = 2 * np.stack(np.meshgrid(*map(np.arange, parts), indexing="ij"), axis=-1)
    places = first.reshape(-1, 1, 3) + np.array(_CORNERS + _EDGES)
    used, cells = np.unique(
        np.ravel_multi_index(np.moveaxis(places, -1, 0), half), return_inverse=True
    )
    points = np.stack(np.unravel_index(used, half), axis=1) / (half - 1) * SIZE
    lines = ["*NODE", *(f"{k}, {x:.9g}, {y:.9g}, {z:.9g}" for k, (x, y, z) in _counted(points))]
    lines.append("*ELEMENT, TYPE=C3D20, ELSET=SOLID")
    for k, cell in _counted(cells.reshape(-1, 20) + 1):
        words = [str(x) for x in (k, *cell)]
        lines += [", ".join(words[:12]) + ",", ", ".join(words[12:])]
    for name, at in (("ROOT", 0.0), ("TIP", SIZE[0])):
        held = np.flatnonzero(np.abs(points[:, 0] - at) < 1e-9) + 1
        lines += [f"*NSET, NSET={name}", *(f"{n}," for n in held)]
    stiff, ratio = ALUMINIUM.youngs_modulus, ALUMINIUM.poisson_ratio
    lines += ["*MATERIAL, NAME=ALLOY", "*ELASTIC", f"{stiff}, {ratio}", "*DENSITY"]
    lines += [f"{ALUMINIUM.density}", "*SOLID SECTION, ELSET=SOLID, MATERIAL=ALLOY"]
    path = Path(folder, f"block_{'_'.join(map(str, counts))}.inp")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _counted(rows: Any) -> Any:
    return enumerate(rows, start=1)


def _mast() -> tuple[np.ndarray, list[Member]]:
    """Nodes and members of a mast of three longerons; the last nodes are its foot and its head."""
    angles = np.radians([90, 210, 330])
    corner = np.column_stack([np.zeros(3), 0.3 * np.cos(angles), 0.3 * np.sin(angles)])
    rings = [corner + np.array([0.55 * k, 0, 0]) for k in range(BAYS + 1)]
    nodes = np.vstack([*rings, [(0, 0, 0), (0.55 * BAYS, 0, 0)]])
    foot, top = len(nodes) - 2, 3 * BAYS
    tube, thin, stiff = Tube(0.012, 0.001), Tube(0.008, 0.0008), Tube(0.08, 0.003)
    members = []
    for k, c in itertools.product(range(BAYS), range(3)):
        here, beside = 3 * k + c, 3 * k + (c + 1) % 3
        members.append(Member(here, here + 3, tube, CARBON, parts=2))
        members.append(Member(here, beside, thin, CARBON, parts=1))
        members.append(Member(here, beside + 3, thin, CARBON, parts=1, pinned="both"))
    for c in range(3):
        members.append(Member(top + c, top + (c + 1) % 3, thin, CARBON, parts=1))
        members.append(Member(foot, c, stiff, CARBON, parts=1))
        members.append(Member(top + c, foot + 1, stiff, CARBON, parts=1))
    return nodes, members


def draw_structures(records: Records) -> Figure:
    """Seconds against freedoms, reading and the whole.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    figure, ((panel,),) = new_panels(1, 1, (5.0, 3.4))
    for colour, way in zip((BLUE, ORANGE, GREEN), WAYS, strict=True):
        own = [r for r in records if r["way"] == way]
        sizes = [r["freedoms"] for r in own]
        panel.loglog(sizes, [r["seconds"] for r in own], "o-", color=colour, label=way)
        panel.loglog(sizes, [r["reading seconds"] for r in own], "o:", color=colour, markersize=3)
    panel.set(xlabel="freedoms", ylabel="CPU seconds; dotted: reading", title="file to body")
    panel.legend(fontsize=7)
    return figure
