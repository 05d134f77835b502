"""Derivatives of the accelerations of a closed mechanism of particles, by differentials.

All of q, s, v, u, vdot, udot and mu obey the equations of `closures`, here as one system of
equations of automatic differentiation.  Its differentials, with those of the independent
coordinates or speeds given, are the derivatives.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from tests.oracle import joints
from tests.oracle.points import body_poses
from tests.oracle.slopes import force_symbols

from .closures import LoopedOracle, _pose


def free_slopes(oracle: LoopedOracle, q, v, forces, free, external=None):
    """Derivatives (n_v, n_free) of the accelerations along independent coordinates and speeds."""
    tree, n_v = oracle.tree, oracle.n_v
    q_, v_, a_, rates, w, T = force_symbols(tree, external)
    N = ca.jacobian(rates, w)
    s, u, du, phi, N_s = _loops(oracle, q_)
    mu = ca.SX.sym("mu", phi.shape[0])
    x, xdot = ca.vertcat(q_, s), ca.vertcat(N @ v_, N_s @ u)
    speed = ca.jtimes(phi, x, xdot)
    acceleration = ca.jtimes(speed, x, xdot) + ca.jtimes(phi, x, ca.vertcat(N @ a_, N_s @ du))
    B, C = ca.jacobian(phi, q_) @ N, ca.jacobian(phi, s) @ N_s
    balance = ca.vertcat(T - ca.DM(forces) - B.T @ mu, C.T @ mu)
    rows = ca.vertcat(phi, speed, acceleration, balance)
    # differentials: coordinates along the speeds' directions, then the others as they are
    blocks = [
        ca.jacobian(rows, q_) @ N, ca.jacobian(rows, s) @ N_s,
        *(ca.jacobian(rows, y) for y in (v_, u, a_, du, mu)),
    ]  # fmt: skip
    at = oracle.at(q, v)
    vdot, _ = at.forward_dynamics(forces, external)
    values = ca.Function("values", [q_, s, v_, u], [B, C, ca.jtimes(speed, x, xdot)])
    B_0, C_0, bias = (y.full() for y in values(q, oracle.s, v, at.u))
    udot = np.linalg.lstsq(C_0, -(B_0 @ vdot + bias.ravel()), rcond=None)[0]
    needed = tree.at(q, v).inverse_dynamics(vdot, external) - forces
    both = np.concatenate([B_0.T, C_0.T])
    lam = np.linalg.lstsq(both, np.concatenate([needed, np.zeros(C_0.shape[1])]), rcond=None)[0]
    matrix = ca.Function("matrix", [q_, s, v_, u, a_, du, mu], [ca.horzcat(*blocks)])
    K = matrix(q, oracle.s, v, at.u, vdot, udot, lam).full()
    n_u, free = C_0.shape[1], list(free)
    first = [0, n_v + n_u]  # of the coordinates and of the speeds
    fixed = [o + k for o in first for k in free]
    rest = [k for k in range(K.shape[1]) if k not in set(fixed)]
    accelerations = [rest.index(2 * (n_v + n_u) + k) for k in range(n_v)]
    found = np.linalg.lstsq(K[:, rest], -K[:, fixed], rcond=1e-12)[0][accelerations]
    return found[:, : len(free)], found[:, len(free) :]


def _loops(oracle: LoopedOracle, q):
    """Coordinates, speeds and accelerations of all loops, their gaps (1), and N_j."""
    mechanism, layout = oracle.tree.mechanism, oracle.tree.layout
    poses, all_of = body_poses(mechanism, layout, q), ([], [], [])
    phi, maps = [], []
    for k, closing in enumerate(oracle.closings):
        n_s, n_u = joints.sizes(closing.joint)
        for name, n, found in zip("sud", (n_s, n_u, n_u), all_of, strict=True):
            found.append(ca.SX.sym(f"{name}{k}", n))
        s, u = all_of[0][-1], all_of[1][-1]
        a, b = (_pose(mechanism, layout, poses, q, end) for end in (closing.a, closing.b))
        R_j, r_j = joints.configuration(closing.joint, s)
        W = R_j.T @ (a[0].T @ b[0])
        turn = ca.vertcat(W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]) / 2
        phi += [turn, a[0].T @ (b[1] - a[1]) - r_j]
        maps.append(ca.jacobian(ca.densify(joints.coordinate_rates(closing.joint, s, u)), u))
    s, u, du = (ca.vertcat(*found) for found in all_of)
    return s, u, du, ca.densify(ca.vertcat(*phi)), ca.diagcat(*maps)
