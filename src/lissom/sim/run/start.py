"""Start of a run: its loads in a plan, and a state there that agrees with motions and loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...algorithms.loops.assembly import closed_state
from ...algorithms.loops.checks import OPEN, check_closed
from ...algorithms.tree.coordinates import error_sizes
from ...errors import LoadError, StateError
from ...kernels.layout import run
from ...options import RunOptions
from ...system import State, System
from ..events.event import Event
from ..integrators import EulerCromer
from ..loads import Load, Motion
from ..loads.forces import enter_forces
from .checks import listed
from .contact_checks import check_contact_names, check_contacts_apart
from .derivative_checks import check_given_derivatives
from .machine import Machine
from .plan import JointPlace, Plan
from .reasons import STEP_HINT, explained
from .settings import Settings

Array = np.ndarray

# Largest accepted difference between the initial state and a given motion: in radians or system
# lengths, and for rates in these per second plus the rate.  Values meant to agree differ by less.
APART, FASTER = 1e-5, 1e-4


def planned(system: System, forces: Any, loads: Any, events: Any) -> Plan:
    """Plan of all forces, loads and events, resolved against a system."""
    plan = Plan(system)
    user_events = listed(events, Event, "events")
    for load in listed(loads, Load, "loads"):
        plan.enter(load)
    enter_forces(plan, forces)
    check_contact_names(plan)
    for event in user_events:
        event.enter(plan)
    return plan


def with_motions(options: RunOptions) -> str:
    """Argument of `simulate` that contains the given motions, for the remedy in errors."""
    forces = options.forces if isinstance(options.forces, (list, tuple)) else [options.forces]
    arguments = {"loads": options.loads, "forces": forces}
    names = [name for name, x in arguments.items() if any(isinstance(y, Motion) for y in x)]
    return "[*loads, *forces]" if len(names) == 2 else (names or ["loads"])[0]


def at_rest(plan: Plan, state: State, time: float = 0.0, *, exact: bool = False) -> Machine:
    """Machine for evaluations at the start; it takes no steps."""
    settings = Settings(
        duration=1.0, start=time, step=1.0, output_step=1.0, integrator=EulerCromer()
    )
    machine = Machine(plan, settings, exact=exact)
    machine.begin(state.raw_q, np.zeros(plan.system.n_v), 1.0)
    return machine


def driven_bodies(plan: Plan) -> list[int]:
    """Bodies whose joints have a given motion that is on from the start."""
    first = dict(plan.starts)
    return [
        body for body, label in plan.driven.items() if any(first[x] for x in plan.active[label])
    ]


def at_motions(plan: Plan, state: State, time: float) -> State:
    """State with given motions inserted at a time; loops are not closed."""
    machine = at_rest(plan, state, time)
    machine.v[:] = state.raw_v
    machine.head.project = 0
    if machine.settle() == run.CALL_FAILED:
        raise _raised(plan)
    return State(plan.system, machine.q.copy(), machine.v.copy())


def initial_state(plan: Plan, state: State | None, time: float, loads: str) -> State:
    """Initial state of a run, by default on given motions; loops must be closed.

    `state`: user's state.
    """
    system, bodies = plan.system, driven_bodies(plan)
    if state is None and bodies and system.constraints:
        moved = at_motions(plan, system.neutral(), time)
        names = [system.names[body] for body in bodies]
        return closed_state(system, moved, held=names, stacklevel=4)
    start = system.neutral() if state is None else state
    check_closed(system, start.raw_q, start.raw_v, OPEN, _remedy(plan, time, loads))
    return start


def _remedy(plan: Plan, time: float, loads: str) -> str:
    """Call that makes a state that agrees with loops and given motions."""
    if not driven_bodies(plan):
        return "state = assemble(system, state)"
    instant = f", time={time!r}" if time else ""
    return f"state = assemble(system, state, loads={loads}{instant})"


def row_at_start(machine: Machine, state: State | None, loads: str) -> Array:
    """Row at the start, with the whole mechanism following given motions.

    Refuses a state that contradicts a motion, since the joint would jump at the first step, and
    motions that the loops do not permit.

    `state`: user's state.
    """
    if machine.system.constraints:
        status = machine.settle()
        if status != run.CALL_FAILED:  # `check_start` reports the function
            _check_on_motions(machine, state, machine.q, machine.v, loads)
            if status != 0:
                raise LoadError(f"the run cannot start: {explained(machine, status).message}")
    row = check_start(machine, keep_samples=True)
    q, v = (machine.columns.part(row[None], name)[0] for name in "qv")
    _check_on_motions(machine, state, q, v, loads)
    check_contacts_apart(machine, row)
    return row


def _check_on_motions(
    machine: Machine, state: State | None, q: Array, v: Array, loads: str
) -> None:
    """Refuse a state that contradicts given motions, which q and v contain."""
    plan, time = machine.plan, machine.settings.start
    bodies = driven_bodies(plan)
    if state is None or not bodies:
        return
    moved = State(plan.system, q, v)
    for body in bodies:
        name = plan.system.names[body]
        if jump := motion_jump(plan, body, state, moved):
            raise StateError(
                f"in the state joint {name!r} {jump} at t = {time:g} s; start on the motion: "
                f"{_remedy(plan, time, loads)} (in a model file: leave {name!r} and "
                f"'{name}.rates' out of the state)"
            )


def motion_jump(plan: Plan, body: int, state: State, moved: State) -> str:
    """Description of how a joint and its given motion differ; empty where they agree."""
    name, motion = plan.system.names[body], plan.driven[body]
    joint = plan.joint(name, motion)
    piece = slice(joint.v, joint.v + joint.n_v)
    sizes = error_sizes(plan.system)[0][piece]
    coordinates = joint.joint.plain_coordinates
    unit = f" {coordinates[0][1]}" if len(coordinates) == 1 else ""
    has, asked = state[name], moved[name]
    if _apart(joint, has, asked, sizes) > APART:
        return f"is at {_row(has)}{unit}, but {motion} has it at {_row(asked)}{unit}"
    has, asked = state.raw_v[piece], moved.raw_v[piece]
    if np.any(np.abs(has - asked) > FASTER * (sizes + np.maximum(np.abs(has), np.abs(asked)))):
        unit = unit and f"{unit}/s"
        return f"has the rate {_row(has)}{unit}, but {motion} gives it {_row(asked)}{unit}"
    return ""


def _apart(joint: JointPlace, has: Array, asked: Array, sizes: Array) -> float:
    """Distance of coordinates relative to their sizes; quaternions q and -q are equal."""
    turn = 0.0
    if joint.has_quaternion:
        a, b = has[:4], asked[:4]
        turn = 2 * min(np.abs(a - b).max(), np.abs(a + b).max())
        has, asked, sizes = has[4:], asked[4:], sizes[3:]
    elif joint.n_q != joint.n_v:  # no position can be given
        return 0.0
    return max(turn, float(np.max(np.abs(has - asked) / sizes, initial=0.0)))


def _row(x: Array) -> str:
    words = ", ".join(f"{value:.6g}" for value in x)
    return words if len(x) == 1 else f"[{words}]"


def _raised(plan: Plan) -> BaseException:
    """Exception to raise after a user's function failed at the start."""
    functions = plan.functions
    error = functions.taken()
    if isinstance(error, LoadError):
        return error
    failure = LoadError(f"{functions.failed} raised {type(error).__name__} at the start: {error}")
    failure.__cause__ = error
    return failure


