"""Rods that bend far: error against cost beside Exudyn, cost of a link, iterations."""

from __future__ import annotations

from typing import Any

from ..depth import Depth
from ..peers.result import PeerRun
from ..result import Cell, Requirement, Result, Table
from ..simulation.own_runs import best_runs
from ..simulation.swinging_runs import Point
from ..timing import Progress
from .costs import cost_table
from .iterations import iteration_table
from .motions import MOTIONS, RodMotion
from .runs import DEFAULT, Plan, error, exact_motion, fine_motion, planned

PLANS = {
    "quick": Plan(
        functions=(3,),
        elements=(4,),
        parts=(5, 10),
        rtols=(1e-3,),
        explicit_rtols=(1e-3,),
        peer_tolerances=(1e-6,),
        finest=(6, 8),
        part=0.05,
        rounds=1,
    ),
    "normal": Plan(elements=(4, 8, 16, 32, 64), rounds=1),
    "full": Plan(),
}
TARGETS = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)  # in lengths
LOST = 0.3  # a larger error is no simulation of the motion

ABOUT = """Three motions of rods that bend far. *Soft pendulum*: a rod of 1 m and 1 kg on a pin,
with a bending stiffness of 1 N m² (ρAgL³/EI = 9.81) and L/r = 1000 (r: radius of gyration of the
section), is let go from the horizontal, 1 s. *Double pendulum*: two such rods with 10 N m² and
L/r = 100, whose stretch and shear matter, 1 s. *Right-angle frame* (Simo and Vu-Quoc, 1988): two
legs of 10 m, clamped, EA = GA = 10⁶ N, EI = GJ = 10³ N m², 1 kg/m, rotary inertia of the section 20
and 10 kg m; a force out of its plane at the elbow rises to 50 N in a second and falls to zero in
another; it then swings freely through more than its height, 15 s. lissom's rods have 3 to 8
functions of curvature in a plane (in space as many of torsion), and either half as many of stretch
and of shear or, "default", one of stretch and none of shear. Exudyn's are its geometrically exact
beams with two nodes, `ObjectBeamGeometricallyExact2D` and `ObjectBeamGeometricallyExact`, with
stretch and shear, by its generalised-α method with the fastest settings found: Jacobian dense up to
16 elements, else sparse, reused while the iteration converges, Newton's iteration stopped at 1e-6
or at 1e-4 of the residual.
Both have a spectral radius of their own: lissom's default is 0.8, Exudyn's is set to 0.9.

Times are CPU milliseconds on one thread for the whole motion; lissom's are those of the whole call
of `simulate`, Exudyn's those of its integration alone. The error is the largest distance of an end
of a rod, over the motion, from where it is in the converged motion, as a fraction of the length of
a rod: it is that of functions or mesh *and* of steps. The converged motion is that of rods with
twelve functions of every strain, extrapolated to small steps; Exudyn's, extrapolated in mesh and
step, is compared with it."""

Record = dict[str, Any]


def run(depth: Depth, progress: Progress) -> Result:
    """Error against cost of three motions, cost of a link, iterations of a step.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    plan = PLANS[depth.name]
    records: list[Record] = []
    rows: list[tuple[Cell, ...]] = []
    for motion in map(plan.shortened, MOTIONS):
        progress(f"{motion.name}: converged motion", 0, 1)
        exact, apart = exact_motion(motion, plan)
        default = fine_motion(motion, plan.finest[0], **DEFAULT)
        moved = error(default, exact, motion.length)
        rows.append((motion.name, None if apart is None else f"{apart:.0e}", f"{moved:.0e}"))
        calls = planned(motion, plan)

        def tell(done: int, total: int, name: str = motion.name) -> None:
            progress(name, done, total)

        found = best_runs(calls, plan.rounds, tell)
        records += [_record(motion, point, each, exact) for point, each in found.items()]
    records = [r for r in records if r["error"] <= LOST]

    def tell_cost(done: int, total: int) -> None:
        progress("cost of a link", done, total)

    costs, cost_records, dear = cost_table(depth, tell_cost)
    counts, count_records = iteration_table(depth.name == "quick")
    agreement = Table(
        "Converged motions: largest distance from rods with every strain, in lengths",
        ("motion", "Exudyn", "rods with one function of stretch, without shear"),
        tuple(rows),
        "Errors below the first distance are not told apart in the next tables.",
    )
    return Result(
        name="rods",
        title="Rods that bend far",
        about=ABOUT,
        tables=(agreement, *_tables(records), costs, counts),
        requirements=(_requirement(records, depth), dear),
        records=(*records, *cost_records, *count_records),
    )


def _record(motion: RodMotion, point: Point, found: PeerRun, exact: PeerRun) -> Record:
    return {
        "what": "run",
        "motion": motion.name,
        "library": point.library,
        "model": point.model,
        "method": point.method,
        "kind": point.kind,
        "value": point.value,
        "setting": point.setting,
        "seconds": found.seconds,
        "error": error(found, exact, motion.length),
    }


def cheapest(records: list[Record], motion: str, library: str, target: float) -> Record | None:
    """Fastest run of a library within an error.

    Parameters
    ----------
    records : list of dict
        Measured runs.
    motion, library : str
        Which runs.
    target : float
        Largest error, in lengths.
    """
    good = [r for r in records if (r["motion"], r["library"]) == (motion, library)]
    good = [r for r in good if r["error"] <= target]
    return min(good, key=lambda r: r["seconds"], default=None)


def _tables(records: list[Record]) -> list[Table]:
    """Fastest runs of both libraries for each error, one table for each motion."""
    tables = []
    for motion in dict.fromkeys(r["motion"] for r in records):
        rows: list[tuple[Cell, ...]] = []
        for target in TARGETS:
            own, other = (cheapest(records, motion, who, target) for who in ("lissom", "Exudyn"))
            ratio = other["seconds"] / own["seconds"] if own and other else None
            rows.append((f"{target:.0e}", *_cells(own), *_cells(other), ratio))
        header = ("error / length", "lissom [ms]", "with", "Exudyn [ms]", "with", "Exudyn over it")
        title = f"{motion[0].upper()}{motion[1:]}: fastest run within an error"
        note = (
            "A dash: no run was as accurate. Errors of functions or mesh and of steps may have "
            "opposite signs: a coarser run can be the more accurate one."
        )
        tables.append(Table(title, header, tuple(rows), note))
    return tables


def _cells(record: Record | None) -> tuple[Cell, Cell]:
    if record is None:
        return None, None
    way = f"{record['model']}, {record['method']}, {record['setting']}"
    return 1e3 * float(record["seconds"]), way


def _requirement(records: list[Record], depth: Depth) -> Requirement:
    """Aim: the least ratio of all motions and errors; an error only Exudyn reaches counts as 0."""
    ratios: dict[str, float] = {}
    for motion in dict.fromkeys(r["motion"] for r in records) if depth.name != "quick" else ():
        for target in TARGETS:
            own, other = (cheapest(records, motion, who, target) for who in ("lissom", "Exudyn"))
            if other:
                ratio = other["seconds"] / own["seconds"] if own else 0.0
                ratios[f"{motion}, {target:.0e}"] = ratio
    worst = min(ratios, key=ratios.__getitem__, default=None)
    what = "Exudyn's exact beams over lissom's rods: three motions, errors of 1e-2 to 1e-4 lengths"
    measured = None if worst is None else ratios[worst]
    return Requirement("rods", what, "at least", 1.0, measured, worst or "", "×", aim=True)
