"""Tangents of Runge-Kutta steps, for many steps at once.

Stage i of a step from (q0, v0), in local coordinates s of `charts`, tableau (A, b, c):
  s_i = h sum_j A_ij S_j    v_i = v0 + h sum_j A_ij X_j    S_i = s'(s_i, v_i)                 (1)
  (M + a) X_i = T_i - bias      T_i forces of loads and controls, a inertia of rotors         (2)
Their tangents by (delta_0, nu_0), parameters p and forces u_i of controls, one column each:
  delta_i = C_i delta_0 + G_i sigma_i    R_i = G_i^-1 nu_i + E_i sigma_i                      (3)
  N_i = X_q delta_i + X_v nu_i + X_p + X_u                                                    (4)
  (M + a) [X_q, X_v, X_p, X_u] = [T_q - D_q, T_v - D_v, -P, 1]                                (5)
with D, P of inverse dynamics at X_i.  At the end sums with b in (1) and (3).  Integrals of servos
are stepped like v, with forces T_z z and rates that depend on q.  With A, B of a step,
  z_(k+1) = A_k z_k + B_k dp                                                                  (6)
Backward in time, in compiled code: `kernels.run.adjoint`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...algorithms.tree import engine
from ...errors import SingularError
from ...kernels import fields as field
from ...kernels.run.adjoint import ADJOINT_STEPS, work_size
from ..integrators.tableau import Tableau
from . import charts
from .dynamics import Dynamics, Forces
from .steps import GradientShare, Steps, StepTangents, check_ends

Array = np.ndarray


class Stage(NamedTuple):
    """One stage of k steps."""

    # q, v, x: (k, n_q), (k, n_v), (k, n_v) coordinates, speeds, accelerations
    q: Array
    v: Array
    x: Array
    acting: Forces  # forces of loads and controls
    charts: list[charts.ChartTangent]  # matrices of the local coordinates


class StageMatrices(NamedTuple):
    """Stages of k steps, and the matrices of the local coordinates and the states at their ends."""

    stages: list[Stage]
    end: list[charts.ChartTangent]
    q: Array
    v: Array


class ExplicitTangents(StepTangents):
    """Tangents of the steps of an explicit Runge-Kutta method."""

    def __init__(self, dynamics: Dynamics, steps: Steps, tableau: Tableau) -> None:
        super().__init__(dynamics, steps)
        self.tableau = tableau
        self.pieces = charts.group_pieces(dynamics.system, dynamics.what)

    @property
    def rows(self) -> int:
        """Displacement, change of speeds, change of integrals."""
        return 2 * self.dynamics.system.n_v + len(self.dynamics.integrals)

    @property
    def numbers(self) -> int:
        """Numbers in memory for each step of a block."""
        of, stages = self.dynamics, len(self.tableau.b)
        width = self.rows + of.n_parameter + stages * sum(c.n_value for c in of.controls)
        return of.system.n_v * width * 2 * stages

    @property
    def by_matrices(self) -> bool:
        """Whether the matrices of steps are formed backward in time, too."""
        of = self.dynamics
        return bool(of.system.constraints or len(of.integrals) or len(of.driven.x) or of.jumps)

    @property
    def numbers_backward(self) -> int:
        """Numbers in memory for each step of a block, backward in time."""
        if self.by_matrices:
            return self.numbers
        of = self.dynamics
        n, others = of.system.n_v, len(of.apart.others)
        matrices = (3 if others else 0) + (4 if of.has_slopes else 0)
        return len(self.tableau.b) * n * (6 + others + matrices * n)

    def forward(self, first: int, last: int, change: Array) -> Array:
        """Changes at the ends of steps (6)."""
        states, inputs = self.tangents(self.steps.between(first, last))
        changes = np.empty((last - first, *change.shape))
        for j in range(last - first):
            change = states[j] @ change
            change[:, change.shape[1] - inputs.shape[2] :] += inputs[j]
            changes[j] = change
        return changes

    def tangents(self, steps: Steps) -> tuple[Array, Array]:
        """Matrices A (k, rows, rows) and B (k, rows, p + n_value) of consecutive steps (6)."""
        A, b, of, m = self.tableau.A, self.tableau.b, self.dynamics, self.rows
        n, k, p = of.system.n_v, len(steps.time) - 1, of.n_parameter
        h = np.diff(steps.time)[:, None]
        rows = [control.n_value for control in of.controls]
        width = m + p + len(b) * sum(rows)
        start = np.zeros((k, m, width))
        start[:, np.arange(m), np.arange(m)] = 1.0
        R: list[Array] = []
        N: list[Array] = []  # of speeds and integrals
        matrices = self.stages(steps)
        for i, stage in enumerate(matrices.stages):
            slopes = self._slopes(i, stage, width)
            sigma, nu = _tangents_combined(A[i], h, R, N, start[:, n:], n)
            nu[:, of.driven.v] = 0.0
            delta, rate = _charted(stage.charts, start[:, :n], sigma, nu[:, :n])
            delta[:, of.driven.q] = 0.0
            speed_rates = slopes[:, :, :n] @ delta + slopes[:, :, n:m] @ nu
            speed_rates[:, :, m:] += slopes[:, :, m:]  # (4)
            if m > 2 * n:
                growth = stage.acting.z_q[:, :, None] * delta[:, of.integrals]
                speed_rates = np.concatenate([speed_rates, growth], axis=1)
            N.append(speed_rates)
            R.append(rate)
        sigma, nu = _tangents_combined(b, h, R, N, start[:, n:], n)
        delta, _ = _charted(matrices.end, start[:, :n], sigma, nu[:, :n])
        whole = np.concatenate([delta, nu], axis=1)
        whole = self._end_changes(matrices, whole)
        of.driven.still(n, whole)
        inputs, first = [whole[:, :, m : m + p]], m + p
        for c, r in enumerate(rows):
            by_forces = whole[:, :, first : first + len(b) * r].reshape(k, m, len(b), r)
            weights = np.stack([x.acting.weights[c] for x in matrices.stages], axis=1)
            by_values = np.einsum("knsr,kst->kntr", by_forces, weights)
            inputs.append(by_values.reshape(k, m, -1))
            first += len(b) * r
        return whole[:, :, :m], np.concatenate(inputs, axis=2)

    def stages(self, steps: Steps) -> StageMatrices:
        """Stages (1), (2) of consecutive steps."""
        A, b, c, of = self.tableau.A, self.tableau.b, self.tableau.c, self.dynamics
        h = np.diff(steps.time)[:, None]
        rates: list[Array] = []
        stages: list[Stage] = []
        for i in range(len(b)):
            s, v = _combined(A[i], h, rates, [x.x for x in stages], steps.v[:-1])
            z = _grown(A[i], h, [x.acting.z_rate for x in stages], steps.z[:-1])
            q = charts.moved(of.system, self.pieces, steps.q[:-1], s)
            times = steps.time[:-1] + c[i] * h[:, 0]
            prescribed = of.drive(steps.time[:-1], times, q, v)
            acting = of.forces(steps.time[:-1], times, q, v, z)
            if i == 0:
                x = steps.x[:-1]  # the run's; `check_ends` sees loads that are not in T
            else:
                x = self._accelerations(q, v, acting.T, prescribed)
            stages.append(Stage(q, v, x, acting, charts.tangents(self.pieces, s, v)))
            rates.append(charts.rates(self.pieces, s, v))
        s, v = _combined(b, h, rates, [x.x for x in stages], steps.v[:-1])
        q = charts.moved(of.system, self.pieces, steps.q[:-1], s)
        of.drive(steps.time[:-1], steps.time[1:], q, v)
        check_ends(self._ends(q, v), (steps.q[1:], steps.v[1:]))
        return StageMatrices(stages, charts.tangents(self.pieces, s, v), q, v)

    def _accelerations(self, Q: Array, V: Array, T: Array, prescribed: Array) -> Array:
        """Accelerations (k, n_v) of stages; `prescribed` has those of driven joints."""
        return self.dynamics.accelerations(Q, V, T, prescribed)

    def _ends(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Coordinates and speeds at the ends of steps, as the run has them."""
        return q, v

    def _end_changes(self, matrices: StageMatrices, change: Array) -> Array:  # noqa: ARG002
        """Changes (k, rows, columns) at the ends of steps, as the run has them."""
        return change

    def _slopes(self, i: int, stage: Stage, width: int) -> Array:
        """Matrices [X_q, X_v, X_p, X_u] (5) of stage i."""
        n = self.dynamics.system.n_v
        D, P = self.dynamics.derivatives(stage.q, stage.v, stage.x, stage.acting)
        right = self._unit_forces(i, P, width)
        right[:, :, :n], right[:, :, n : 2 * n] = -D[:, 0], -D[:, 1]
        self._put_integrals(stage, right)
        return np.linalg.solve(D[:, 2], right)

    def _put_integrals(self, stage: Stage, right: Array) -> None:
        """Write the forces of unit integrals to columns after those of configuration and speeds."""
        of, n = self.dynamics, self.dynamics.system.n_v
        for j, speed in enumerate(of.integrals):
            right[:, speed, 2 * n + j] = stage.acting.T_z[:, j]

    def _unit_forces(self, i: int, P: Array, width: int) -> Array:
        """Forces of unit changes of parameters, and of unit forces of controls in stage i."""
        of = self.dynamics
        n, p, m = of.system.n_v, of.n_parameter, self.rows
        right = np.zeros((len(P), n, width))
        right[:, :, m : m + p] = -P
        first, stages = m + p, len(self.tableau.b)
        for control in of.controls:
            r = control.n_value
            o = first + i * r
            right[:, control.speeds, o : o + r] = np.eye(r)
            first += stages * r
        right[:, of.driven.x] = 0.0
        return right

    def backward(self, first: int, last: int, gradients: Array, adjoint: Array) -> GradientShare:
        """Take an adjoint backward in time."""
        steps, of = self.steps.between(first, last), self.dynamics
        if self.by_matrices:
            return self._backward_by_matrices(steps, gradients, adjoint)
        matrices, h = self.stages(steps), np.diff(steps.time)
        mu = self._backward_along(matrices, h, gradients, adjoint)
        parameters, apart = np.zeros(of.n_parameter), of.apart
        controls = [np.zeros((c.n_time, c.n_value)) for c in of.controls]
        for at, y in zip(matrices.stages, mu, strict=True):
            parameters[apart.inertial] -= of.by_inertias(at.q, at.v, at.x, y)
            if len(apart.others):
                _, P = of.derivatives(at.q, at.v, at.x, at.acting, inertias=False)
                parameters[apart.others] -= np.einsum("kn,knp->p", y, P)
            for control, weights, total in zip(
                of.controls, at.acting.weights, controls, strict=True
            ):
                total += weights.T @ y[:, control.speeds]
        return GradientShare(parameters, controls)

    def _backward_along(
        self, matrices: StageMatrices, h: Array, gradients: Array, adjoint: Array
    ) -> Array:
        """Take an adjoint backward, in place; its products mu (stages, k, n_v) with the forces."""
        of, k, s = self.dynamics, len(h), len(self.tableau.b)
        n, work = of.system.n_v, engine.workspace(of.system)
        ends = [*(stage.charts for stage in matrices.stages), matrices.end]
        pieces = [len(self.pieces)]
        for piece in self.pieces:
            pieces += [piece.v.start, piece.v.stop - piece.v.start]
        plan, frames, _ = work.derivatives
        mu = np.empty((s * k, n))
        Q, V, X = ([getattr(x, name) for x in matrices.stages] for name in "qvx")
        with of.rotors_in(work):
            status = work.kernel(ADJOINT_STEPS)(
                *work.call,
                plan,
                frames,
                np.concatenate([self.tableau.A.ravel(), self.tableau.b]),
                h,
                np.array(pieces, dtype=np.int64),
                _packed(ends, k),
                *(np.concatenate(rows).ravel() for rows in (Q, V, X)),
                _slopes_of_loads(matrices, n),
                gradients,
                mu,
                adjoint,
                np.empty(work_size(n, s, of.system.n_body)),
                engine.ALL | field.ACCELERATED,
            )
        if status != 0:
            raise SingularError(
                "a mass matrix of the run is not positive definite; check the bodies"
            )
        return mu.reshape(s, k, n)

    def _backward_by_matrices(
        self, steps: Steps, gradients: Array, adjoint: Array
    ) -> GradientShare:
        """Take an adjoint backward by the matrices of the steps (6)."""
        states, inputs = self.tangents(steps)
        n, by_inputs = gradients.shape[1], np.zeros(inputs.shape[2])
        for j in range(len(states) - 1, -1, -1):
            by_inputs += adjoint @ inputs[j]
            adjoint[:] = adjoint @ states[j]
            adjoint[:n] += gradients[j]
        return self.part(by_inputs)


