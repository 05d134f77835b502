"""Poincare's equations: structure constants and the Coriolis matrix.

Notation (E is Kwatny & Blankenship, section III)
  q, p      coordinates and quasi-velocities;  qdot = V(q) p                                (E 39)
  v_k       columns of V;  [v_i, v_j] = sum over k of c^k_ij v_k                            (E 38)
  M pdot + C p + F = Q                                                                (E 53a)

C is the one that makes Mdot - 2 C skew: the connection of M (Koszul's formula)
  2 <D_k v_j, v_i> = v_k(M_ij) + v_j(M_ik) - v_i(M_kj)
                     + <[v_k, v_j], v_i> - <[v_j, v_i], v_k> + <[v_i, v_k], v_j>            (1)
  C_ij = sum over k of p_k <D_k v_j, v_i>,   v_k(f) = sum over a of V_ak df/dq_a            (2)
With V = I it is given by the Christoffel symbols.  The paper's C, (E 53b) with three signs
corrected, gives the same C p:
  C = [d(M p)/dq V] - [d(M p)/dq V]^T / 2 - [sum over j of p_j X_j^T] V^-T M                (3)
  X_j = [[v_j, v_1] ... [v_j, v_m]],  so that X_j^T V^-T M p has the entries <[v_j, v_i], p>  (E 41)
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..joints import Joint
from ..spatial import bracket
from ..spatial.scalar import as_numbers, is_numeric, solve_spd, zeros
from ..system import System
from .bridge import Bridge
from .calculus import differentiated

Array = np.ndarray

# Relative size of a bracket of joint motions in floats that counts as rounding.
_ROUNDING = 1e-9


def structure_constants(system: System, bridge: Bridge) -> Array:
    """Constants c (n_v, n_v, n_v): [v_i, v_j] = sum over k of c[k, i, j] v_k, v_i columns of V.

    The motions of a joint with a constant map H have brackets within its span,
    H c_ij = [h_i, h_j]; speeds that are rates of coordinates have none.
    """
    n, layout = system.n_v, system.layout
    c = bridge.nodes(np.zeros((n, n, n)))
    for i, joint in enumerate(system.joints):
        start = layout.hinge_v(i).start
        for H in _constant_maps(joint):
            r = H.shape[1]
            block = slice(start, start + r)
            c[block, block, block] = _of_map(bridge.nodes(H))
            start += r
    return c


def leaves_span(bridge: Bridge, H: Array) -> tuple[int, int] | None:
    """Two columns of a joint map whose Lie bracket lies outside its span, or None.

    Such a map is nonholonomic: its motions have no coordinates.  Numbers may be rounded.
    """
    H = as_numbers(H)
    for i, j in combinations(range(H.shape[1]), 2):
        motion = bracket(H[:, i], H[:, j])
        rest = motion - H @ solve_spd(H.T @ H, H.T @ motion)
        if is_numeric(rest):
            size = np.linalg.norm(H[:, i]) * np.linalg.norm(H[:, j])
            outside = bool(np.linalg.norm(rest) > _ROUNDING * size)
        else:
            outside = any(x.residue != 0 for x in bridge.nodes(rest))
        if outside:
            return i, j
    return None


def _constant_maps(joint: Joint) -> list[Array]:
    """Maps of the parts of a joint whose speeds may not be rates of coordinates."""
    return [*joint.maps] or [np.zeros((6, 1))] * joint.n_v


def _of_map(H: Array) -> Array:
    r = H.shape[1]
    c = np.zeros((r, r, r), dtype=object)
    if r == 1:
        return c
    for i in range(r):
        for j in range(r):
            c[:, i, j] = solve_spd(H.T @ H, H.T @ bracket(H[:, i], H[:, j]))
    return c


def coriolis_by_connection(M: Array, V: Array, c: Array, q: Array, p: Array) -> Array:
    """Coriolis matrix by (1), (2)."""
    along = differentiated(M, q) @ V  # v_k(M_ij) at [i, j, k]
    lowered = np.einsum("ia,akj->ikj", M, c)  # <[v_k, v_j], v_i> at [i, k, j]
    n = len(p)
    C = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(n):
            total = zeros()[()]
            for k in range(n):
                twice = along[i, j, k] + along[i, k, j] - along[k, j, i]
                twice = twice + lowered[i, k, j] - lowered[k, j, i] + lowered[j, i, k]
                total = total + p[k] * twice
            C[i, j] = total / 2
    return C


def coriolis_by_brackets(M: Array, V: Array, c: Array, q: Array, p: Array) -> Array:
    """Coriolis matrix of the paper, by (3)."""
    slope = differentiated(M @ p, q) @ V
    turned = np.einsum("j,kji->ik", p, c)  # [sum over j of p_j X_j^T] V^-T
    return slope - slope.T / 2 - turned @ M
