"""Derivatives of the forces of a mechanism of particles, by automatic differentiation.

Bodies at level "full".  The virtual power of inertia, weight and external forces at virtual speeds
w is linear in w; its gradient by w is the generalized force T(q, v, vdot), which is differentiated
once more by q, along qdot = N(q) e_k, and by v.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from .dynamics import Oracle


def force_symbols(oracle: Oracle, external=None):
    """Symbols q, v, vdot, the rates N(q) v, and the forces T as an expression of them."""
    functions, mechanism = oracle.functions, oracle.mechanism
    layout = functions.layout
    q, v, vdot, w = (
        ca.SX.sym(name, n)
        for name, n in zip(("q", "v", "a", "w"), (layout.n_q, *[layout.n_v] * 3), strict=True)
    )
    functions.frames, functions.particle_frame = [], []  # written again by `_points`
    points = functions._points(mechanism, q)
    rates = [functions._rates(mechanism, q, x) for x in (v, vdot, w)]
    velocity = ca.jtimes(points, q, rates[0])
    acceleration = ca.jtimes(velocity, q, rates[0]) + ca.jtimes(points, q, rates[1])
    virtual = ca.jtimes(points, q, rates[2])
    n = len(oracle.masses)
    power = 0
    for p, mass in enumerate(oracle.masses):
        power += mass * ca.dot(acceleration[:, p] - ca.DM(mechanism.gravity), virtual[:, p])
    for i, link in enumerate(mechanism.links):
        eta, rate = q[layout.modal_q[i], 0], v[layout.modal_v[i], 0]
        if link.body.n_mode:
            elastic = ca.DM(link.body.stiffness) @ eta + ca.DM(link.body.damping) @ rate
            power += ca.dot(elastic, w[layout.modal_v[i], 0])
    for key, wrench in (external or {}).items():
        k = n + 4 * functions.frames.index(key)
        R, moved = points[:, k + 1 : k + 4], virtual[:, k : k + 4]
        turned = sum((ca.cross(R[:, j], moved[:, 1 + j]) for j in range(3)), ca.SX.zeros(3)) / 2
        power -= ca.dot(R @ ca.DM(wrench[:3]), turned) + ca.dot(R @ ca.DM(wrench[3:]), moved[:, 0])
    return q, v, vdot, functions._rates(mechanism, q, w), w, ca.gradient(power, w)


def force_slopes(oracle: Oracle, q, v, vdot, external=None) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives (n_v, n_v) of the forces by configuration and by speeds."""
    symbols = force_symbols(oracle, external)
    q_, v_, a_, rates, w, T = symbols
    N = ca.jacobian(rates, w)
    slopes = ca.Function("slopes", [q_, v_, a_], [ca.jacobian(T, q_) @ N, ca.jacobian(T, v_)])
    return tuple(x.full() for x in slopes(q, v, vdot))


def spring_slopes(oracle: Oracle, q, v, springs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forces (n_v,) of springs with dampers, and their derivatives by configuration and by speeds.

    springs: (frame, frame or None for the ground's origin, stiffness, damping, length).
    """
    functions, mechanism = oracle.functions, oracle.mechanism
    layout = functions.layout
    q_, v_, w = (
        ca.SX.sym(name, n)
        for name, n in zip(("q", "v", "w"), (layout.n_q, layout.n_v, layout.n_v), strict=True)
    )
    functions.frames, functions.particle_frame = [], []  # written again by `_points`
    points = functions._points(mechanism, q_)
    rates, n, power = functions._rates(mechanism, q_, w), len(oracle.masses), 0
    for a, b, stiffness, damping, length in springs:
        ends = [points[:, n + 4 * functions.frames.index(key)] for key in (a, b) if key]
        distance = ca.norm_2(ends[1] - ends[0] if b else ends[0])
        slower = ca.jtimes(distance, q_, functions._rates(mechanism, q_, v_))
        pull = stiffness * (distance - length) + damping * slower
        power -= pull * ca.jtimes(distance, q_, rates)
    T, N = ca.gradient(power, w), ca.jacobian(rates, w)
    found = [T, ca.jacobian(T, q_) @ N, ca.jacobian(T, v_)]
    T, by_q, by_v = ca.Function("springs", [q_, v_], found)(q, v)
    return T.full().ravel(), by_q.full(), by_v.full()
