"""Derivatives of the force of a contact in implicit steps, by motions of its common point.

With (n, t, u) the normal and the tangents, d = u_a - u_b the relative displacement at the common
point x and v' the change of the relative velocity there:
  -df = k (n . d) + c_n (n . v') + c_t (t . v') + c_u (u . v')                               (1)
  k = N_g n + F_g    c_n = N_r n + F_r    c_t, c_u = -dF/dv along t, u                        (2)
N_g, N_r: slopes of the normal law by depth and its rate; F_g, F_r: the friction that they cause.
Left out, and found by `load_derivatives`, are that n turns, that x moves over the bodies, and that
the patch grows.  The symmetric part without what couples friction with the normal force:
  E_k = (n . k)_+ n n'    E_c = (n . c_n)_+ n n' + (symmetric part of friction)_+             (3)
where ( )_+ has no eigenvalues below zero, as friction has that falls with the slip.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..contact.friction import ROLLING, SPIN
from ..contact.witness import contact_motion, slot_motion
from ..layout import contact
from ..layout.contact import ContactNumbers, TouchRecord
from ..small import ZERO, add, added, dot, scaled
from .contact_forces import friction_change, normal_force, shapes_witness

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@uncounted
def is_closed(memory, load):
    """Whether a contact acts, and was not open at the start of the step."""
    return memory[load.active] != 0.0 and TouchRecord(memory, load.touch).state != contact.OPEN


@uncounted
def contact_slopes(load, table, memory, work, a, b):
    """Normal force, witness, common point, and k, c_n, c_t, c_u of (1); damping by turning.

    The last is the symmetric part of -dM by the relative rate of turning, six numbers in the world.
    """
    numbers = ContactNumbers(table, load.constants)
    slot_a, slot_b = slot_motion(work, a), slot_motion(work, b)
    witness = shapes_witness(numbers, table, slot_a, slot_b)
    x, _v, rate, v, turning = contact_motion(witness, slot_a, slot_b)
    N, by_depth, by_rate = normal_force(numbers, table, memory, load, witness[0], rate)
    n, t, u = witness[1], witness[4], witness[5]
    k, c_n, c_t, c_u, spin = scaled(by_depth, n), scaled(by_rate, n), ZERO, ZERO, NOTHING
    if N != 0.0 and numbers.slip != 0.0:
        c = int(numbers.slip)
        F_g, _M = friction_change(
            numbers, table, witness, N, v, turning, by_depth, 0.0, ZERO, ZERO, ZERO
        )
        F_r, _M = friction_change(
            numbers, table, witness, N, v, turning, by_rate, 0.0, ZERO, ZERO, ZERO
        )
        k, c_n = added(k, 1.0, F_g), added(c_n, 1.0, F_r)
        c_t, _M = friction_change(numbers, table, witness, N, v, turning, 0.0, 0.0, ZERO, t, ZERO)
        c_u, _M = friction_change(numbers, table, witness, N, v, turning, 0.0, 0.0, ZERO, u, ZERO)
        c_t, c_u = scaled(-1.0, c_t), scaled(-1.0, c_u)
        if table[c + SPIN] != 0.0 or table[c + ROLLING] != 0.0:
            spin = _turning_damping(numbers, table, witness, N, v, turning)
    return N, witness, x, k, c_n, c_t, c_u, spin


@uncounted
def _turning_damping(numbers, table, witness, N, v, turning):
    """Symmetric part of -dM by the rate of turning, without eigenvalues below zero."""
    n, t, u = witness[1], witness[4], witness[5]
    _F, of_n = friction_change(numbers, table, witness, N, v, turning, 0.0, 0.0, ZERO, ZERO, n)
    _F, of_t = friction_change(numbers, table, witness, N, v, turning, 0.0, 0.0, ZERO, ZERO, t)
    _F, of_u = friction_change(numbers, table, witness, N, v, turning, 0.0, 0.0, ZERO, ZERO, u)
    across = _definite(t, u, scaled(-1.0, of_t), scaled(-1.0, of_u))
    return _plus(across, max(-dot(n, of_n), 0.0), n)


@uncounted
def symmetric_slopes(witness, k, c_n, c_t, c_u):
    """E_k and E_c of (3), six numbers each, in the world."""
    n, t, u = witness[1], witness[4], witness[5]
    E_k = _plus(NOTHING, max(dot(n, k), 0.0), n)
    return E_k, _plus(_definite(t, u, c_t, c_u), max(dot(n, c_n), 0.0), n)


@uncounted
def _definite(t, u, c_t, c_u):
    """Symmetric part of c_t t' + c_u u' in the plane of t and u, without eigenvalues below zero."""
    a, b, d = dot(t, c_t), 0.5 * (dot(t, c_u) + dot(u, c_t)), dot(u, c_u)
    mean, half = 0.5 * (a + d), 0.5 * (a - d)
    radius = math.sqrt(half * half + b * b)
    low, high = mean - radius, mean + radius
    if high <= 0.0:
        return NOTHING
    if low < 0.0:
        s = high / (2.0 * radius)
        a, b, d = s * (a - low), s * b, s * (d - low)
    p, q = add(scaled(a, t), scaled(b, u)), add(scaled(b, t), scaled(d, u))
    return (
        p[0] * t[0] + q[0] * u[0],
        p[0] * t[1] + q[0] * u[1],
        p[0] * t[2] + q[0] * u[2],
        p[1] * t[1] + q[1] * u[1],
        p[1] * t[2] + q[1] * u[2],
        p[2] * t[2] + q[2] * u[2],
    )


@uncounted
def _plus(E, s, n):
    """E + s n n'."""
    return (
        E[0] + s * n[0] * n[0],
        E[1] + s * n[0] * n[1],
        E[2] + s * n[0] * n[2],
        E[3] + s * n[1] * n[1],
        E[4] + s * n[1] * n[2],
        E[5] + s * n[2] * n[2],
    )
