"""The equations of motion about a state, to first order, under all loads.

With a the accelerations, T the forces of all loads and u further generalized forces,
  a = FD(q, v, T + f + u - A_r a),  A_r the inertia of rotors                                 (1)
  (I + FD_f A_r) da = FD_q delta + FD_v nu + FD_f (dT + df + u)                                (2)
  dT = T_q delta + T_v nu + T_z z                                                              (3)
where FD_q, FD_v, FD_f are the derivatives of forward dynamics.  The forces f act on joints h that
are held or follow a given motion, so that a_h is zero or given and da_h = 0:
  f_h = G_hh^-1 (a_h - a_h without f),  G = (I + FD_f A_r)^-1 FD_f                             (4)
and df_h likewise.  Deviations are those of independent speeds, y and w; the others follow,
  delta = Z y,  nu = Z w + Y y                                                                 (5)
Z and Y of a tree are the identity and zero, of loops those of `free_derivatives`.  Of these motions
those remain that leave the joints h as they are (`kept_motions`):
  y = N y_2,  w = N w_2 + W y_2,  Z_h N = 0,  Z_h W = -Y_h N                                   (6)
Loops may share a joint's holding force with others that are held: f_h is then that of least norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import qr

from ..algorithms.loops.checks import check_closed
from ..algorithms.tree.arguments import as_state, check_system
from ..algorithms.tree.composite import mass_matrix
from ..algorithms.tree.coordinates import error_sizes
from ..algorithms.tree.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from ..errors import SingularError, StateError, suggestion
from ..joints import Free, Joint
from ..sim.run.checks import number
from ..spatial import block_diagonal, bracket
from ..system import State, StateLike, System
from .load_terms import LoadTerms, load_terms
from .names import listed_names

# Deviations of a configuration and their rates.
#
# A deviation delta (n_v) leads from q to a configuration near it along the motions of the speeds:
#   dq = N(q) delta,  qdot = N(q) v                                                            (1)
# Both hold at all times, d(dq)/dt = d(qdot), so that with nu the deviation of the speeds
#   delta' = nu + E delta,  N E delta = D_(N delta) N v - D_(N v) N delta = -[N v, N delta]      (2)
# where D_x N is the derivative of N along x.  E vanishes where speeds are rates of coordinates, and
# at rest.  Of joints with constant motion maps, such as Spherical and Free, E = -ad(v).

SPACING = 1e-4  # of differences of the rate map of a user's joint, coordinates of size 1
OUTSIDE = 1e-6  # part of (2) outside of the motions, relative, above which a joint is nonholonomic


def deviation_rates(state: State) -> Array:
    """Matrix E (n_v, n_v) of (2)."""
    system, blocks = state.system, []
    for name, joint, body in zip(system.names, system.joints, system.bodies, strict=True):
        blocks.append(np.zeros((body.n_mode, body.n_mode)))
        v = state[f"{name}.rates"]
        if joint.has_quasi_speeds and np.any(v):
            E = _of_maps(joint.maps, v) if joint.maps else _of_rates(joint, state[name], v, name)
            blocks.append(E)
        else:
            blocks.append(np.zeros((joint.n_v, joint.n_v)))
    return block_diagonal(*blocks) if blocks else np.zeros((0, 0))


def _of_maps(maps: tuple[Array, ...], v: Array) -> Array:
    """E of a product of joints with constant maps H: H E delta = -[H v, H delta]."""
    blocks, start = [], 0
    for H in maps:
        r = H.shape[1]
        motion = H @ v[start : start + r]
        columns = np.stack([bracket(motion, h) for h in H.T], axis=1)
        blocks.append(-np.linalg.lstsq(H, columns, rcond=None)[0])
        start += r
    return block_diagonal(*blocks)


def _of_rates(joint: Joint, q: Array, v: Array, name: str) -> Array:
    """E from differences of the rate map."""
    N, n = joint.rate_map(q), joint.n_v

    def slope(along: Array) -> Array:
        h = SPACING
        near, far = (
            (joint.rate_map(q + s * along) - joint.rate_map(q - s * along)) / (2 * s)
            for s in (h, 2 * h)
        )
        return (4 * near - far) / 3

    turning = slope(N @ v)
    columns = np.stack([slope(N[:, k]) @ v - turning[:, k] for k in range(n)], axis=1)
    E = np.linalg.lstsq(N, columns, rcond=None)[0]
    if np.abs(N @ E - columns).max() > OUTSIDE * np.abs(N).max() * np.abs(v).max():
        raise SingularError(
            f"body {name!r}: its joint ({joint.label}) is nonholonomic, and it moves: deviations "
            "along its motions do not stay along them; linearize about a state in which it rests",
            body=name,
        )
    return E


Array = np.ndarray

RANK = 1e-10  # relative size below which a joint that is held cannot move anyway


@dataclass(frozen=True, eq=False)
class Tangent:
    """Derivatives of the accelerations and of all forces in a state.

    Columns belong to deviations of the configuration and of the speeds, m each, own states of
    loads, and generalized forces, see `slices`.
    """

    state: State  # configuration and speeds
    loads: LoadTerms  # forces of the loads and their derivatives
    mass: Array  # (n_v, n_v) mass matrix of the tree, rotors included
    vdot: Array  # (n_v,) accelerations a of (1)
    applied: Array  # (n_v,) forces on joints and modes: of loads, and f
    # motions, speeds: (n_v, m) Z and Y of (5), of the motions (6) that are left
    motions: Array
    speeds: Array
    independent: Array  # (m,) speeds whose deviations are y and w; on a tree all that are not held
    held: Array  # (n_held,) speeds that are held or follow a given motion
    acceleration: Array  # (n_v, 2 m + n_z + n_v) derivatives of the accelerations (2)
    holding: Array  # (n_held, 2 m + n_z + n_v) derivatives of the forces f_h

    @property
    def system(self) -> System:
        """Compiled mechanism."""
        return self.state.system

    @property
    def slices(self) -> tuple[slice, slice, slice, slice]:
        """Columns of configuration, speeds, own states of loads, and generalized forces."""
        m, n_z = len(self.independent), len(self.loads.own_names)
        ends = np.cumsum([0, m, m, n_z, self.system.n_v]).tolist()
        q, v, z, f = (slice(a, b) for a, b in pairwise(ends))
        return q, v, z, f

    @cached_property
    def turning(self) -> Array:
        """Part (m, m) of the rates of deviations that is due to deviations."""
        return deviation_rates(self.state)[self.independent] @ self.motions

    @cached_property
    def sides(self) -> tuple[Array, Array]:
        """Stiffness K and damping C (m, m): minus derivatives of the forces by y and w.

        Of trees from inverse dynamics: all entries of -M da have the rounding of the stiffest.
        """
        if self.system.constraints:
            q, v, _, _ = self.slices
            M, a = self.motions.T @ self.mass @ self.motions, self.acceleration[self.independent]
            return -M @ a[:, q], -M @ a[:, v]
        needed = inverse_dynamics_derivatives(self.system, self.state, self.vdot)
        at = np.ix_(self.independent, self.independent)
        return (needed.q - self.loads.q)[at], (needed.v - self.loads.v)[at]

    def along(self, by_q: Array, by_v: Array) -> tuple[Array, Array]:
        """Derivatives by y and w of (5), from those by all deviations and speeds."""
        y, w = times(by_q, self.motions), times(by_v, self.motions)
        return y + times(by_v, self.speeds), w

    def of_loads(self, part: str) -> list[Array]:
        """Derivatives by y, w and own states of what `LoadTerms` has by that name."""
        y, w = self.along(self.loads.by_q(part), self.loads.by_v(part))
        return [y, w, self.loads.by_own(part)]

    @cached_property
    def force(self) -> Array:
        """Derivatives (n_v, ...) of the forces on joints and modes, holding ones too."""
        derivatives = np.hstack([*self.of_loads("applied"), np.eye(self.system.n_v)])
        derivatives[self.held] += self.holding
        return derivatives


def tangent(
    system: System,
    state: StateLike | None,
    *,
    forces: Any,
    loads: Any,
    held: Any,
    time: Any,
    what: str,
) -> Tangent:
    """Equations of motion about a state, to first order."""
    start, instant = state_and_time(system, state, time, what)
    check_closed(system, start.raw_q, start.raw_v)
    terms = load_terms(system, start, forces, loads, instant)
    held_names = held_joints(system, held, f"{what}: held")
    h = np.zeros(system.n_v, dtype=bool)
    for name in (*held_names, *terms.driven):
        h[system.layout.hinge_v(name)] = True
    target = np.zeros(system.n_v)
    for name in terms.driven:
        piece = system.layout.hinge_v(name)
        target[piece] = terms.acceleration[piece]
    return _assembled(start, terms, np.flatnonzero(h), target)


def state_and_time(
    system: System, state: StateLike | None, time: Any, what: str
) -> tuple[State, float]:
    """State, neutral if none is given, and time, checked; parameters as for `tangent`."""
    check_system(system)
    start = as_state(system, system.neutral() if state is None else state)
    if not start.real:
        raise StateError(f"{what} needs a state of real numbers")
    return start, number(time, f"{what}: time", "a finite time [s]")


def _assembled(state: State, terms: LoadTerms, h: Array, target: Array) -> Tangent:
    system, n, A_r = state.system, state.system.n_v, terms.armature

    def solved(forces: Array, a: Array) -> tuple[Any, Array, Array]:
        """Derivatives of forward dynamics, accelerations, and G of (4)."""
        derivatives = forward_dynamics_derivatives(system, state, forces - A_r * a)
        if not np.any(A_r):
            return derivatives, derivatives.value, derivatives.forces
        left = np.eye(n) + derivatives.forces * A_r
        value = derivatives.value + derivatives.forces @ (A_r * a)  # those with forces alone
        both = np.linalg.solve(left, np.column_stack([value, derivatives.forces]))
        return derivatives, both[:, 0], both[:, 1:]

    a, forces, size = terms.acceleration, terms.forces, error_sizes(system)[0][h]
    dynamics, free, G = solved(forces, a)
    if len(h):  # (4)
        f_h = _least(G[np.ix_(h, h)], target[h] - free[h], size)
        forces = forces.copy()
        forces[h] += f_h
        a = free + G[:, h] @ f_h
        dynamics, _, G = solved(forces, a)
    Z, Y, independent = np.eye(n), np.zeros((n, n)), np.arange(n)
    if dynamics.motions is not None and dynamics.speeds is not None:
        Z, Y, independent = (
            dynamics.motions,
            dynamics.speeds,
            np.array(dynamics.independent, dtype=int),
        )
    N, W, chosen = kept_motions(Z[h], Y[h], error_sizes(system)[0][independent])  # (6)
    by_y, by_w = times(dynamics.q, N) + times(dynamics.v, W), times(dynamics.v, N)
    Z, Y, independent = times(Z, N), times(Y, N) + times(Z, W), independent[chosen]
    dT = [times(terms.q, Z) + times(terms.v, Y), times(terms.v, Z), terms.by_own("forces")]  # (3)
    y, w, z = (times(dynamics.forces, part) for part in dT)
    right = np.hstack([by_y + y, by_w + w, z, dynamics.forces])
    r = np.linalg.solve(np.eye(n) + dynamics.forces * A_r, right) if np.any(A_r) else right  # (2)
    holding = np.zeros((0, r.shape[1]))
    if len(h):
        holding = _least(G[np.ix_(h, h)], -r[h], size)
        r = r + G[:, h] @ holding
        r[h] = 0.0
    mass = mass_matrix(system, state) + np.diag(A_r)
    applied = terms.applied + forces - terms.forces
    return Tangent(state, terms, mass, a, applied, Z, Y, independent, h, r, holding)


def times(X: Array, Z: Array) -> Array:
    """Product X Z, without arithmetic where Z is zero or the identity, as of trees."""
    if not np.any(Z):
        return np.zeros((len(X), Z.shape[1]))
    if Z.shape[0] == Z.shape[1] and np.array_equal(Z, np.eye(len(Z))):
        return X
    product: Array = X @ Z
    return product


def kept_motions(Z_h: Array, Y_h: Array, size: Array) -> tuple[Array, Array, Array]:
    """N and W of (6), and which of the m independent speeds remain.

    `Z_h`, `Y_h` (n_h, m): rows of Z and Y that the motions leave zero; `size` (m,): sizes of the
    independent coordinates.
    """
    m = len(size)
    if not len(Z_h) or not m:
        return np.eye(m), np.zeros((m, m)), np.arange(m)
    R, order = qr(Z_h * size, pivoting=True, mode="r")
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > RANK * max(diagonal.max(initial=0.0), size.min())))
    follow, chosen = order[:rank], np.sort(order[rank:])
    left = np.linalg.lstsq(Z_h[:, follow], np.hstack([Z_h[:, chosen], Y_h]), rcond=None)[0]
    N, W = np.zeros((m, len(chosen))), np.zeros((m, len(chosen)))
    N[chosen] = np.eye(len(chosen))
    N[follow] = -left[:, : len(chosen)]
    W[follow] = -left[:, len(chosen) :] @ N
    return N, W, chosen


def _least(G: Array, a: Array, size: Array) -> Array:
    """Forces that cause accelerations a, of least norm in units of 1 / size."""
    right = (a.T / size).T
    scaled = np.linalg.lstsq(G / size[:, None] / size, right, rcond=RANK)[0]
    return (scaled.T / size).T


def relative_rates(state: State) -> Array:
    """Speeds (n_v,) relative to the sizes of coordinates, without translations of free bases.

    The motion of a mechanism as a whole along a line changes nothing about it, however fast it is:
    on an orbit thousands of metres per second.
    """
    system = state.system
    rates = np.abs(state.raw_v / error_sizes(system)[0])
    for i, joint in enumerate(system.joints):
        if system.parent[i] < 0 and isinstance(joint, Free):
            rates[system.layout.hinge_v(i)][3:] = 0.0
    return rates


def held_joints(system: System, held: Any, what: str) -> list[str]:
    """Checked names of joints, by the bodies that they carry."""
    names = listed_names(held, what)
    for name in names:
        if name not in system.names:
            raise StateError(
                f"{what}: there is no joint {name!r}; {suggestion(name, system.names)}"
            )
    return names
