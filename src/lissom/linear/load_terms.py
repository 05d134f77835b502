"""Forces of all loads on a mechanism and their derivatives.

Loads on nodes count as generalized forces, J^T w.  Derivatives by configuration and speeds are
those of `load_derivatives`.  What else depends on loads (their own states, moments and forces on
nodes) is differentiated when it is asked for, by central differences of two spacings,
extrapolated, which are exact for polynomials of degree four.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.kinematics import node_jacobian, node_pose
from ..errors import LoadError, SingularError
from ..kernels.layout import run
from ..sim.load_derivatives import load_derivatives
from ..sim.loads import Load, Motion
from ..sim.loads.rotor import WHEEL
from ..sim.run.checks import listed
from ..sim.run.drive_checks import check_drives
from ..sim.run.machine import Machine
from ..sim.run.plan import Plan
from ..sim.run.start import (
    at_motions,
    at_rest,
    check_start,
    driven_bodies,
    motion_jump,
    planned,
)
from ..spatial import rotate
from ..system import State, System
from .names import speed_parts, wheel_name

Array = np.ndarray

SPACING = 1e-3  # of the differences, relative to the sizes of coordinates and speeds


@dataclass(frozen=True, eq=False)
class LoadTerms:
    """Generalized forces of all loads in a state, and their derivatives."""

    acceleration: Array  # (n_v,) rates of the speeds under the loads and given motions
    forces: Array  # (n_v,) generalized forces of the loads, without those that given motions need
    # q, v: (n_v, n_v) derivatives of the forces by configuration and speeds
    q: Array
    v: Array
    applied: Array  # (n_v,) the part of the forces that acts on joints and modes of the tree
    # (6 n_slot,) moments and forces on the nodes of `places`, in their axes; those of loads on
    # joints of loops are among them
    wrenches: Array
    places: list[tuple[int, int]]  # (int, int) body and node of each slot
    armature: Array  # (n_v,) inertia of rotors
    # (str, str) name and unit of each own state, such as the integral of a servo
    own_names: list[tuple[str, str]]
    own_rates: Array  # (n_z,) rates of the own states
    driven: list[str]  # bodies whose joints follow given motions
    plan: Plan  # all loads, and given motions
    differences: Differences  # derivatives of everything else, without given motions

    def by_q(self, part: str) -> Array:
        """Derivatives by configuration of a part of `Differences`, such as "wrenches"."""
        if part == "applied" and not self.places:  # nothing acts elsewhere
            return self.q
        return self.differences.by_q[self.differences.parts[part]]

    def by_v(self, part: str) -> Array:
        """The same by speeds."""
        if part == "applied" and not self.places:
            return self.v
        return self.differences.by_v[self.differences.parts[part]]

    def by_own(self, part: str) -> Array:
        """The same by own states; also of all "forces"."""
        if part != "forces":
            return self.differences.by_own[self.differences.parts[part]]
        system, state = self.differences.system, self.differences.state
        wrenches, applied = self.by_own("wrenches"), self.by_own("applied")
        for k, (i, node) in enumerate(self.places):
            turn = node_pose(system, state, i, node).rotation
            at_node = rotate(turn, wrenches[6 * k : 6 * k + 6])
            applied = applied + node_jacobian(system, state, i, node).T @ at_node
        return applied


def load_terms(system: System, state: State, forces: Any, loads: Any, time: float) -> LoadTerms:
    """Forces of all loads and their derivatives."""
    plan = planned(system, forces, loads, ())
    check_drives(plan)
    _check_controllers(plan)
    _check_motions(plan, state, time)
    driven = [system.names[body] for body in driven_bodies(plan)]
    loaded = bool(plan.loads) or forces is not None
    whole, rest = plan, Differences(plan, state, time, loaded)
    values, parts = rest(state.raw_q, state.raw_v, rest.own_states), rest.parts
    acceleration = values[parts["acceleration"]]
    if driven:  # what motions need depends on what else is held
        plan = planned(system, *_without_motions(forces, loads), ())
        rest = Differences(plan, state, time, loaded)
        values = rest(state.raw_q, state.raw_v, rest.own_states)
    exact = load_derivatives(system, state, loads, forces=forces, time=time)
    return LoadTerms(
        acceleration=acceleration,
        forces=exact.forces,
        q=exact.q,
        v=exact.v,
        applied=values[parts["applied"]],
        wrenches=values[parts["wrenches"]],
        places=[(body, node) for _, body, node in plan.slots],
        armature=plan.armature,
        own_names=_own_names(plan),
        own_rates=values[parts["own"]],
        driven=driven,
        plan=whole,
        differences=rest,
    )


def _own_names(plan: Plan) -> list[tuple[str, str]]:
    """Name and unit of each own state: integrals of servos, speeds of wheels."""
    names = speed_parts(plan.system)
    parts = [(f"{names[k][0]}.integral", f"{names[k][1]} s") for _, k, _ in plan.states]
    labels = {place: label for label, places in plan.active.items() for place in places}
    loads = {load.label: load for load in plan.loads}
    for row in plan.rows["forces"]:
        if row.kind == WHEEL:
            wheel = loads[labels[int(row.active)]]
            place = int(row.state) - run.LOAD_STATES
            parts[place] = (f"{wheel_name(wheel)}.speed", "rad/s")
    return parts


def _without_motions(forces: Any, loads: Any) -> tuple[Any, list[Load]]:
    """Arguments without given motions."""
    rest = [load for load in listed(loads, Load, "loads") if not isinstance(load, Motion)]
    if isinstance(forces, Load):
        forces = [forces]
    if isinstance(forces, (list, tuple)) and all(isinstance(x, Load) for x in forces):
        forces = [x for x in forces if not isinstance(x, Motion)] or None
    return forces, rest


def _slope(along: Callable[[int, float], Array], k: int, h: float) -> Array:
    """Derivative from central differences of spacings h and h / 2."""
    far, near = ((along(k, s) - along(k, -s)) / (2 * s) for s in (h, h / 2))
    return (4 * near - far) / 3


class Differences:
    """Accelerations, forces, wrenches and rates of states as one vector, and its derivatives."""

    def __init__(self, plan: Plan, state: State, time: float, loaded: bool) -> None:
        self.system, self.plan, self.time = plan.system, plan, time
        self.state, self.loaded = state, loaded
        self.machine: Machine = at_rest(plan, state, time)
        self.machine.v[:] = state.raw_v
        check_start(self.machine, what="there are no accelerations in this state")
        place = plan.states_place
        self.own_states = self.machine.memory[place : place + len(plan.states)].copy()
        n, n_w, n_z = self.system.n_v, 6 * len(plan.slots), len(plan.states)
        ends = np.cumsum([n, n, n_w, n_z])
        names = ("acceleration", "applied", "wrenches", "own")
        starts = (0, *ends[:-1])
        self.parts = {x: slice(int(a), int(b)) for x, a, b in zip(names, starts, ends, strict=True)}
        self.size = int(ends[-1])

    @cached_property
    def by_q(self) -> Array:
        """Derivatives (size, n_v) by configuration."""
        system, q, v = self.system, self.state.raw_q, self.state.raw_v
        eye, sizes = np.eye(system.n_v), SPACING * error_sizes(system)[0]
        return self._columns(
            lambda k, h: self(moved(system, q, h * eye[k]), v, self.own_states), sizes
        )

    @cached_property
    def by_v(self) -> Array:
        """Derivatives (size, n_v) by speeds."""
        q, v, eye = self.state.raw_q, self.state.raw_v, np.eye(self.system.n_v)
        sizes = SPACING * error_sizes(self.system)[1]
        return self._columns(lambda k, h: self(q, v + h * eye[k], self.own_states), sizes)

    @cached_property
    def by_own(self) -> Array:
        """Derivatives (size, n_z) by own states of loads."""
        q, v, eye = self.state.raw_q, self.state.raw_v, np.eye(len(self.own_states))
        return self._columns(
            lambda k, h: self(q, v, self.own_states + h * eye[k]), 0.1 + 0 * self.own_states
        )

    def _columns(self, along: Callable[[int, float], Array], spacings: Array) -> Array:
        if not self.loaded:
            return np.zeros((self.size, len(spacings)))
        columns = [_slope(along, k, h) for k, h in enumerate(spacings)]
        return np.array(columns).reshape(len(columns), self.size).T

    def __call__(self, q: Array, v: Array, own_states: Array) -> Array:
        """Values at a configuration, speeds and own states."""
        machine = self.machine
        place = self.plan.states_place
        original = machine.memory[place : place + len(own_states)].copy()
        machine.memory[place : place + len(own_states)] = own_states
        status, row = machine.accelerations(self.time, q, v)
        rates = machine.own_rates.copy()
        machine.memory[place : place + len(own_states)] = original
        self._check(status, row)
        names = ("acceleration", "force", "wrench")
        a, force, wrench = (machine.columns.part(row[None], x)[0] for x in names)
        return np.concatenate([a, force, wrench, rates])

    def _check(self, status: int, row: Array) -> None:
        functions = self.plan.functions
        if (error := functions.taken()) is not None:
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
