"""Forces of all loads on a mechanism and their derivatives.

Loads on nodes count as generalized forces, J^T w.  Derivatives are central differences of two
spacings, extrapolated; they are exact for forces that are polynomials of degree four.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.kinematics import node_jacobian, node_pose
from ..errors import LoadError, SingularError
from ..kernels.run import fields as run
from ..sim.run.choice import at_rest
from ..sim.run.drive_checks import check_drives
from ..sim.run.machine import Machine
from ..sim.run.plan import Plan
from ..sim.run.start import at_motions, check_start, driven_bodies, motion_jump, planned
from ..spatial import rotate
from ..system import State, System
from .names import speed_parts

Array = np.ndarray

SPACING = 1e-3  # of the differences, relative to the sizes of coordinates and speeds


@dataclass(frozen=True, eq=False)
class LoadTerms:
    """Generalized forces of all loads in a state, and their derivatives.

    Attributes
    ----------
    acceleration : array (n_v,)
        Rates of the speeds under the loads.
    forces : array (n_v,)
        Generalized forces, those that given motions need included.
    q, v, own : arrays (n_v, n_v), (n_v, n_v), (n_v, n_z)
        Derivatives of the forces by configuration, speeds and own states of loads.
    applied_q, applied_v, applied_own : arrays (n_v, n_v), (n_v, n_v), (n_v, n_z)
        The same without loads on nodes.
    wrenches : array (6 n_slot,)
        Moments and forces on the nodes of `places`, in their axes.
    wrench_q, wrench_v : arrays (6 n_slot, n_v)
        Their derivatives.
    places : list of (int, int)
        Body and node of each slot.
    armature : array (n_v,)
        Inertia of rotors.
    own_names : list of (str, str)
        Name and unit of each own state, such as the integral of a servo.
    own_q, own_v, own_own : arrays (n_z, n_v), (n_z, n_v), (n_z, n_z)
        Derivatives of their rates.
    driven : list of str
        Bodies whose joints follow given motions.
    """

    acceleration: Array
    forces: Array
    q: Array
    v: Array
    own: Array
    applied_q: Array
    applied_v: Array
    applied_own: Array
    wrenches: Array
    wrench_q: Array
    wrench_v: Array
    places: list[tuple[int, int]]
    armature: Array
    own_names: list[tuple[str, str]]
    own_q: Array
    own_v: Array
    own_own: Array
    driven: list[str]


def load_terms(system: System, state: State, forces: Any, loads: Any, time: float) -> LoadTerms:
    """Forces of all loads and their derivatives.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.
    forces, loads
        As for `simulate`.
    time : float
        Time at which they are evaluated [s].
    """
    plan = planned(system, forces, loads, ())
    check_drives(plan)
    _check_controllers(plan)
    _check_motions(plan, state, time)
    evaluate = _Evaluation(plan, state, time)
    n, n_z = system.n_v, len(plan.states)
    values = evaluate(state.raw_q, state.raw_v, evaluate.own)
    parts = evaluate.parts
    by_q, by_v = np.zeros((len(values), n)), np.zeros((len(values), n))
    by_z = np.zeros((len(values), n_z))
    if plan.loads or forces is not None:
        by_q, by_v, by_z = _derivatives(evaluate, state)
    names = speed_parts(system)
    own = [(f"{names[k][0]}.integral", f"{names[k][1]} s") for _, k, _ in plan.states]
    return LoadTerms(
        acceleration=values[parts["acceleration"]],
        forces=values[parts["forces"]],
        q=by_q[parts["forces"]],
        v=by_v[parts["forces"]],
        own=by_z[parts["forces"]],
        applied_q=by_q[parts["applied"]],
        applied_v=by_v[parts["applied"]],
        applied_own=by_z[parts["applied"]],
        wrenches=values[parts["wrenches"]],
        wrench_q=by_q[parts["wrenches"]],
        wrench_v=by_v[parts["wrenches"]],
        places=[(body, node) for _, body, node in plan.slots],
        armature=plan.armature,
        own_names=own,
        own_q=by_q[parts["own"]],
        own_v=by_v[parts["own"]],
        own_own=by_z[parts["own"]],
        driven=[system.names[body] for body in driven_bodies(plan)],
    )


def _derivatives(evaluate: _Evaluation, state: State) -> tuple[Array, Array, Array]:
    """Derivatives of all values by configuration, speeds and own states."""
    system, q, v, z = state.system, state.raw_q, state.raw_v, evaluate.own
    sizes = [SPACING * size for size in error_sizes(system)]

    def along_q(k: int, h: float) -> Array:
        return evaluate(moved(system, q, h * np.eye(system.n_v)[k]), v, z)

    def along_v(k: int, h: float) -> Array:
        return evaluate(q, v + h * np.eye(system.n_v)[k], z)

    def along_z(k: int, h: float) -> Array:
        return evaluate(q, v, z + h * np.eye(len(z))[k])

    found = []
    for along, spacings in ((along_q, sizes[0]), (along_v, sizes[1]), (along_z, 0.1 + 0 * z)):
        columns = [_slope(along, k, h) for k, h in enumerate(spacings)]
        found.append(np.array(columns).reshape(len(columns), evaluate.size).T)
    return found[0], found[1], found[2]


def _slope(along: Callable[[int, float], Array], k: int, h: float) -> Array:
    """Derivative from central differences of spacings h and h / 2."""
    far, near = ((along(k, s) - along(k, -s)) / (2 * s) for s in (h, h / 2))
    return (4 * near - far) / 3


class _Evaluation:
    """Accelerations, generalized forces, wrenches and rates of own states, as one vector."""

    def __init__(self, plan: Plan, state: State, time: float) -> None:
        self.system, self.plan, self.time = plan.system, plan, time
        self.machine: Machine = at_rest(plan, state, time)
        self.machine.v[:] = state.raw_v
        check_start(self.machine)
        place = plan.states_place
        self.own = self.machine.memory[place : place + len(plan.states)].copy()
        n, n_w, n_z = self.system.n_v, 6 * len(plan.slots), len(plan.states)
        ends = np.cumsum([n, n, n, n_w, n_z])
        names = ("acceleration", "forces", "applied", "wrenches", "own")
        starts = (0, *ends[:-1])
        self.parts = {x: slice(int(a), int(b)) for x, a, b in zip(names, starts, ends, strict=True)}
        self.size = int(ends[-1])

    def __call__(self, q: Array, v: Array, own: Array) -> Array:
        machine, plan = self.machine, self.plan
        place = plan.states_place
        kept = machine.memory[place : place + len(own)].copy()
        machine.memory[place : place + len(own)] = own
        status, row = machine.accelerations(self.time, q, v)
        rates = machine.own_rates.copy()
        machine.memory[place : place + len(own)] = kept
        self._check(status, row)
        part = {x: plan.columns.part(row[None], x)[0] for x in ("acceleration", "force", "wrench")}
        forces = part["force"] + self._on_nodes(q, part["wrench"].reshape(-1, 6))
        given = [part["acceleration"], forces, part["force"], part["wrench"], rates]
        return np.concatenate(given)

    def _on_nodes(self, q: Array, wrenches: Array) -> Array:
        """Generalized forces of loads on nodes."""
        total = np.zeros(self.system.n_v)
        if len(wrenches):
            state = State(self.system, q, total)
        for (_, i, node), wrench in zip(self.plan.slots, wrenches, strict=True):
            turn = node_pose(self.system, state, i, node).rotation
            total += node_jacobian(self.system, state, i, node).T @ rotate(turn, wrench)
        return total

    def _check(self, status: int, row: Array) -> None:
        functions = self.plan.functions
        if functions.error is not None:
            error, functions.error = functions.error, None
            if isinstance(error, LoadError):
                raise error
            raise LoadError(f"{functions.failed} raised {error!r}") from error
        if status not in (run.MORE, run.FINISHED) or not np.all(np.isfinite(row)):
            raise SingularError(
                f"{functions.blame()}the forces or accelerations beside the state are not finite; "
                "check the loads there"
            )


def _check_controllers(plan: Plan) -> None:
    if plan.controllers:
        raise LoadError(
            f"{plan.controllers[0].label}: a sampled controller has no linear model in continuous "
            "time; leave it out, and close its loop around model.discrete(period)"
        )


def _check_motions(plan: Plan, state: State, time: float) -> None:
    """Refuse a state that contradicts given motions."""
    if not driven_bodies(plan):
        return
    there = at_motions(plan, state, time)
    for body in driven_bodies(plan):
        if jump := motion_jump(plan, body, state, there):
            raise LoadError(
                f"in the state joint {plan.system.names[body]!r} {jump} at t = {time:g} s; start "
                "on the motion: state = assemble(system, state, loads=loads)"
            )
