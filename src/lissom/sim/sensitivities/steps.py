"""Tangents of Runge-Kutta steps, for many steps at once.

Stage i of a step from (q0, v0), in local coordinates s of `charts`, tableau (A, b, c):
  s_i = h sum_j A_ij S_j    v_i = v0 + h sum_j A_ij X_j    S_i = s'(s_i, v_i)                 (1)
  (M + a) X_i = T_i - bias      T_i forces of loads and controls, a inertia of rotors         (2)
Their tangents by (delta_0, nu_0), parameters p and forces u_i of controls, one column each:
  delta_i = C_i delta_0 + G_i sigma_i    R_i = G_i^-1 nu_i + E_i sigma_i                      (3)
  N_i = X_q delta_i + X_v nu_i + X_p + X_u                                                    (4)
  (M + a) [X_q, X_v, X_p, X_u] = [T_q - D_q, T_v - D_v, -P, 1]                                (5)
with D, P of inverse dynamics at X_i.  At the end sums with b in (1) and (3).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...algorithms.tree import engine
from ...algorithms.tree.arguments import to_armature
from ...algorithms.tree.derivatives import check_compiled
from ...algorithms.tree.design import built_rows, design_rows
from ...algorithms.tree.design_parameters import Resolved
from ...errors import LoadError, SimulationError, SingularError
from ...kernels.run import fields as run
from ...system import System
from ..integrators.tableau import Tableau
from ..run.choice import at_rest
from ..run.start import planned
from . import charts
from .controls import Control

Array = np.ndarray

_APART = 1e-8  # relative distance between the end of a step found here and that of the run


class Steps(NamedTuple):
    """Consecutive steps of a run: times (k + 1,), coordinates and speeds (k + 1, ...)."""

    time: Array
    q: Array
    v: Array

    def between(self, first: int, last: int) -> Steps:
        """Steps from row `first` to row `last`."""
        return Steps(*(x[first : last + 1] for x in self))


class Stage(NamedTuple):
    """One stage of k steps.

    Attributes
    ----------
    q, v, x : arrays (k, n_q), (k, n_v), (k, n_v)
        Coordinates, speeds, accelerations.
    T_q, T_v : arrays (k, n_v, n_v) or None
        Derivatives of the forces of loads, if there are any.
    weights : list of arrays (k, n_time)
        Of the values of each control.
    charts : list of charts.Tangent
        Matrices of the local coordinates.
    """

    q: Array
    v: Array
    x: Array
    T_q: Array | None
    T_v: Array | None
    weights: list[Array]
    charts: list[charts.Tangent]


class Stages(NamedTuple):
    """Stages of k steps, and the matrices of the local coordinates at their ends."""

    stages: list[Stage]
    end: list[charts.Tangent]


class Tangents(NamedTuple):
    """Tangents of k steps: of the end [delta; nu] by the start, parameters and controls.

    Attributes
    ----------
    state : array (k, 2 n_v, 2 n_v)
    parameters : array (k, 2 n_v, n_parameter)
    controls : list of arrays (k, 2 n_v, n_stage, r)
        By the forces of each control in the stages.
    weights : list of arrays (k, n_stage, n_time)
        Of the values of each control in these forces.
    """

    state: Array
    parameters: Array
    controls: list[Array]
    weights: list[Array]


class StepTangents:
    """Tangents of the steps of one run.

    Parameters
    ----------
    system : System
        Compiled mechanism, a tree.
    tableau : Tableau
        Explicit method.
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
        tableau: Tableau,
        found: Resolved,
        controls: list[Control],
        loads: Any,
        forces: Any,
        what: str,
    ) -> None:
        check_compiled(system, what)
        self.system, self.tableau, self.found, self.controls = system, tableau, found, controls
        self.pieces = charts.group_pieces(system, what)
        whole = planned(system, forces, [*loads, *(c.actuator for c in controls)], ())
        _check_plan(whole, what)
        if whole.field and found.names:
            raise LoadError(
                f"{what}: a field of gravity acts on all mass, and its forces are not "
                "differentiated by the design; leave parameters out, or the field"
            )
        self.armature = whole.armature
        self._rotors = bool(np.any(self.armature))
        self._machine = None
        if len(loads) or forces is not None:
            others = planned(system, forces, loads, ())
            self._machine = at_rest(others, system.neutral(), 0.0, exact=True)

    def of(self, steps: Steps) -> Tangents:
        """Tangents of consecutive steps."""
        A, b = self.tableau.A, self.tableau.b
        n, k, p = self.system.n_v, len(steps.time) - 1, len(self.found.names)
        h = np.diff(steps.time)[:, None]
        rows = [control.n_value for control in self.controls]
        width = 2 * n + p + len(b) * sum(rows)
        start = np.zeros((k, 2 * n, width))
        start[:, np.arange(2 * n), np.arange(2 * n)] = 1.0
        R: list[Array] = []
        N: list[Array] = []
        made = self.stages(steps)
        for i, stage in enumerate(made.stages):
            slopes = self._slopes(i, stage, width)
            sigma, nu = _tangents_combined(A[i], h, R, N, start[:, n:])
            delta, rate = _charted(stage.charts, start[:, :n], sigma, nu)
            N.append(slopes[:, :, :n] @ delta + slopes[:, :, n : 2 * n] @ nu)
            N[-1][:, :, 2 * n :] += slopes[:, :, 2 * n :]  # (4)
            R.append(rate)
        sigma, nu = _tangents_combined(b, h, R, N, start[:, n:])
        delta, _ = _charted(made.end, start[:, :n], sigma, nu)
        whole = np.concatenate([delta, nu], axis=1)
        by_controls, first = [], 2 * n + p
        for r in rows:
            piece = whole[:, :, first : first + len(b) * r]
            by_controls.append(piece.reshape(k, 2 * n, len(b), r))
            first += len(b) * r
        weights = [np.stack([x.weights[c] for x in made.stages], axis=1) for c in range(len(rows))]
        return Tangents(whole[:, :, : 2 * n], whole[:, :, 2 * n : 2 * n + p], by_controls, weights)

    def stages(self, steps: Steps) -> Stages:
        """Stages (1), (2) of consecutive steps."""
        A, b, c = self.tableau.A, self.tableau.b, self.tableau.c
        h = np.diff(steps.time)[:, None]
        rates: list[Array] = []
        found: list[Stage] = []
        for i in range(len(b)):
            s, v = _combined(A[i], h, rates, [x.x for x in found], steps.v[:-1])
            q = charts.moved(self.system, self.pieces, steps.q[:-1], s)
            times = steps.time[:-1] + c[i] * h[:, 0]
            weights = [control.weights(steps.time[:-1], times) for control in self.controls]
            T, T_q, T_v = self._forces(steps.time[:-1], times, q, v, weights)
            x = self._accelerations(q, v, T)
            tangents = charts.tangents(self.pieces, s, v)
            found.append(Stage(q, v, x, T_q, T_v, weights, tangents))
            rates.append(charts.rates(self.pieces, s, v))
        s, v = _combined(b, h, rates, [x.x for x in found], steps.v[:-1])
        self._check_end(steps, charts.moved(self.system, self.pieces, steps.q[:-1], s), v)
        return Stages(found, charts.tangents(self.pieces, s, v))

    def derivatives(self, stage: Stage, out: Array | None = None) -> tuple[Array, Array]:
        """D (k, 3, n_v, n_v) of inverse dynamics less loads, M with rotors, and P (k, n_v, p)."""
        _, D, P = design_rows(self.system, self.found, stage.q, stage.v, stage.x, out=out)
        if stage.T_q is not None:
            D[:, 0] -= stage.T_q
            D[:, 1] -= stage.T_v
        if self._rotors:
            D[:, 2] += np.diag(self.armature)
        if self.found.built:
            built, _ = built_rows(self.system, self.found.built, stage.q, stage.v, stage.x)
            P = np.concatenate([P, built], axis=2)
        return D, P

    def _forces(
        self, start: Array, times: Array, Q: Array, V: Array, weights: list[Array]
    ) -> tuple[Array, Array | None, Array | None]:
        """Forces (k, n_v) of loads and controls, and derivatives of those of loads."""
        T = np.zeros_like(V)
        for control, found in zip(self.controls, weights, strict=True):
            T[:, control.speeds] += control.forces(found)
        machine = self._machine
        if machine is None:
            return T, None, None
        n = self.system.n_v
        T_q, T_v = np.zeros((len(Q), n, n)), np.zeros((len(Q), n, n))
        for k in range(len(Q)):
            # A table's value before a jump at the end of the step, as in the run.
            t = np.nextafter(times[k], start[k]) if times[k] > start[k] else times[k]
            machine.memory[run.TIME] = t
            machine.q[:], machine.v[:] = Q[k], V[k]
            status, forces, T_q[k], T_v[k] = machine.load_derivatives()
            T[k] += forces
            if status != 0:
                raise self._failed(t)
        return T, T_q, T_v

    def _failed(self, t: float) -> Exception:
        """Error for loads that have no forces or derivatives at a time."""
        assert self._machine is not None
        functions = self._machine.plan.functions
        error, functions.error = functions.error, None
        if error is not None:
            return LoadError(f"{functions.failed} raised {error!r} at t = {t:.9g} s")
        return SingularError(f"the coordinates of a joint are singular at t = {t:.9g} s")

    def _accelerations(self, Q: Array, V: Array, T: Array) -> Array:
        """Accelerations (k, n_v) (2)."""
        work, found = engine.workspace(self.system), np.empty_like(V)
        if self._rotors:
            work.set_armature(to_armature(self.system, self.armature))
        rows = (Q.ravel(), V.ravel(), T.ravel(), found.ravel())
        failed = work.accelerations(rows, False, engine.LEAST, engine.ALL, 0, len(Q))
        if self._rotors:
            work.set_armature(None)
        if failed >= 0:
            raise SimulationError("the accelerations of a stage are not finite; use a shorter step")
        return rows[3].reshape(found.shape)

    def _slopes(self, i: int, stage: Stage, width: int) -> Array:
        """Matrices [X_q, X_v, X_p, X_u] (5) of stage i."""
        n, p = self.system.n_v, len(self.found.names)
        D, P = self.derivatives(stage)
        right = np.zeros((len(D), n, width))
        right[:, :, :n], right[:, :, n : 2 * n] = -D[:, 0], -D[:, 1]
        right[:, :, 2 * n : 2 * n + p] = -P
        first, stages = 2 * n + p, len(self.tableau.b)
        for control in self.controls:
            r = control.n_value
            o = first + i * r
            right[:, control.speeds, o : o + r] = np.eye(r)
            first += stages * r
        return np.linalg.solve(D[:, 2], right)

    def _check_end(self, steps: Steps, q: Array, v: Array) -> None:
        """Check that the steps differentiated are those of the run."""
        for found, expected in ((q, steps.q[1:]), (v, steps.v[1:])):
            scale = 1.0 + np.abs(expected).max(initial=0.0)
            if not np.abs(found - expected).max(initial=0.0) <= _APART * scale:
                raise LoadError(
                    "a load acts in the run that has no derivatives here, or the step is divided "
                    "by corners of tables; leave it out, and let tables have their times on steps"
                )


