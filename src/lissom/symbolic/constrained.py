"""Equations of motion with constraints, in two forms.

  M vdot + b = Q + A^T lambda,   A vdot + gamma = 0                                           (1)
Augmented: accelerations and multipliers together,
  [[M, -A^T], [A, 0]] [vdot; lambda] = [Q - b; -gamma]                                        (2)
solved without pivoting by  Lambda lambda = -(A vdot_free + gamma),  Lambda = A M^-1 A^T     (3)
If M is singular (bodies without mass), M + A^T A takes its place, and Q - A^T gamma that of Q.
Projected onto independent speeds u:
  v = B u + v0,   B = [1; -A_d^-1 A_u],   v0 = [0; -A_d^-1 a]                                 (4)
  vdot = B udot + s,   s = [0; -A_d^-1 gamma]                                                 (5)
  B^T M B udot + B^T (M s + b) = B^T Q                                                        (6)
with the columns A_d of the other speeds.  They fail where A_d is singular; (3) does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SymbolicError
from ..spatial.scalar import solve_spd
from .calculus import substituted
from .graph import GraphNode
from .rank import generic_rank

if TYPE_CHECKING:
    from .derivation import Derivation

Array = np.ndarray

# Up to this many equations are solved by cofactors.
_COFACTORS = 3


def constrained_accelerations(d: Derivation, forces: Array) -> tuple[Array, Array]:
    """Accelerations (n_v,) and multipliers (m,) for generalized forces, by (3)."""
    A, gamma, M = d.constraints.jacobian, d.constraints.bias, d.mass
    right = forces - d.bias
    if generic_rank(M) < len(M):
        M, right = M + A.T @ A, right - A.T @ gamma
    try:
        both = d.bridge.nodes(solve_spd(M, np.concatenate([right[:, None], A.T], axis=1)))
        free, responses = both[:, 0], both[:, 1:]
        Lam = d.bridge.nodes(A @ responses)
        lam = d.bridge.nodes(solve_spd(Lam, -(A @ free + gamma)))
    except ZeroDivisionError:
        raise SymbolicError(
            f"model {d.system.name!r}: a motion that the constraints leave free moves no inertia, "
            "so that accelerations are undefined; give its bodies mass and inertia, or omit "
            "forward_dynamics and multipliers with functions="
        ) from None
    return d.bridge.nodes(free + responses @ lam), lam


@dataclass(frozen=True, eq=False)
class ProjectionGraph:
    """Equations (4)-(6) as arrays of nodes.

    `bias` and `drift` are in terms of all speeds, see `by_independent`.
    """

    map: Array  # (n_v, k) B
    speeds: Array  # (n_v,) B u + v0
    mass: Array  # (k, k) B^T M B
    bias: Array  # (k,) B^T (M s + b)
    drift: Array  # (n_v,) s


def projection(d: Derivation) -> ProjectionGraph:
    """Equations projected onto the independent speeds of a derivation."""
    c, n = d.constraints, d.system.n_v
    A_d, A_u = c.jacobian[:, c.dependent], c.jacobian[:, c.independent]
    columns = np.concatenate([A_u, c.drift[:, None], c.bias[:, None]], axis=1)
    solved = -d.bridge.nodes(solve_general(A_d, columns))
    k = len(c.independent)
    B = d.bridge.nodes(np.zeros((n, k)))
    B[c.independent, range(k)] = d.graph.one
    B[c.dependent] = solved[:, :k]
    v0, s = d.bridge.nodes(np.zeros(n)), d.bridge.nodes(np.zeros(n))
    v0[c.dependent], s[c.dependent] = solved[:, k], solved[:, k + 1]
    v = d.bridge.nodes(B @ d.v[c.independent] + v0)
    mass, bias = d.bridge.nodes(B.T @ d.mass @ B), d.bridge.nodes(B.T @ (d.mass @ s + d.bias))
    return ProjectionGraph(B, v, mass, bias, s)


def by_independent(d: Derivation, p: ProjectionGraph, values: Array) -> Array:
    """Values in terms of coordinates and independent speeds."""
    return substituted(values, {d.v[j]: p.speeds[j] for j in d.constraints.dependent})


def projected_accelerations(d: Derivation, p: ProjectionGraph, forces: Array) -> Array:
    """Rates (k,) of the independent speeds for generalized forces (n_v,), by (6)."""
    bias = by_independent(d, p, p.bias)
    return d.bridge.nodes(solve_spd(p.mass, p.map.T @ forces - bias))


def solve_general(A: Array, B: Array) -> Array:
    """Solution X of A X = B for a square matrix of nodes, which exists wherever A is regular.

    By cofactors if A is small, otherwise by A^T (A A^T)^-1 B: pivots chosen for almost all values
    of the symbols could vanish for some.
    """
    n = len(A)
    if n == 0:
        return B
    if n > _COFACTORS:
        return A.T @ solve_spd(A @ A.T, B)
    determinant = _determinant(A)
    columns = []
    for j in range(n):
        cofactors = [(-1) ** (i + j) * _determinant(_minor(A, i, j)) for i in range(n)]
        columns.append(np.array(cofactors, dtype=object) @ B / determinant)
    return np.array(columns, dtype=object)


def _minor(A: Array, i: int, j: int) -> Array:
    return np.delete(np.delete(A, i, axis=0), j, axis=1)


def _determinant(A: Array) -> GraphNode | int:
    if len(A) == 0:
        return 1
    terms = [(-1) ** j * A[0, j] * _determinant(_minor(A, 0, j)) for j in range(len(A))]
    return sum(terms[1:], terms[0])
