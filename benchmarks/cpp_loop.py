"""Section of the page on Pinocchio without Python: constants measured by pinocchio_loop.cpp."""

from __future__ import annotations

from benchmarks.report import markdown_table
from benchmarks.result import Cell, Result, Table

# Microseconds on the rigid chain; the faster of both conventions, of -O3 and -O3 -march=native.
JOINTS = (7, 30, 100, 300)
TIMES = {
    "forward dynamics": (1.84, 8.36, 28.15, 84.7),
    "inverse dynamics": (0.95, 4.24, 14.1, 42.3),
    "mass matrix": (0.50, 3.49, 15.2, 75.3),
}
WHERE = "AMD EPYC, g++ -O3, Pinocchio 4.1.0, Eigen 3.4.0"


def section(rigid: Result) -> str:
    """Text and table, with lissom's times from the current run."""
    own = {
        (r["quantity"], r["n"]): 1e6 * r["seconds"]
        for r in rigid.records
        if (r["mechanism"], r["library"], r["form"]) == ("rigid chain", "lissom", "batch")
    }
    rows: list[tuple[Cell, ...]] = []
    for quantity, times in TIMES.items():
        for n, theirs in zip(JOINTS, times, strict=True):
            ours = own.get((quantity, n))
            rows.append((quantity, n, ours, theirs, theirs / ours if ours else None))
    header = ("quantity", "joints", "lissom batch", "Pinocchio in C++", "ratio")
    return f"""### Pinocchio without Python

Called from Python, `pin.crba` clears, mirrors and copies its matrix, which is a good part of its
time. `benchmarks/pinocchio_loop.cpp` calls Pinocchio in a C++ loop, where one triangle is filled
and nothing is copied. It was compiled and run once, not in this run ({WHERE};
`-march=native` made the mass matrix faster by a tenth and the rest slower).

{markdown_table(Table("Rigid chain [µs]", header, tuple(rows)))}"""
