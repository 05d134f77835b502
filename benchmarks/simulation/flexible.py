"""Simulation of swinging flexible links: lissom compared with Exudyn, MuJoCo and Pinocchio."""

from __future__ import annotations

from typing import Any

from ..depth import Depth
from ..peers.result import PeerRun, differences
from ..result import Requirement, Result
from ..timing import Progress
from .own_runs import best_runs
from .swinging_runs import (
    BEAMS,
    GENERALIZED_ALPHA,
    SEGMENTS,
    SHAPES,
    Plan,
    Point,
    exact_motions,
    modal,
    planned,
)
from .swinging_tables import modelling_table, step_table, way_table

STEP = 1e-3
PLANS = {
    "quick": Plan(
        n_link=2,
        duration=0.04,
        modes=(4,),
        swept=(4,),
        steps=(1e-3, 5e-3),
        rtols=(1e-3, 1e-8),
        peer_steps=(2e-3, 1e-3),
        segment_steps=(1e-3, 5e-4),
        beam_steps=(5e-4, 2.5e-4),
        rounds=1,
        sweep_rounds=1,
    ),
    "normal": Plan(swept=(4,), rounds=3, sweep_rounds=1),
    "full": Plan(rounds=8, sweep_rounds=2),
}

# A run with a larger error of the tip is no longer a simulation of the links [m].
LOST = 0.5

ABOUT = """Ten aluminium bars of 10 mm × 10 mm × 1 m on revolute joints are let go from the
horizontal and swing for a second, without damping; they bend by up to 2 mm. Half of the modes bend
a bar in the plane of its motion; the others bend it out of the plane and stay at rest. The models
without modes bend in the plane only. There are four kinds of models. *Modes*: lissom's with the
modes of clamped links, and Exudyn's bodies on floating frames with lissom's nodes, masses and
modes, which have the same equations in redundant coordinates with constraints. *Shapes*: lissom's
with three static shapes in the plane, at level `full` and `stiffened`. *Segments*: four rigid
segments in a link with springs between them, in MuJoCo, Pinocchio and lissom. *Beam elements*: four
of Exudyn's planar `ObjectANCFCable2D` in a link, which follow large deformations. Times are CPU
milliseconds on one thread for a simulated second, with a record every 20 ms; lissom's are those of
the whole call of `simulate`, the others' those of their integration alone. Exudyn's settings are
the fastest found: sparse Jacobian, reused while the iteration converges, Newton's iterations
stopped at 1e-6.

Errors are the largest over the second, of the position of the tip and of the bows (the distance of
the middle of a link from its chord, which shows the vibration). **Each is measured against the
converged solution of the same model**: it shows how well the equations are integrated, not how well
they describe the bars. The differences between the converged models are in a separate table, and in
the figures as a grey line: left of it a smaller error is useful only if the model is the right one.
Segments, beam elements and level `stiffened` shorten the chord of a bent link and become stiffer
under tension; links with linear modes do neither."""

Runs = dict[Point, PeerRun]


def run(depth: Depth, progress: Progress) -> Result:
    """Times of simulations of flexible links, and error against cost.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    plan = PLANS[depth.name]
    progress("converged solutions", 0, 1)
    exact = exact_motions(plan, fine=depth.name == "full")
    calls, absent = planned(plan, STEP)
    first = {point: call for point, call in calls.items() if _compared(point)}
    rest = {point: call for point, call in calls.items() if point not in first}
    visits = plan.rounds * len(first), plan.sweep_rounds * len(rest)

    def tell(done: int, _: int) -> None:
        progress("flexible links, 1 ms", done, sum(visits))

    def tell_rest(done: int, _: int) -> None:
        progress("flexible links, error against cost", visits[0] + done, sum(visits))

    runs: Runs = best_runs(first, plan.rounds, tell)
    runs |= best_runs(rest, plan.sweep_rounds, tell_rest)
    records = [_record(point, found, exact[point.model]) for point, found in runs.items()]
    records = [record for record in records if record["tip"] <= LOST]
    missing = f" Not installed here: {', '.join(absent)}." if absent else ""
    modelling, levels = modelling_table(exact)
    swept = [*map(modal, plan.swept), *SHAPES, SEGMENTS, BEAMS]
    return Result(
        name="simulate-flexible",
        title="Simulation of flexible links",
        about=ABOUT + missing,
        tables=(
            *(step_table(records, list(calls), modal(modes), STEP) for modes in plan.modes),
            modelling,
            *(way_table(records, swept, what, levels[what]) for what in ("tip", "bow")),
        ),
        requirements=tuple(_requirements(records, plan)),
        records=tuple(r | {"modelling": levels} for r in records),
    )


def _compared(point: Point) -> bool:
    """Whether a point is in the table of runs with one step."""
    return point.value == STEP or (point.kind, point.value) == ("rtol", 1e-8)


def _record(point: Point, found: PeerRun, exact: PeerRun) -> dict[str, Any]:
    return {
        "library": point.library,
        "model": point.model,
        "method": point.method,
        "kind": point.kind,
        "value": point.value,
        "setting": point.setting,
        "seconds": found.cost,
        **differences(found, exact),
    }


def _requirements(records: list[dict[str, Any]], plan: Plan) -> list[Requirement]:
    """Requirement: floating frames over lissom at the same step, the worst number of modes."""

    def seconds(library: str, model: str, method: str) -> float | None:
        for r in records:
            where = (r["library"], r["model"], r["method"], r["kind"], r["value"])
            if where == (library, model, method, "step", STEP):
                return float(r["seconds"])
        return None

    ratios: dict[float, str] = {}
    for modes in plan.modes if plan.n_link == Plan.n_link else ():
        own = seconds("lissom", modal(modes), GENERALIZED_ALPHA)
        other = seconds("Exudyn", modal(modes), "generalised α")
        if own and other:
            ratios[other / own] = modal(modes)
    worst = min(ratios, default=None)
    where = "" if worst is None else ratios[worst]
    what = (
        f"Exudyn's floating frames over lissom's {GENERALIZED_ALPHA}: 10 flexible links, "
        "steps of 1 ms"
    )
    return [Requirement("simulate flexible", what, "at least", 10.0, worst, where, "×")]
