"""Forces on a mechanism at many instants of a run, and their derivatives.

With the generalized forces T of loads and controls, inertia a of rotors, accelerations x:
  (M + a) x = T - bias                                                                        (1)
and D, P the derivatives of inverse dynamics at x by state and by parameters of the design.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.tree import engine
from ...algorithms.tree.arguments import to_armature
from ...algorithms.tree.derivatives import check_compiled
from ...algorithms.tree.design import built_rows, design_rows, inertial_products
from ...algorithms.tree.design_parameters import (
    NONE,
    Resolved,
    built_system,
    signs_of_modes,
    spacing_of,
    split_inertias,
)
from ...errors import LoadError, SimulationError, SingularError
from ...kernels.layout import run
from ...kernels.layout.derivatives import DerivativesHeader
from ...kernels.tree.derivatives import design
from ...results.trajectory import Trajectory
from ...spatial import rotation_exp
from ...system import System
from ..loads.servo import KI, LIMIT, LIMITED_SERVO, PER_MOTION, SERVO
from ..run.machine import Machine
from ..run.start import at_rest, planned
from .controls import Control

# Forces of loads by parameters that move the places where they act.
#
# A load on a node pushes the coordinates through the geometry between them.  Derivatives of its
# generalized forces by places of joints and by users' functions are differences of order six
# between systems with changed parameters:
#   (45 (T_1 - T_-1) - 9 (T_2 - T_-2) + T_3 - T_-3) / 60 h                                      (1)

SPACING = 1e-3  # of displacements, in lengths of the system, and of turns [rad]
_WEIGHTS = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


class _Side(NamedTuple):
    """A changed system: its loads, the weight of their forces, and signs of its coordinates."""

    machine: Machine
    weight: float
    turned: Array
    signs: Array


class PlacedLoads:
    """Derivatives of the forces of loads by parameters of the design."""

    def __init__(
        self, system: System, parameters: Resolved, loads: Any, forces: Any, what: str
    ) -> None:
        self.n_parameter, self.columns = len(parameters.names), {}
        plan = planned(system, forces, loads, ())
        if not (plan.slots or plan.points or plan.fields):
            return
        rows = parameters.rows.reshape(-1, 3)
        directions = parameters.directions.reshape(-1, design.DIRECTION)
        for k, name in enumerate(parameters.names):
            if k >= len(rows):
                one = parameters.built[k - len(rows)]
                h = spacing_of(one)
                systems = {s: built_system(one, s) for s in _WEIGHTS}
            elif rows[k, 0] in (design.SHIFT, design.TURNING):
                h = SPACING * (system.length if rows[k, 0] == design.SHIFT else 1.0)
                systems = {s: _placed(system, rows[k], directions[k], s * h) for s in _WEIGHTS}
            elif rows[k, 0] == design.INERTIA and plan.fields:
                raise LoadError(
                    f"{what}: a field of gravity acts on all mass, so that its forces change with "
                    f"{name!r}; give a DesignParameter with a function that builds the model"
                )
            else:
                continue
            self.columns[k] = [
                _side(system, other, name, _WEIGHTS[s] / h, (forces, loads))
                for s, other in systems.items()
            ]

    def slopes(self, times: Array, Q: Array, V: Array) -> Array | None:
        """Derivatives (k, n_v, n_parameter) of the forces at times; None if all are zero."""
        if not self.columns:
            return None
        slopes = np.zeros((*V.shape, self.n_parameter))
        for column, sides in self.columns.items():
            for machine, weight, turned, signs in sides:
                for k, t in enumerate(times):
                    machine.memory[run.TIME] = t
                    machine.q[:], machine.v[:] = turned * Q[k], signs * V[k]
                    _, T, _, _ = machine.load_derivatives()
                    slopes[k, :, column] += weight * signs * T
        return slopes


def _placed(system: System, row: Array, direction: Array, amount: float) -> System:
    """System whose joint is displaced or turned on its carrier."""
    kind, i, _ = row
    change = amount * direction[:3]
    if kind == design.SHIFT:
        places = np.array(system.frame_position)
        places[i] += change
        return replace(system, frame_position=places)
    turns = np.array(system.frame_rotation)
    turns[i] = rotation_exp(change) @ turns[i]
    return replace(system, frame_rotation=turns)


def _side(system: System, other: System, name: str, weight: float, arguments: Any) -> _Side:
    forces, loads = arguments
    signs, turned = signs_of_modes(system, other, name), np.ones(system.n_q)
    for i in range(system.n_body):
        turned[system.layout.modal_q(i)] = signs[system.layout.modal_v(i)]
    machine = at_rest(planned(other, forces, loads, ()), other.neutral(), 0.0, exact=True)
    return _Side(machine, weight, turned, signs)


# Given motions in a run: what does not change with anything else.
#
# Accelerations of driven joints are functions of time, and so are their speeds unless the motion is
# given by accelerations, and their coordinates if it is given by positions.


class Driven(NamedTuple):
    """Speeds whose accelerations are given, whose values are, and whose coordinates are."""

    # x, v, q: indices among the speeds
    x: Array
    v: Array
    q: Array

    def still(self, n: int, change: Array) -> None:
        """Clear changes of what is given, in an array [displacement; change of speeds; ...]."""
        change[..., self.q, :] = 0.0
        change[..., n + self.v, :] = 0.0


def driven_speeds(plan: Any) -> Driven:
    """Driven speeds of a plan."""
    indices: tuple[list[int], list[int], list[int]] = ([], [], [])
    for row in plan.rows["motions"]:
        speeds = range(row.v, row.v + row.n)
        indices[0].extend(speeds)
        indices[1].extend(speeds if row.mode != run.ACCELERATION_ else ())
        indices[2].extend(speeds if row.mode == run.POSITION else ())
    return Driven(*(np.array(x, dtype=int) for x in indices))


# Integrals of servos, states of a run besides coordinates and speeds.
#
# A servo with the error e = target - q has the force kp e + kd e' + ki z, at most its limit, and
# z' = e except where the force is at its limit and the error demands more.


class IntegralServo(NamedTuple):
    """A servo with an integral."""

    joint: str  # body whose joint it drives
    states: slice  # places of its integrals among the states of all loads
    output: int  # place of its outputs: forces, errors, integrals
    # gains, limits: (r,) ki and limits
    gains: Array
    limits: Array

    def terms(self, machine: Machine) -> Array:
        """Rates of the integrals, their derivatives by coordinates, and those of the forces by z.

        After an evaluation of the forces: (3, r).
        """
        r = len(self.gains)
        outputs = machine.outputs[self.output : self.output + 2 * r]
        force, error = outputs[:r], outputs[r:]
        limited = np.abs(force) >= self.limits
        frozen = limited & (force * error > 0)
        return np.stack(
            [np.where(frozen, 0.0, error), np.where(frozen, 0.0, -1.0), self.gains * ~limited]
        )


def integral_servos(plan: Any, what: str) -> list[IntegralServo]:
    """Servos with integrals of a plan; other loads with states are refused."""
    servos: list[IntegralServo] = []
    table, system = plan.constants(), plan.system
    names = {system.layout.hinge_v(i).start: name for i, name in enumerate(system.names)
             if system.joints[i].n_v}  # fmt: skip
    for row in plan.rows["forces"]:
        if row.state == 0:
            continue
        if row.kind not in (SERVO, LIMITED_SERVO):
            break
        n, first, joint = row.n, row.state - run.LOAD_STATES, names[row.v]
        if any(one.joint == joint for one in servos):
            raise LoadError(
                f"{what}: two servos with integrals drive the joint {joint!r}; keep one"
            )
        numbers = table[row.constants : row.constants + PER_MOTION * n].reshape(n, -1)
        states = slice(first, first + n)
        servos.append(IntegralServo(joint, states, row.output, numbers[:, KI], numbers[:, LIMIT]))
    if sum(len(one.gains) for one in servos) != len(plan.states):
        raise LoadError(
            f"{what}: a load has states of its own that are not the integral of a Servo, such as "
            "those of a drive or a wheel, which are not differentiated; leave it out"
        )
    return servos


Array = np.ndarray


class Forces(NamedTuple):
    """Forces at k instants."""

    T: Array  # (k, n_v) generalized forces of loads and controls
    # T_q, T_v: (k, n_v, n_v) derivatives of those of loads, if there are any
    T_q: Array | None
    T_v: Array | None
    T_p: Array | None  # (k, n_v, n_parameter) derivatives by parameters, where loads act on nodes
    weights: list[Array]  # (k, n_time) of the values of each control
    # z_rate, z_q, T_z: (k, n_integral) rates of the integrals of servos, their derivatives by the
    # coordinate of each, and those of its force by the integral
    z_rate: Array
    z_q: Array
    T_z: Array


class Dynamics:
    """Forces, accelerations and derivatives of the dynamics of a run."""

    def __init__(
        self,
        system: System,
        parameters: Resolved,
        controls: list[Control],
        loads: Any,
        forces: Any,
        what: str,
    ) -> None:
        check_compiled(system, what)
        self.system, self.parameters, self.controls, self.what = system, parameters, controls, what
        self.apart = split_inertias(parameters)
        self.user_forces = forces
        self.all_loads = [*loads, *(c.actuator for c in controls)]
        whole = planned(system, forces, self.all_loads, ())
        _check_plan(whole, what)
        self.plan, self.stops = whole, np.unique(whole.stops)
        self.armature = whole.armature
        self._rotors = bool(np.any(self.armature))
        self._machine = None
        if len(loads) or forces is not None:
            others = planned(system, forces, loads, ())
            self._machine = at_rest(others, system.neutral(), 0.0, exact=True)
        self._placed = PlacedLoads(system, parameters, loads, forces, what)
        self._servos = integral_servos(whole, what)
        self.driven = driven_speeds(whole)
        self.jumps = DerivativesHeader(engine.workspace(system).derivatives[0], 0).jumps != 0
        self.integrals = np.array([speed for _, speed, _ in whole.states], dtype=int)

    @property
    def n_parameter(self) -> int:
        """Number of parameters."""
        return len(self.parameters.names)

    @property
    def n_value(self) -> int:
        """Number of values of all controls."""
        return sum(c.n_time * c.n_value for c in self.controls)

    @property
    def has_slopes(self) -> bool:
        """Whether there are loads whose forces have derivatives by the state."""
        return self._machine is not None

    def integrals_of(self, trajectory: Trajectory) -> Array:
        """Integrals (k, n_integral) of servos at the rows of a run."""
        integrals = np.zeros((len(trajectory.time), len(self.integrals)))
        for one in self._servos:
            values = np.asarray(trajectory[f"{one.joint}.servo_integral"])
            integrals[:, one.states] = values.reshape(len(integrals), -1)
        return integrals

    def forces(
        self, start: Array, times: Array, Q: Array, V: Array, Z: Array | None = None
    ) -> Forces:
        """Forces at times, within steps that began at `start`."""
        rates = np.zeros((3, len(Q), len(self.integrals)))
        weights = [control.weights(start, times) for control in self.controls]
        T = np.zeros_like(V)
        for control, w in zip(self.controls, weights, strict=True):
            T[:, control.speeds] += control.forces(w)
        machine = self._machine
        if machine is None:
            return Forces(T, None, None, None, weights, *rates)
        n = self.system.n_v
        T_q, T_v = np.zeros((len(Q), n, n)), np.zeros((len(Q), n, n))
        before = _before(start, times)
        for k, t in enumerate(before):
            machine.memory[run.TIME] = t
            machine.q[:], machine.v[:] = Q[k], V[k]
            if Z is not None:
                machine.states[:] = Z[k]
            status, forces, T_q[k], T_v[k] = machine.load_derivatives()
            T[k] += forces
            if status != 0:
                raise self._failed(t)
            if len(self.integrals):
                for one in self._servos:
                    rates[:, k, one.states] = one.terms(machine)
        return Forces(T, T_q, T_v, self._placed.slopes(before, Q, V), weights, *rates)

    def _failed(self, t: float) -> Exception:
        """Error for loads that have no forces or derivatives at a time."""
        assert self._machine is not None
        functions = self._machine.plan.functions
        error = functions.taken()
        if error is not None:
            return LoadError(f"{functions.failed} raised {error!r} at t = {t:.9g} s")
        return SingularError(f"the coordinates of a joint are singular at t = {t:.9g} s")

    def drive(self, start: Array, times: Array, Q: Array, V: Array) -> Array:
        """Write given motions at times to coordinates and speeds; their accelerations (k, n_v)."""
        accelerations, machine = np.zeros_like(V), self._machine
        if len(self.driven.x) == 0 or machine is None:
            return accelerations
        for k, t in enumerate(_before(start, times)):
            machine.memory[run.TIME] = t
            machine.q[:], machine.v[:] = Q[k], V[k]
            if machine.settle() != 0:
                raise self._failed(t)
            Q[k], V[k], accelerations[k] = machine.q, machine.v, machine.pieces.x
        return accelerations

    def accelerations(self, Q: Array, V: Array, T: Array, prescribed: Array | None = None) -> Array:
        """Accelerations (k, n_v) (1); `prescribed` has those of driven joints."""
        if prescribed is not None and len(self.driven.x):
            return self._driven_accelerations(Q, V, T, prescribed)
        work, X = engine.workspace(self.system), np.empty_like(V)
        rows = (Q.ravel(), V.ravel(), T.ravel(), X.ravel())
        with self.rotors_in(work):
            failed = work.accelerations(rows, False, engine.LEAST, engine.ALL, 0, len(Q))
        if failed >= 0:
            raise SimulationError(
                f"{self.what}: accelerations of the run are not finite; use a shorter step"
            )
        return rows[3].reshape(X.shape)

    @contextmanager
    def rotors_in(self, work: engine.Workspace) -> Iterator[None]:
        """Give a workspace the inertia of the rotors for a while."""
        if not self._rotors:
            yield
            return
        work.set_armature(to_armature(self.system, self.armature))
        try:
            yield
        finally:
            work.set_armature(None)

    def _driven_accelerations(self, Q: Array, V: Array, T: Array, prescribed: Array) -> Array:
        """Accelerations with driven joints: those of the others by the mass matrix."""
        x = np.zeros_like(V)
        x[:, self.driven.x] = prescribed[:, self.driven.x]
        needed, D, _ = design_rows(self.system, NONE, Q, V, x)
        M = D[:, 2] + np.diag(self.armature)
        self._put_driven(M)
        right = T - needed
        right[:, self.driven.x] = 0.0
        return x + np.linalg.solve(M, right[:, :, None])[:, :, 0]

    def _put_driven(self, M: Array) -> None:
        """Replace rows and columns of driven joints in mass matrices (k, n_v, n_v) by unit ones."""
        k = self.driven.x
        M[:, k, :] = M[:, :, k] = 0.0
        M[:, k, k] = 1.0

    def derivatives(
        self,
        Q: Array,
        V: Array,
        X: Array,
        acting: Forces,
        inertias: bool = True,
    ) -> tuple[Array, Array]:
        """D (k, 3, n_v, n_v) of inverse dynamics less loads, M with rotors, and P (k, n_v, p).

        P is without the columns of `apart.inertial` if `inertias` is False.
        """
        parameters = self.parameters if inertias else self.apart.resolved
        _, D, P = design_rows(self.system, parameters, Q, V, X)
        if acting.T_q is not None:
            D[:, 0] -= acting.T_q
            D[:, 1] -= acting.T_v
        if self._rotors:
            D[:, 2] += np.diag(self.armature)
        if parameters.built:
            built, _ = built_rows(self.system, parameters.built, Q, V, X)
            P = np.concatenate([P, built], axis=2)
        if acting.T_p is not None:
            P = P - (acting.T_p if inertias else acting.T_p[:, :, self.apart.others])
        if len(self.driven.x):
            D[:, :2, self.driven.x] = 0.0
            P[:, self.driven.x] = 0.0
            self._put_driven(D[:, 2])
        return D, P

    def by_inertias(self, Q: Array, V: Array, X: Array, Y: Array) -> Array:
        """Sum over k states of the columns `apart.inertial` of P times Y (k, n_v)."""
        chosen, parameters = self.apart.inertial, self.parameters
        if len(chosen) == 0:
            return np.zeros(0)
        products = inertial_products(self.system, Q, V, X, Y)
        bodies = parameters.rows.reshape(-1, design.PARAMETER)[chosen, design.BODY]
        directions = parameters.directions.reshape(-1, design.DIRECTION)[chosen]
        return np.einsum("pk,pk->p", directions, products[bodies])

    def inputs(self, P: Array, weights: list[Array]) -> Array:
        """Forces (k, n_v, p + n_value) of unit changes of all parameters and values of controls."""
        k, n, p = P.shape
        forces, first = np.zeros((k, n, p + self.n_value)), p
        forces[:, :, :p] = -P
        for control, w in zip(self.controls, weights, strict=True):
            r = control.n_value
            for c, speed in enumerate(range(control.speeds.start, control.speeds.stop)):
                forces[:, speed, first + c : first + control.n_time * r : r] = w
            first += control.n_time * r
        forces[:, self.driven.x] = 0.0
        return forces


def _before(start: Array, times: Array) -> Array:
    """Times within steps, before jumps at the ends of these, as in the run."""
    return np.where(times > start, np.nextafter(times, start), times)


def _check_plan(plan: Any, what: str) -> None:
    """Reject loads whose forces depend on more than time and state."""
    if plan.controllers:
        raise LoadError(
            f"{what}: sampled Controllers have no derivatives; give forces as a function"
        )
    if plan.driven and plan.system.constraints:
        name = next(iter(plan.driven.values()))
        raise LoadError(
            f"{what}: {name} is a given motion in a system with loops or couplings, which has no "
            "derivatives; drive the joint by an Actuator or a Servo instead"
        )
