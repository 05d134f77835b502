"""What is looked at before a run begins, in `simulate`, steppers and batches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...algorithms.loops.assembly import UNSEEN, attempt_closing
from ...algorithms.loops.frames import closure_jacobian, joint_jacobian, placed_loops
from ...algorithms.loops.redundancy import RANK
from ...algorithms.tree.composite import mass_matrix
from ...algorithms.tree.coordinates import error_sizes, hinge_speeds
from ...errors import LissomError, name_list
from ...system import State, System
from ..loads import JointStop
from ..run.drive_checks import warn_of_winding
from ..run.machine import Machine
from ..run.plan import Plan
from ..run.start import at_motions, driven_bodies
from .functions_of_time import warn_of_far_times, warn_of_jumps
from .gathering import say
from .inextensible import warn_of_inextensible

Array = np.ndarray


def warn_before(machine: Machine, row: Array, stacklevel: int, *, resumed: bool = False) -> None:
    """All warnings of a run that is put at its start, whose row this is."""
    warn_of_jumps(machine.plan, machine.settings, stacklevel + 1)
    warn_of_winding(machine, row, stacklevel + 1)
    if not resumed:
        warn_of_start(machine, row, stacklevel + 1)
    warn_of_far_times(machine, stacklevel)
    q = machine.columns.part(row[None], "q")[0]
    warn_of_inextensible(machine.system, q, stacklevel=stacklevel + 1)


def warn_of_start(machine: Machine, row: Array, stacklevel: int, *, ends: bool = True) -> None:
    """Warn of joints that start inside stops, and of motions that tear bodies."""
    plan, settings = machine.plan, machine.settings
    q, v, a = (machine.columns.part(row[None], name)[0] for name in ("q", "v", "acceleration"))
    warn_of_entered_stops(plan, q, v, a, stacklevel + 1)
    last = settings.end if ends else settings.start
    warn_of_contradictions(plan, q, v, settings.start, last, stacklevel + 1)


# Check that given motions do not tear the bodies of a loop.
#
# Rigid loops leave fewer motions free than joints, and refuse to be driven at more of them.  With a
# flexible body in the loop nothing refuses: the body is bent or stretched by what the motions
# differ by.  With A the Jacobian of the loops by hinges, bodies undeformed, f free and d driven
# columns:
#   rank [A_f A_d] > rank A_f                                                               (1)
# means that the driven joints cannot all be moved freely.  Then the mechanism is placed on the
# motions at some times, and bodies give way where they must; motions that agree bend nothing.

TIMES = 9  # at which motions are compared
RATE = 1e-6  # speed of the ends of loops, relative to sizes per second and the largest rate


@dataclass(frozen=True)
class _Tear:
    """What a body would have to give way at a time."""

    time: float
    words: str
    deflection: float


def warn_of_contradictions(
    plan: Plan, q: Array, v: Array, start: float, end: float, stacklevel: int
) -> None:
    """Warn of motions that the loops allow only if bodies bend.

    `start`, `end`: times between which the motions are compared [s].
    """
    system, bodies = plan.system, driven_bodies(plan)
    if len(bodies) < 2 or not system.constraints or system.n_v == int(hinge_speeds(system).sum()):
        return
    straight = State(system, _undeformed(system, q), v)
    names = [system.names[body] for body in bodies]
    n_driven, n_free, opening = _freedom(system, straight, bodies)
    if n_free >= n_driven:
        return
    worst = _worst(plan, straight, names, start, end)
    if worst is None and not opening:
        return
    what = worst.words if worst is not None else ""
    if not what:
        what = (
            f"their rates at t = {start:.4g} s differ, and open the loops at {opening:.3g} m/s if "
            "nothing bends"
        )
    say(
        "contradiction",
        worst.deflection if worst is not None else opening,
        f"the motions of {name_list(names)} contradict each other: the loops leave {n_free} of "
        f"these {n_driven} motions free while bodies keep their shapes, and the rest bends or "
        f"stretches bodies: {what}; give fewer motions, or motions that agree with the loops",
        stacklevel,
    )


def _undeformed(system: System, q: Array) -> Array:
    straight = q.copy()
    for i in range(system.n_body):
        straight[system.layout.modal_q(i)] = 0.0
    return straight


def _freedom(system: System, state: State, bodies: list[int]) -> tuple[int, int, float]:
    """Driven motions, how many of them are free (1), and the rate that is left [m/s]."""
    size, hinge = error_sizes(system)[0], hinge_speeds(system)
    A = closure_jacobian(system, state.raw_q, placed_loops(system, state.raw_q)) * size
    driven = np.zeros(system.n_v, dtype=bool)
    for body in bodies:
        driven[system.layout.hinge_v(body)] = True
    free = A[:, hinge & ~driven]
    n_driven, most = int(driven.sum()), RANK * float(np.abs(A).max(initial=0.0))
    rank = int(np.linalg.matrix_rank(free, tol=most)) if free.size else 0
    both = np.linalg.matrix_rank(np.hstack([free, A[:, driven]]), tol=most)
    asked = state.raw_v / size
    speed = A[:, driven] @ asked[driven]
    if free.size:
        speed = speed + free @ np.linalg.lstsq(free, -speed, rcond=RANK)[0]
    opening = float(np.linalg.norm(speed))
    small = RATE * system.length * float(np.abs(asked[driven]).max(initial=0.0))
    return n_driven, n_driven - (int(both) - rank), opening if opening > small else 0.0


def _worst(plan: Plan, state: State, names: list[str], start: float, end: float) -> _Tear | None:
    """The largest deformation that the motions ask for at some times."""
    system, tears = plan.system, list[_Tear]()
    for time in np.linspace(start, end, TIMES if end > start else 1):
        try:
            state = at_motions(plan, state, float(time))
        except LissomError:  # the run will tell
            break
        outcome = attempt_closing(system, state.raw_q, names)
        when = f"at t = {time:.4g} s"
        if not outcome.closed:
            gap = outcome.gap
            tears.append(_Tear(float(time), f"{when} loops stay open by {gap:.3g} m", np.inf))
            break
        bent = [x for x in outcome.bent if x.deflection > UNSEEN * system.length]
        if bent:
            most = max(bent, key=lambda one: one.energy)
            energy = sum(one.energy for one in outcome.bent)
            words = (
                f"{when} {most.name!r} by {most.deflection:.3g} m "
                f"({100 * most.deflection / most.length:.3g} % of its length), and all store "
                f"{energy:.3g} J"
            )
            tears.append(_Tear(float(time), words, most.deflection))
        state = State(system, outcome.by_hinges, state.raw_v)
    return max(tears, key=lambda one: one.deflection) if tears else None


# Check that no joint starts inside a stop that throws it out.

DEEP = 1e-6  # rad, or fraction of the length of the system, that is not worth a warning
LEAVES = 0.01  # acceleration out of the stop, beside what it would give the joint alone
# of joints that are free, and of those that are held
REMEDIES = (
    "start between the limits, or at rest on the stop: state = equilibrium(system, state, "
    "loads=loads)",
    "hold it between the limits, or leave out the stop",
)


def warn_of_entered_stops(
    plan: Plan, q: Array, v: Array, a: Array, stacklevel: int, held: Collection[str] = ()
) -> None:
    """Warn of joints inside of their stops that do not rest there.

    A joint that other forces hold in a stop, or press further in, is as it should be.
    """
    system = plan.system
    stops = [load for load in plan.loads if isinstance(load, JointStop) and load.on]
    for stop in stops:
        x, along, units = _joint(system, stop.joint, q)
        for k in range(len(x)):
            above = x[k] > stop.upper
            depth = float(x[k] - stop.upper if above else stop.lower - x[k])
            out = -1.0 if above else 1.0
            rate, leaving = out * float(along[k] @ v), out * float(along[k] @ a)
            force = stop.stiffness * depth * max(0.0, 1 - stop.damping * rate)
            least = DEEP * (system.length if units[k] == "m" else 1.0)
            if not depth > least or force <= 0:
                continue
            alone = force * _mobility(plan, q, along[k])
            driven = stop.joint in {system.names[body] for body in plan.driven}
            stays = stop.joint in held
            if leaving <= LEAVES * alone and not driven and not stays:
                continue
            limit = f"upper {stop.upper:.6g}" if above else f"lower {stop.lower:.6g}"
            unit = units[k]
            say(
                "starts in stops",
                depth,
                f"joint {stop.joint!r} {'is held' if stays else 'starts'} {depth:.3g} {unit} "
                f"inside a stop, at {x[k]:.6g} {unit} with {limit} {unit}: {stop.label} pushes it "
                f"out with {force:.3g} {'N' if unit == 'm' else 'N m'}; {REMEDIES[stays]}",
                stacklevel,
            )


def _joint(system: System, name: str, q: Array) -> tuple[Array, Array, list[str]]:
    """Coordinates (n,) of a joint of the tree or a loop, rows (n, n_v) to their rates, units."""
    if name in system.names:
        rows = np.eye(system.n_v)[system.layout.hinge_v(name)]
        joint = system.joints[system.names.index(name)]
        return q[system.layout.hinge_q(name)], rows, [unit for _, unit in joint.coordinates]
    k = [loop.name for loop in system.loops].index(name)
    (placed,) = placed_loops(system, q, [system.loops[k]])
    units = [unit for _, unit in system.loops[k].joint.coordinates]
    return placed.coordinates, joint_jacobian(system, q, placed), units


def _mobility(plan: Plan, q: Array, along: Array) -> float:
    """Acceleration along a coordinate for a unit of force there, other coordinates at rest."""
    system = plan.system
    M = mass_matrix(system, State.trusted(system, q, np.zeros(system.n_v)))
    inertia = M.diagonal() + plan.armature
    part = along * error_sizes(system)[0]
    k = int(np.argmax(np.abs(part)))
    return float(along[k] ** 2 / inertia[k]) if inertia[k] > 0 else 0.0
