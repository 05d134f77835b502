"""What acts on a mechanism at many instants of a run, and its derivatives.

With the generalized forces T of loads and controls, inertia a of rotors, accelerations x:
  (M + a) x = T - bias                                                                        (1)
and D, P the derivatives of inverse dynamics at x by state and by parameters of the design.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.tree import engine
from ...algorithms.tree.arguments import to_armature
from ...algorithms.tree.derivatives import check_compiled
from ...algorithms.tree.design import built_rows, design_rows, inertial_products
from ...algorithms.tree.design_parameters import NONE, Resolved, inertias_apart
from ...errors import LoadError, SimulationError, SingularError
from ...kernels.run import fields as run
from ...kernels.tree.derivatives import design, frames
from ...results.trajectory import Trajectory
from ...system import System
from ..run.choice import at_rest
from ..run.start import planned
from .controls import Control
from .integrals import integral_servos
from .motions import driven_speeds
from .placed_loads import PlacedLoads

Array = np.ndarray


class Forces(NamedTuple):
    """Forces at k instants.

    Attributes
    ----------
    T : array (k, n_v)
        Generalized forces of loads and controls.
    T_q, T_v : arrays (k, n_v, n_v) or None
        Derivatives of those of loads, if there are any.
    T_p : array (k, n_v, n_parameter) or None
        Derivatives by parameters, where loads act on nodes.
    weights : list of arrays (k, n_time)
        Of the values of each control.
    z_rate, z_q, T_z : arrays (k, n_integral)
        Rates of the integrals of servos, their derivatives by the coordinate of each, and those of
        its force by the integral.
    """

    T: Array
    T_q: Array | None
    T_v: Array | None
    T_p: Array | None
    weights: list[Array]
    z_rate: Array
    z_q: Array
    T_z: Array


class Dynamics:
    """Forces, accelerations and derivatives of the dynamics of a run.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    found : Resolved
        Parameters of the design.
    controls : list of Control
        Tables whose values are differentiated.
    loads, forces
        All other loads, as for `simulate`.
    what : str
        Name of the caller in errors.
    """

    def __init__(
        self,
        system: System,
        found: Resolved,
        controls: list[Control],
        loads: Any,
        forces: Any,
        what: str,
    ) -> None:
        check_compiled(system, what)
        self.system, self.found, self.controls, self.what = system, found, controls, what
        self.apart = inertias_apart(found)
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
        self._placed = PlacedLoads(system, found, loads, forces, what)
        self._servos = integral_servos(whole, what)
        self.driven = driven_speeds(whole)
        self.jumps = bool(engine.workspace(system).derivatives[0][frames.JUMPS])
        self.integrals = np.array([speed for _, speed, _ in whole.states], dtype=int)

    @property
    def n_parameter(self) -> int:
        """Number of parameters."""
        return len(self.found.names)

    @property
    def n_value(self) -> int:
        """Number of values of all controls."""
        return sum(c.n_time * c.n_value for c in self.controls)

    @property
    def has_slopes(self) -> bool:
        """Whether there are loads whose forces have derivatives by the state."""
        return self._machine is not None

    def integrals_of(self, made: Trajectory) -> Array:
        """Integrals (k, n_integral) of servos at the rows of a run."""
        found = np.zeros((len(made.time), len(self.integrals)))
        for one in self._servos:
            values = np.asarray(made[f"{one.joint}.servo_integral"])
            found[:, one.states] = values.reshape(len(found), -1)
        return found

    def forces(
        self, start: Array, times: Array, Q: Array, V: Array, Z: Array | None = None
    ) -> Forces:
        """Forces at times, within steps that began at `start`."""
        rates = np.zeros((3, len(Q), len(self.integrals)))
        weights = [control.weights(start, times) for control in self.controls]
        T = np.zeros_like(V)
        for control, found in zip(self.controls, weights, strict=True):
            T[:, control.speeds] += control.forces(found)
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
        found, machine = np.zeros_like(V), self._machine
        if len(self.driven.x) == 0 or machine is None:
            return found
        for k, t in enumerate(_before(start, times)):
            machine.memory[run.TIME] = t
            machine.q[:], machine.v[:] = Q[k], V[k]
            if machine.settle() != 0:
                raise self._failed(t)
            Q[k], V[k], found[k] = machine.q, machine.v, machine.given
        return found

    def accelerations(self, Q: Array, V: Array, T: Array, given: Array | None = None) -> Array:
        """Accelerations (k, n_v) (1); `given` has those of driven joints."""
        if given is not None and len(self.driven.x):
            return self._driven_accelerations(Q, V, T, given)
        work, found = engine.workspace(self.system), np.empty_like(V)
        rows = (Q.ravel(), V.ravel(), T.ravel(), found.ravel())
        with self.rotors_in(work):
            failed = work.accelerations(rows, False, engine.LEAST, engine.ALL, 0, len(Q))
        if failed >= 0:
            raise SimulationError(
                f"{self.what}: accelerations of the run are not finite; use a shorter step"
            )
        return rows[3].reshape(found.shape)

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

    def _driven_accelerations(self, Q: Array, V: Array, T: Array, given: Array) -> Array:
        """Accelerations with driven joints: those of the others by the mass matrix."""
        x = np.zeros_like(V)
        x[:, self.driven.x] = given[:, self.driven.x]
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
        found = self.found if inertias else self.apart.found
        _, D, P = design_rows(self.system, found, Q, V, X)
        if acting.T_q is not None:
            D[:, 0] -= acting.T_q
            D[:, 1] -= acting.T_v
        if self._rotors:
            D[:, 2] += np.diag(self.armature)
        if found.built:
            built, _ = built_rows(self.system, found.built, Q, V, X)
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
        chosen, found = self.apart.inertial, self.found
        if len(chosen) == 0:
            return np.zeros(0)
        products = inertial_products(self.system, Q, V, X, Y)
        bodies = found.rows.reshape(-1, design.PARAMETER)[chosen, design.BODY]
        directions = found.directions.reshape(-1, design.DIRECTION)[chosen]
        return np.einsum("pk,pk->p", directions, products[bodies])

    def inputs(self, P: Array, weights: list[Array]) -> Array:
        """Forces (k, n_v, p + n_value) of unit changes of all parameters and values of controls."""
        k, n, p = P.shape
        found, first = np.zeros((k, n, p + self.n_value)), p
        found[:, :, :p] = -P
        for control, w in zip(self.controls, weights, strict=True):
            r = control.n_value
            for c, speed in enumerate(range(control.speeds.start, control.speeds.stop)):
                found[:, speed, first + c : first + control.n_time * r : r] = w
            first += control.n_time * r
        found[:, self.driven.x] = 0.0
        return found


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