def check_start(
    machine: Machine, *, keep_samples: bool = False, what: str = "the run cannot start"
) -> Array:
    """Row at the start; a mistake in a load is found here, not after hours."""
    memory, plan = machine.memory, machine.plan
    before = memory.copy()
    memory[run.FORCED] = 1.0
    status = machine.advance(0)
    rows = machine.rows()
    if keep_samples:
        for controller, row in zip(plan.controllers, plan.rows["controllers"], strict=True):
            forces = slice(row.forces, row.forces + machine.system.n_v)
            samples = slice(row.samples, row.samples + 1 + len(controller.memory))
            before[forces], before[samples] = memory[forces], memory[samples]
    memory[:] = before
    if status == run.CALL_FAILED:
        raise _raised(plan)
    if status not in (run.MORE, run.FINISHED):
        reason = explained(machine, status).message.replace(STEP_HINT, "")  # none has been made
        raise LoadError(f"{what}: {reason}")
    check_given_derivatives(plan, machine.q, machine.v, machine.time)
    return rows[0]


def check_ends(plan: Plan, settings: Settings) -> None:
    """Refuse a table of positions that ends while its joint moves, which would be an impact."""
    for what, is_start, t, slope in moving_ends(plan):
        if settings.start < t if is_start else settings.end > t:
            raise LoadError(
                f"{what}: the table {'starts' if is_start else 'ends'} at t = {t:g} s with a rate "
                f"of {slope[np.argmax(np.abs(slope))]:.3g}, and the run goes beyond; let the table "
                'cover the run, or use kind="rest" or clamped=True for a motion from rest to rest'
            )


def moving_ends(plan: Plan) -> Iterator[tuple[str, bool, float, Array]]:
    """Tables of positions that start or end with a rate: name, start or not, time, rate."""
    for what, table in plan.ends:
        sizes = np.abs(np.diff(table.values, axis=0)).max() / np.diff(table.times).min()
        ends = zip((True, False), table.times[[0, -1]], table.end_slopes(), strict=True)
        for is_start, t, slope in ends:
            if np.abs(slope).max() > 1e-6 * sizes:
                yield what, is_start, float(t), slope