def _slopes_of_loads(matrices: StageMatrices, n: int) -> Array:
    """Rows (2 n for each stage and step, n) of the derivatives of loads; none without loads."""
    slopes = [
        np.stack([x.acting.T_q, x.acting.T_v], axis=1)
        for x in matrices.stages
        if x.acting.T_q is not None and x.acting.T_v is not None
    ]
    return np.concatenate(slopes).reshape(-1, n) if slopes else np.zeros((0, n))


def _grown(row: Array, h: Array, rates: list[Array], z: Array) -> Array:
    """Integrals of servos in a stage, like (1)."""
    return z + sum((h * a * r for a, r in zip(row, rates, strict=False)), np.zeros_like(z))


def _packed(ends: list[list[charts.ChartTangent]], k: int) -> Array:
    """Matrices C, G, H, E of all pieces, for each step its stages and end."""
    rows = [
        np.concatenate([x.reshape(k, -1) for x in (one.C, one.G, one.inverse, one.E)], axis=1)
        for tangents in ends
        for one in tangents
    ]
    return np.concatenate(rows, axis=1).ravel() if rows else np.zeros(0)


def _combined(
    row: Array, h: Array, rates: list[Array], X: list[Array], v: Array
) -> tuple[Array, Array]:
    """Local coordinates and speeds of a stage (1)."""
    s, speeds = np.zeros_like(v), v.copy()
    for a, S_j, X_j in zip(row, rates, X, strict=False):
        if a != 0:
            s += h * a * S_j
            speeds += h * a * X_j
    return s, speeds


def _tangents_combined(
    row: Array, h: Array, R: list[Array], N: list[Array], start: Array, n: int
) -> tuple[Array, Array]:
    """Tangents sigma (k, n, columns) and nu of a stage (3); those of integrals follow in nu."""
    sigma, nu = np.zeros_like(start[:, :n]), start.copy()
    for a, R_j, N_j in zip(row, R, N, strict=False):
        if a != 0:
            w = h[:, :, None] * a
            sigma += w * R_j
            nu += w * N_j
    return sigma, nu


def _charted(
    tangents: list[charts.ChartTangent], start: Array, sigma: Array, nu: Array
) -> tuple[Array, Array]:
    """Tangents delta and R of a stage (3)."""
    delta, rate = start + sigma, nu.copy()
    for one in tangents:
        v = one.v
        delta[:, v] = one.C @ start[:, v] + one.G @ sigma[:, v]
        rate[:, v] = one.inverse @ nu[:, v] + one.E @ sigma[:, v]
    return delta, rate
