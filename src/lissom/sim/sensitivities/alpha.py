"""Tangents of generalized-alpha steps, whose iterations have converged.

With x the accelerations of a state, a the algorithmic ones, e = a - x at the start of a step, h its
length, and the constants of `integrators.generalized_alpha`, r = (1 - alpha_f) / (1 - alpha_m):
  a_0 = x_0 + e      a_1 = r x_1 + ((alpha_f - alpha_m) x_0 - alpha_m e) / (1 - alpha_m)      (1)
  v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1)                                                 (2)
  s = h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1)      q_1 = q_0 moved by s                     (3)
  (M + inertia of rotors) x_1 = T - bias at (q_1, v_1)      e_1 = a_1 - x_1                   (4)
x_0 is that of the step before, except where the forces jump and at the start.  Changes delta of the
configuration along the speeds, nu of v, X of x, epsilon of e; sigma of s, C and G of `charts`:
  delta_1 = C delta_0 + G sigma                                                               (5)
  (M + a) X = -D_q delta - D_v nu + U dp      U: forces of unit changes of the inputs p       (6)
(6) at the end of the step, with (1)-(3) inserted, is linear in X_1 with the matrix
  S = M + a + h gamma r D_v + h^2 beta r D_q G                                                (7)
Backward, with bars for adjoints, mu is the derivative of the objective by the forces at the end:
  S^T mu = X_1- + (r - 1) epsilon_1- + h gamma r nu_1- + h^2 beta r G^T delta_1-              (8)
  delta- = delta_1- - D_q^T mu      nu- = nu_1- - D_v^T mu      sigma- = G^T delta-           (9)
  a_0- = h (1 - gamma) nu- + h^2 (1/2 - beta) sigma-
  a_1- = h gamma nu- + h^2 beta sigma- + epsilon_1-      without what depends on x_1          (10)
  X_0- = a_0- + (alpha_f - alpha_m) / (1 - alpha_m) a_1-
  epsilon_0- = a_0- - alpha_m / (1 - alpha_m) a_1-      delta_0- = C^T delta-
  nu_0- = nu- + h sigma-                                                                      (11)
Integrals z of servos follow z_1 = z_0 + h/2 (z'_0 + z'_1), z' depending on q, with forces T_z z:
  zeta_1 = zeta_0 + h/2 (z_q0 delta_0 + z_q1 delta_1)      T_z zeta_1 among the forces of (6)   (12)
Where steps differ in length, e at the start of one is that of an earlier step per second, the lead,
times its length; steps much shorter than the one in which it was found do not renew it      (13)
Source: the implicit function theorem.  The iteration of the run does not matter: only its solution.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...errors import SimulationError
from ..integrators import GeneralizedAlpha
from ..integrators.generalized_alpha import FARTHEST, LONG, OLD
from . import charts
from .dynamics import Dynamics
from .steps import GradientShare, Steps, StepTangents, check_ends

Array = np.ndarray

_SAME = 1e-7  # relative difference of accelerations found here and in the run


class Instants(NamedTuple):
    """Derivatives of the dynamics at k instants, and forces of unit changes of inputs (6)."""

    D: Array  # (k, 3, n_v, n_v) by configuration, speeds and accelerations
    inputs: Array  # (k, n_v, p + n_value)
    # z_rate, z_q, T_z: (k, n_integral) rates of integrals, and derivatives of (12)
    z_rate: Array
    z_q: Array
    T_z: Array


class StepBlock(NamedTuple):
    """Consecutive steps: their ends, the starts at which x is found anew, and matrices."""

    ends: Instants  # ends of the steps
    S: Array  # (k, n_v, n_v) (7)
    # (D, inputs, T_z) steps at whose starts the accelerations do not follow from the step before
    starts: dict[int, tuple[Array, Array, Array]]
    z_q: Array  # (k, n_integral) at the starts of steps (12)
    charts: list[charts.ChartTangent]  # C and G of all steps


class AlphaTangents(StepTangents):
    """Tangents of the steps of generalized-alpha."""

    def __init__(self, dynamics: Dynamics, steps: Steps, kind: GeneralizedAlpha) -> None:
        super().__init__(dynamics, steps)
        self.pieces = charts.group_pieces(dynamics.system, dynamics.what)
        p = kind.parameters()
        self.beta, self.gamma = p["beta"], p["gamma"]
        self.ratio = (1 - p["alpha_f"]) / (1 - p["alpha_m"])
        self.by_x = (p["alpha_f"] - p["alpha_m"]) / (1 - p["alpha_m"])
        self.by_e = -p["alpha_m"] / (1 - p["alpha_m"])
        self.lead, self.renewed = _leads(np.diff(steps.time))
        self.motions, self.ends = self._motions_of_run()

    @property
    def rows(self) -> int:
        """Displacement, change of speeds, change of the lead, change of integrals."""
        return 3 * self.dynamics.system.n_v + len(self.dynamics.integrals)

    @property
    def numbers(self) -> int:
        """Numbers in memory for each step of a block."""
        n, of = self.dynamics.system.n_v, self.dynamics
        return n * (6 * n + 2 * (of.n_parameter + of.n_value))

    @cached_property
    def fresh(self) -> Array:
        """Whether x is found anew at each row: where the forces may jump, and at the start."""
        time, stops = self.steps.time, self.dynamics.stops
        fresh = np.zeros(len(time), dtype=bool)
        fresh[0] = True
        if len(stops):
            tick = 1e-6 * np.diff(time).min()
            near = np.searchsorted(stops, time - tick)
            fresh |= (near < len(stops)) & (stops[np.minimum(near, len(stops) - 1)] <= time + tick)
        return fresh

    def _motions_of_run(self) -> tuple[Array, Array]:
        """Motions s (3) of all steps and accelerations at their ends, checked against the run.

        a_1 of (1) are those of the changes of the speeds (2).  The accelerations of the rows are
        evaluated at the ends of the iterations, whose small errors stiffness makes large there.
        """
        time, q, v, x, z = self.steps
        h, of, driven = np.diff(time)[:, None], self.dynamics, self.dynamics.driven.x
        ends = x[1:].copy()
        jumps = np.flatnonzero(self.fresh[1:])
        if len(jumps):
            at = (q[jumps + 1], v[jumps + 1])
            prescribed = of.drive(time[jumps], time[jumps + 1], *at)
            acting = of.forces(time[jumps], time[jumps + 1], *at, z[jumps + 1])
            ends[jumps] = of.accelerations(*at, acting.T, prescribed)
        a_0, a_1, lead = np.empty_like(ends), np.diff(v, axis=0) / h, np.zeros(of.system.n_v)
        x_1 = x[0]
        for k in range(len(ends)):
            x_0 = x[k] if self.fresh[k] else x_1
            e = self.lead[k] * lead
            a_0[k], rest = x_0 + e, self.by_x * x_0 + self.by_e * e
            a_1[k] = (a_1[k] - (1 - self.gamma) * a_0[k]) / self.gamma
            x_1 = (a_1[k] - rest) / self.ratio
            x_1[driven] = ends[k, driven]
            a_1[k, driven] = (self.ratio * x_1 + rest)[driven]
            if self.renewed[k]:
                lead = (a_1[k] - x_1) / h[k]
        s = h * v[:-1] + h * h * ((0.5 - self.beta) * a_0 + self.beta * a_1)
        reached = charts.moved(of.system, self.pieces, q[:-1], s)
        of.drive(time[:-1], time[1:], reached, v[1:].copy())
        check_ends((reached,), (q[1:],))
        return s, ends

    def _instants(self, start: Array, rows: Array, x: Array) -> Instants:
        """Derivatives at rows, as seen from steps that begin at `start`."""
        time, q, v, _, z = self.steps
        of, at = self.dynamics, (q[rows], v[rows])
        prescribed = of.drive(start, time[rows], *at)
        acting = of.forces(start, time[rows], *at, z[rows])
        accelerations = of.accelerations(*at, acting.T, prescribed)
        if not np.abs(accelerations - x).max(initial=0.0) <= _SAME * (
            1.0 + np.abs(x).max(initial=0.0)
        ):
            raise SimulationError(
                f"{of.what}: the iterations of the run have not converged; use a shorter step, or "
                "leave loads out whose forces jump with the state"
            )
        D, P = of.derivatives(*at, x, acting)
        return Instants(D, of.inputs(P, acting.weights), acting.z_rate, acting.z_q, acting.T_z)

    def _block(self, first: int, last: int) -> StepBlock:
        """Matrices of the steps between two rows."""
        time, _, v, x, _ = self.steps
        h = np.diff(time)[first:last, None, None]
        ends = self._instants(
            time[first:last], np.arange(first + 1, last + 1), self.ends[first:last]
        )
        tangents = charts.tangents(self.pieces, self.motions[first:last], v[first:last])
        DG = ends.D[:, 0].copy()
        for one in tangents:
            DG[:, :, one.v] = DG[:, :, one.v] @ one.G
        r, D_v = self.ratio, ends.D[:, 1].copy()
        DG[:, :, self.dynamics.driven.q] = D_v[:, :, self.dynamics.driven.v] = 0.0
        S = ends.D[:, 2] + h * self.gamma * r * D_v + h * h * self.beta * r * DG
        starts, rates, slopes = {}, *(self._starts_of(x) for x in (ends.z_rate, ends.z_q))
        rows = np.array([k for k in range(first, last) if k == first or self.fresh[k]])
        anew = self._instants(time[rows], rows, x[rows])
        for k, D, inputs, rate, slope, T_z in zip(rows, *anew, strict=True):
            starts[int(k) - first] = (D, inputs, T_z)
            rates[k - first], slopes[k - first] = rate, slope
        ends.z_q[self._growing(first, last, rates, ends.z_q)] = -1.0
        at = self.dynamics.integrals
        S[:, at, at] -= 0.5 * h[:, 0] ** 3 * self.beta * r * ends.T_z * ends.z_q
        return StepBlock(ends, S, starts, slopes, tangents)

    @staticmethod
    def _starts_of(ends: Array) -> Array:
        """Numbers at the starts of steps from those at the ends of the steps before."""
        return np.concatenate([ends[:1], ends[:-1]])

    def _growing(self, first: int, last: int, rates: Array, slopes: Array) -> Array:
        """Whether integrals grow at the ends of steps that seem frozen there.

        A step decides without the part of the integral that grows at its end.
        """
        time, z = self.steps.time, self.steps.z[first : last + 1]
        h = np.diff(time[first : last + 1])[:, None]
        rate = 2 * np.diff(z, axis=0) / h - rates
        return (slopes == 0) & (np.abs(rate) > 1e-9 * (1.0 + np.abs(z).max(initial=0.0)) / h)

    def forward(self, first: int, last: int, change: Array) -> Array:
        """Changes at the ends of steps (1)-(7)."""
        of, h = self.dynamics, np.diff(self.steps.time)
        block, n, width = self._block(first, last), of.system.n_v, change.shape[1]
        prescribed = of.driven
        inputs = slice(width - of.n_parameter - of.n_value, width)
        changes = np.empty((last - first, *change.shape))
        delta, nu, lead = change[:n], change[n : 2 * n], change[2 * n : 3 * n]
        x = np.zeros((n, width))
        z, at, ends = change[3 * n :], of.integrals, block.ends
        for j, hj in enumerate(h[first:last]):
            if j in block.starts:
                D, U, T_z = block.starts[j]
                right = -D[0] @ delta - D[1] @ nu
                right[:, inputs] += U
                right[at] += T_z[:, None] * z
                x = np.linalg.solve(D[2], right)
            e = self.lead[first + j] * lead
            a_0, a_1 = x + e, self.by_x * x + self.by_e * e  # (1) without x_1
            sigma = hj * nu + hj * hj * ((0.5 - self.beta) * a_0 + self.beta * a_1)
            start, delta = delta, delta + sigma
            for one in block.charts:
                delta[one.v] = one.C[j] @ start[one.v] + one.G[j] @ sigma[one.v]
            nu = nu + hj * ((1 - self.gamma) * a_0 + self.gamma * a_1)
            delta[prescribed.q] = nu[prescribed.v] = 0.0
            right = -ends.D[j, 0] @ delta - ends.D[j, 1] @ nu
            right[:, inputs] += ends.inputs[j]
            z = z + 0.5 * hj * (
                block.z_q[j][:, None] * start[at] + ends.z_q[j][:, None] * delta[at]
            )
            right[at] += ends.T_z[j][:, None] * z
            x = np.linalg.solve(block.S[j], right)
            moved = self.ratio * x
            for one in block.charts:
                moved[one.v] = one.G[j] @ moved[one.v]
            moved[prescribed.q] = 0.0
            delta = delta + hj * hj * self.beta * moved
            z = z + 0.5 * hj**3 * self.beta * ends.z_q[j][:, None] * moved[at]
            nu = nu + hj * self.gamma * self.ratio * x
            if self.renewed[first + j]:
                lead = (a_1 + (self.ratio - 1.0) * x) / hj
            np.concatenate([delta, nu, lead, z], out=changes[j])
        return changes

    def backward(self, first: int, last: int, gradients: Array, adjoint: Array) -> GradientShare:
        """Take an adjoint backward in time (8)-(11)."""
        of, h = self.dynamics, np.diff(self.steps.time)
        block, n, r = self._block(first, last), of.system.n_v, self.ratio
        by_inputs = np.zeros(of.n_parameter + of.n_value)
        mu = np.empty((last - first, n))
        delta, nu, lead = (adjoint[k * n : (k + 1) * n].copy() for k in range(3))
        z, at, z_q, T_z = adjoint[3 * n :].copy(), of.integrals, block.ends.z_q, block.ends.T_z
        x, D, beta, gamma, prescribed = np.zeros(n), block.ends.D, self.beta, self.gamma, of.driven
        some, driven = len(at) > 0, len(prescribed.x) > 0
        for j in range(last - first - 1, -1, -1):
            hj = h[first + j]
            e = lead / hj if self.renewed[first + j] else np.zeros(n)
            if some:
                delta[at] += 0.5 * hj * z_q[j] * z  # (12)
            if driven:
                delta[prescribed.q] = nu[prescribed.v] = 0.0
            right = x + (r - 1.0) * e + hj * gamma * r * nu
            right += hj * hj * beta * r * _turned_back(block.charts, "G", j, delta)
            mu[j] = m = np.linalg.solve(block.S[j].T, right)  # (8)
            by_q, by_v = m @ D[j, :2]
            delta, nu = delta - by_q, nu - by_v  # (9)
            if some:
                z = z + T_z[j] * m[at]
                delta[at] += 0.5 * hj * z_q[j] * T_z[j] * m[at]
            if driven:
                delta[prescribed.q] = nu[prescribed.v] = 0.0
            sigma = _turned_back(block.charts, "G", j, delta)
            a_0 = hj * (1 - gamma) * nu + hj * hj * (0.5 - beta) * sigma  # (10)
            a_1 = hj * gamma * nu + hj * hj * beta * sigma + e
            x = a_0 + self.by_x * a_1  # (11)
            e = self.lead[first + j] * (a_0 + self.by_e * a_1)
            lead = e if self.renewed[first + j] else lead + e
            nu = nu + hj * sigma
            delta = _turned_back(block.charts, "C", j, delta)
            if some:
                delta[at] += 0.5 * hj * block.z_q[j] * z
            if j in block.starts:
                E, U, force = block.starts[j]
                m = np.linalg.solve(E[2], x)
                delta, nu, x = delta - m @ E[0], nu - m @ E[1], np.zeros(n)
                by_inputs += m @ U
                z = z + force * m[at]
            delta, nu = delta + gradients[j, :n], nu + gradients[j, n:]
        by_inputs += np.einsum("kn,knp->p", mu, block.ends.inputs)
        np.concatenate([delta, nu, lead, z], out=adjoint)
        return self.part(by_inputs)


def _leads(h: Array) -> tuple[Array, Array]:
    """Time by which each step multiplies the lead, and whether it renews it (13)."""
    times, renewed = np.empty_like(h), np.zeros(len(h), dtype=bool)
    length, age = 0.0, 0.0
    for k, step in enumerate(h):
        times[k] = min(step, FARTHEST * length)
        age += step
        if step >= LONG * length or age > OLD * length:
            renewed[k], length, age = True, step, 0.0
    return times, renewed


def _turned_back(tangents: list[charts.ChartTangent], which: str, j: int, adjoint: Array) -> Array:
    """Transpose of C or G of step j times an adjoint."""
    turned = adjoint.copy() if tangents else adjoint
    for one in tangents:
        turned[one.v] = getattr(one, which)[j].T @ adjoint[one.v]
    return turned