def _check_plan(plan: Any, what: str) -> None:
    """Reject loads whose forces depend on more than time and state."""
    if plan.controllers:
        raise LoadError(
            f"{what}: sampled Controllers have no derivatives; give forces as a function"
        )
    if plan.driven:
        name = next(iter(plan.driven.values()))
        raise LoadError(f"{what}: {name} is a given motion; drive the joint by an Actuator instead")
    if plan.states:
        raise LoadError(
            f"{what}: a load has states of its own, such as the integral of a Servo, which are not "
            "differentiated; leave its integral out"
        )


def _combined(
    row: Array, h: Array, rates: list[Array], X: list[Array], v: Array
) -> tuple[Array, Array]:
    """Local coordinates and speeds of a stage (1)."""
    s, found = np.zeros_like(v), v.copy()
    for a, S_j, X_j in zip(row, rates, X, strict=False):
        if a != 0:
            s += h * a * S_j
            found += h * a * X_j
    return s, found


def _tangents_combined(
    row: Array, h: Array, R: list[Array], N: list[Array], start: Array
) -> tuple[Array, Array]:
    """Tangents sigma and nu of a stage (3)."""
    sigma, nu = np.zeros_like(start), start.copy()
    for a, R_j, N_j in zip(row, R, N, strict=False):
        if a != 0:
            w = h[:, :, None] * a
            sigma += w * R_j
            nu += w * N_j
    return sigma, nu


def _charted(
    tangents: list[charts.Tangent], start: Array, sigma: Array, nu: Array
) -> tuple[Array, Array]:
    """Tangents delta and R of a stage (3)."""
    delta, rate = start + sigma, nu.copy()
    for one in tangents:
        v = one.v
        delta[:, v] = one.C @ start[:, v] + one.G @ sigma[:, v]
        rate[:, v] = one.inverse @ nu[:, v] + one.E @ sigma[:, v]
    return delta, rate
