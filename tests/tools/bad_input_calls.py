"""One call with bad input in an interpreter of its own, timed.

`python -m tests.tools.bad_input_calls CALL FOLDER OPTIONS` reads what the call is given, calls it,
and prints the seconds and what was raised as JSON. The options, in JSON, are changes of its
arguments.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from functools import partial
from pathlib import Path

import lissom as ls

MEMORY = 8 << 30  # bytes that a call may take: a damaged file must not fill the machine
ENDS = {"root": {"plane": ["x", 0.0]}, "tip": {"plane": ["x", 0.8]}}


def regions(given):
    """Interfaces of JSON, in which regions are {"plane": [axis, place]}."""
    return {
        name: ls.regions.plane(*x["plane"]) if isinstance(x, dict) and "plane" in x else x
        for name, x in given.items()
    }


def from_matrices(folder, options):
    import numpy as np
    import scipy.sparse as sp

    M, K = (sp.load_npz(folder / f"{x}.npz") for x in "MK")
    nodes = np.load(folder / "nodes.npy")
    ends = {
        "root": np.flatnonzero(nodes[:, 0] == 0),
        "tip": np.flatnonzero(nodes[:, 0] == np.nanmax(nodes[:, 0])),
    }
    return partial(ls.from_matrices, M, K, nodes, ends | options.pop("interfaces", {}), **options)


def from_mesh(folder, options):
    path = folder / options.pop("file", "block.msh")
    ends = regions(ENDS | options.pop("interfaces", {}))
    return partial(ls.from_mesh, path, ls.STEEL, ends, **options)


def frame(folder, options):
    """A lattice tower of 1500 nodes."""
    import numpy as np

    x = [(0.5 * k, 0.1 * np.cos(a), 0.1 * np.sin(a)) for k in range(500) for a in (0, 2, 4)]
    tube, stop = ls.Tube(0.01, 0.001), len(x) - 3
    members = [ls.Member(k, k + 3, tube, ls.STEEL, parts=2) for k in range(stop)]
    members += [ls.Member(k, k + 4 if k % 3 < 2 else k + 1, tube, ls.STEEL) for k in range(stop)]
    members += [ls.Member(k, k + 1, tube, ls.STEEL) for k in (0, 1, stop, stop + 1)]
    for node, place in options.pop("nodes", []):
        x[node] = place
    for first, second in options.pop("members", []):
        members.append(ls.Member(first, second, tube, ls.STEEL))
    ends = {"root": 0, "tip": len(x) - 1} | options.pop("interfaces", {})
    return partial(ls.frame, x, members, interfaces=ends, **options)


def panel(folder, options):
    ends = {"root": "left", "tip": "right"} | options.pop("interfaces", {})
    size = options.pop("size", (2.0, 1.0, 0.02))
    return partial(ls.panel, *size, ls.CARBON, interfaces=ends, **{"divisions": (60, 30)} | options)


def read_calculix(folder, options):
    ends = {"root": "ROOT", "tip": "TIP"} | options.pop("interfaces", {})
    if "stresses" in options:
        options["stresses"] = folder / options["stresses"]
    return partial(ls.read_calculix, folder / "block.inp", interfaces=ends, **options)


def read_nastran(folder, options):
    file = folder / options.pop("file", "little.op4")
    matrices = {"mass": (file, "MAA"), "stiffness": (file, "KAA")}
    ends = {"root": list(range(1, 144))} | options.pop("interfaces", {})
    return partial(ls.read_nastran, folder / "block.bdf", interfaces=ends, **matrices | options)


def read_dmig(folder, options):
    given = {"mass": "MAAX", "stiffness": "KAAX", "interfaces": {"root": [1, 2, 3, 14, 15]}}
    return partial(ls.read_nastran, folder / "small.bdf", **given | options)


def load_body(folder, options):
    return partial(ls.load_body, folder / "wing.nc")


def main() -> None:
    """One call."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    call, folder, options = sys.argv[1:]
    prepared = globals()[call](Path(folder), json.loads(options))
    start = time.perf_counter()
    raised, words = "nothing", ""
    try:
        words = repr(prepared())
    except Exception as error:
        raised, words = type(error).__name__, str(error)
    print(json.dumps([time.perf_counter() - start, raised, words]))


if __name__ == "__main__":
    main()
