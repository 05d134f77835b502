"""Tables and bounds of the symbolic equations."""

from __future__ import annotations

from typing import Any

from ..drawing import Records, values
from ..result import Cell, Requirement, Table
from ..rigid import QUANTITIES

PEERS = ("Kane", "Lagrange")
FORMS = ("C", "Numba", "NumPy", "CasADi", "engine batch", "engine call")


def _part(records: Records, part: str) -> Records:
    return tuple(r for r in records if r["part"] == part)


def _by_way(records: Records) -> dict[str, dict[str, dict[str, Any]]]:
    """Records of derivations by mechanism and way."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for r in _part(records, "derivation"):
        found.setdefault(r["mechanism"], {})[r["way"]] = r
    return found


def _fewest(record: dict[str, Any]) -> int:
    found = (record["operations"], record["basic operations"])
    return min(count for count in found if count is not None)


def _ratio(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a / b


def seconds_table(records: Records) -> Table:
    """Seconds to derive the equations by each way.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    rows: list[tuple[Cell, ...]] = []
    for name, ways in _by_way(records).items():
        own = ways["lissom"]["seconds"]
        theirs = [ways[way]["seconds"] if way in ways else None for way in PEERS]
        worst = max(r["difference"] for r in ways.values())
        rows.append((name, own, *theirs, *(_ratio(t, own) for t in theirs), f"{worst:.0e}"))
    ratios = (f"{way} over lissom" for way in PEERS)
    header = ("mechanism", "lissom", *PEERS, *ratios, "largest difference")
    note = (
        "The difference is the largest of all ways, of mass matrix and bias at a random state, "
        "relative to the numbers of the compiled system. An empty cell was not tried at this "
        "depth."
    )
    return Table("CPU seconds to derive and to shorten", header, tuple(rows), note)


def operations_table(records: Records) -> Table:
    """Operations of the equations by each way.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    rows: list[tuple[Cell, ...]] = []
    for name, ways in _by_way(records).items():
        own = ways["lissom"]["operations"]
        cells: list[Cell] = [name, own]
        ratios: list[Cell] = []
        for way in PEERS:
            r = ways.get(way)
            cells += [r["operations"], r["basic operations"]] if r else [None, None]
            ratios.append(own / _fewest(r) if r else None)
        rows.append((*cells, *ratios))
    columns = [f"{way}{basic}" for way in PEERS for basic in ("", ", basic")]
    header = ("mechanism", "lissom", *columns, *(f"lissom over {way}" for way in PEERS))
    note = (
        '*Basic* is `sympy.cse` with `optimizations="basic"`, which takes several times as '
        "long and is tried at full depth; the ratio is to the smaller count. Below 1 lissom needs "
        "fewer."
    )
    return Table("Operations of mass matrix and bias", header, tuple(rows), note)


def large_table(records: Records) -> Table:
    """Chains that are too long for the other ways.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    rows: list[tuple[Cell, ...]] = [
        (f"{r['links']} links: mass matrix and bias", r["seconds"], r["operations"], None)
        for r in _part(records, "large")
    ]
    rows += [
        (f"{r['bodies']} links: C program, all functions", r["seconds"], None, r["lines"])
        for r in _part(records, "written")
    ]
    header = ("general chain", "seconds", "operations", "lines of C")
    return Table("Large chains with symbols", header, tuple(rows))


def growth_table(records: Records) -> Table:
    """Operations of forward dynamics against bodies.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    rows: list[tuple[Cell, ...]] = []
    last: dict[str, dict[str, Any]] = {}
    for r in _part(records, "growth"):
        before = last.get(r["kind"])
        more = None
        if before is not None:
            added = r["operations"] - before["operations"]
            more = added / (r["bodies"] - before["bodies"])
        each, left = r["operations"] / r["bodies"], f"{r['difference']:.0e}"
        rows.append((r["kind"], r["bodies"], r["seconds"], r["operations"], each, more, left))
        last[r["kind"]] = r
    header = ("chain", "bodies", "seconds", "operations", "for a body", "for each body more")
    note = (
        "The difference is the residual force of the accelerations, relative to the terms of its "
        "sum."
    )
    title = "Forward dynamics of chains with symbols"
    return Table(title, (*header, "largest difference"), tuple(rows), note)


def program_tables(records: Records, missing: str) -> tuple[Table, ...]:
    """Times of generated programs compared with the engine, and of their compilation.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    missing : str
        Description of what could not be measured; empty if nothing is missing.
    """
    programs = _part(records, "program")
    cells = {(r["mechanism"], r["quantity"], r["form"]): r for r in programs}
    tables = []
    for quantity in QUANTITIES:
        rows: list[tuple[Cell, ...]] = []
        for name in values(programs, "mechanism"):
            found = {form: cells.get((name, quantity, form)) for form in FORMS}
            times = {form: r["seconds"] for form, r in found.items() if r is not None}
            worst = max(r["difference"] or 0.0 for r in found.values() if r is not None)
            faster = _ratio(times["engine batch"], times.get("C"))
            micro = (1e6 * times[form] if form in times else None for form in FORMS)
            rows.append((name, *micro, faster, f"{worst:.0e}"))
        header = ("mechanism", *FORMS, "engine batch over C", "largest difference")
        tables.append(Table(f"{quantity.capitalize()} [µs]", header, tuple(rows), missing))
    return (*tables, _compile_table(programs))


def _compile_table(programs: Records) -> Table:
    cells = {
        (r["mechanism"], r["form"]): r["compile seconds"]
        for r in programs
        if "compile seconds" in r
    }
    names = values(programs, "mechanism")
    rows = tuple((name, *(cells.get((name, form)) for form in FORMS[:2])) for name in names)
    note = (
        "Wall-clock time for the three functions together; the engine is compiled once for all "
        "mechanisms."
    )
    return Table("Compiling the programs [s]", ("mechanism", *FORMS[:2]), rows, note)


def requirements(records: Records) -> tuple[Requirement, ...]:
    """Bounds; their value is None where the depth does not include them.

    Parameters
    ----------
    records : tuple of dict
        Records of the benchmark.
    """
    faster: dict[str, float] = {}
    fewer: dict[str, float] = {}
    large: dict[str, float] = {}
    for name, ways in _by_way(records).items():
        own = ways["lissom"]
        for way in PEERS:
            if own["freedoms"] >= 3 and way in ways:
                where = f"{name}, {way}"
                faster[where] = ways[way]["seconds"] / own["seconds"]
                fewer[where] = own["operations"] / _fewest(ways[way])
                if own["freedoms"] >= 4:
                    large[where] = faster[where]
    speed, length = "SymPy over lissom: seconds to the equations", "lissom over SymPy: operations"
    some, more = "from three joints on", "from four joints on"
    return (
        _bound("symbolic seconds", f"{speed}, {some}", "at least", 1.0, faster),
        _bound("symbolic seconds, large", f"{speed}, {more}", "at least", 5.0, large, aim=True),
        _bound("symbolic operations", f"{length}, {some}", "at most", 1.0, fewer),
        _bound("symbolic operations, half", f"{length}, {some}", "at most", 0.5, fewer, aim=True),
        _seconds(records, "large", "links", 10, "ten links with symbols derived", 30.0),
        _seconds(records, "written", "bodies", 30, "30 bodies with symbols written as C", 60.0),
        _growth(records),
    )


def _bound(
    key: str, what: str, bound: str, required: float, found: dict[str, float], *, aim: bool = False
) -> Requirement:
    """Bound on ratios; the least favourable one is used."""
    if not found:
        return Requirement(key, what, bound, required, None, unit="×", aim=aim)
    where = (min if bound == "at least" else max)(found, key=lambda name: found[name])
    return Requirement(key, what, bound, required, found[where], where, "×", aim)


def _seconds(records: Records, part: str, size: str, n: int, what: str, most: float) -> Requirement:
    found = [r["seconds"] for r in _part(records, part) if r[size] == n]
    key = f"symbolic {part}"
    return Requirement(key, what, "at most", most, max(found, default=None), unit="s", aim=True)


def _growth(records: Records) -> Requirement:
    """Ratio of the operations added by bodies 21 to 30 to those added by bodies 11 to 20."""
    growth = _part(records, "growth")
    count = {(r["kind"], r["bodies"]): r["operations"] for r in growth}
    steps: dict[str, float] = {}
    for kind in values(growth, "kind"):
        few, some, many = (count.get((kind, n)) for n in (10, 20, 30))
        if few and some and many:
            steps[f"{kind} chain"] = (many - some) / (some - few)
    what = "operations of forward dynamics, bodies 21 to 30 over 11 to 20"
    return _bound("symbolic growth", what, "at most", 1.05, steps)
