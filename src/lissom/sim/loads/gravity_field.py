"""Fields of gravity that act on all bodies of a system: their kernel and their constants.

A body of mass m, first moment p and second moment L (of the deformed body, about its origin, in
its axes), with c = p / m and L_c = L - p p^T / m, at its centre of mass in the acceleration g with
the gradient G (symmetric):
  force m g,    moment p x g + sum over the mass of rho x G rho = p x g + ax(L_c G)           (1)
  modal forces  s^T (g - G c) + sum_kl G_kl h_kl,    h_kl = sum over the mass of rho_k Pi_l     (2)
  ax(T) = (T_yz - T_zy, T_zx - T_xz, T_xy - T_yx)
With d the centre of mass from the attracting centre, r = |d|:
  g = -mu d / r^3,    G = -mu / r^3 (1 - 3 d d^T / r^2)                                         (3)
  m g += mu / r^5 (3 L_c d + 3/2 tr(L_c) d - 15/2 (d^T L_c d) d / r^2)                          (4)
(4) makes (1), (2) the derivatives of one potential, that of the mass to second order in its extent.
Oblateness J2 of a centre with radius a and pole k, z = k . d, b = -3/2 J2 mu a^2:
  g += b / r^5 ((1 - 5 z^2 / r^2) d + 2 z k)                                                    (5)
  G += b / r^5 ((1 - 5 z^2 / r^2) 1 + (35 z^2 / r^2 - 5) d d^T / r^2
                - 10 z (d k^T + k d^T) / r^2 + 2 k k^T)
Seen from a point on a circular orbit of rate n, axes that do not turn, u(t) away from the centre:
  g = G d,    G = -n^2 (1 - 3 u u^T),    u = cos(n t) u_0 + sin(n t) k x u_0                     (6)
A rod is the sum of its stations, each in the field at its place.  Derivatives: d(m g)/dx = m G, and
[w]x-terms of the rotation of G with the body; nothing depends on speeds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...bodies import NormalBody
from ...bodies.normal import LINEARISED, MassIntegrals
from ...errors import LoadError, shown
from ...kernels import fields as field
from ...kernels.compiling import jit
from ...kernels.layout.records import CarrierRecord
from ...kernels.layout.tree import BodyRow
from ...kernels.records import rod_record, section_place, station_record
from ...kernels.run.registry import BodyKind, register
from ...kernels.run.slots import SLOT_POSE, SLOT_POSITION, SLOT_RECORD, add_wrench
from ...kernels.small import (
    ZERO,
    add,
    added,
    apply,
    cross,
    dot,
    matrix,
    scaled,
    symmetric,
    turn_back,
    turned_symmetric,
    vector,
)
from ...kernels.tree.modal import modal_dot, modal_product, modal_sums
from ...kernels.tree.rods import TANGENT, TURN
from ...spatial import second_moment
from ...system import Frame

if TYPE_CHECKING:
    from ..run.plan import Plan
    from .load import Load

Array = np.ndarray

# Constants: the field, then the body
KIND, STRENGTH, CENTER, OBLATE, FIRST, SECOND = 0, 1, 2, 5, 6, 9
MASS, MOMENT, SPREAD, DEFORMS, SHAPES = 12, 13, 16, 22, 23
CENTRAL, TIDAL = range(2)
# Moments of the body: those at rest, with the deformation, or as the recursion has them, where the
# shapes turn the inboard node (G_kl h_kl of (2) then with h at rest)
AT_REST, KNOWN, COMPUTED = range(3)


@jit
def _force(load, system, table, t, q, v, signals, states, z, dz, slots, T):
    ints, floats, scratch = system
    c, n, o_q, o_v, a = load.constants, load.n, load.q, load.v, load.slot_a * SLOT_RECORD
    R, x = matrix(slots, a + SLOT_POSE), vector(slots, a + SLOT_POSITION)
    d_0 = turn_back(R, added(x, -1.0, vector(table, c + CENTER)))
    u = _direction(table, c, t, R)
    body = BodyRow(ints, load.body)
    if body.level == field.EXACT and n > 0:
        _on_rod(floats, scratch, body, table, c, d_0, u, n, o_v, slots, a, T)
        return
    m, p, L = table[c + MASS], vector(table, c + MOMENT), symmetric(table, c + SPREAD)
    s, g, B = c + SHAPES, c + SHAPES + 3 * n, c + SHAPES + 9 * n
    bends = B + 6 * n * n
    deforms = table[c + DEFORMS]
    if deforms == KNOWN:
        p, L = _deformed(table, s, g, B, bends, n, q, o_q, p, L)
    elif deforms == COMPUTED:
        b = CarrierRecord(scratch, body.record)
        p, L = b.p, _spread(b.J)
    com = scaled(1.0 / m, p)
    L = _about(L, p, com)
    d = add(d_0, com)
    acceleration, G = _field(table, c, d, u)
    if table[c + KIND] == CENTRAL:
        acceleration = added(acceleration, 1.0 / m, _second_order(table[c + STRENGTH], d, L))
    moment = add(cross(p, acceleration), _axial(L, G))  # (1)
    add_wrench(slots, a, moment, scaled(m, acceleration))
    if n > 0:
        f = added(acceleration, -1.0, apply(G, com))
        if deforms == COMPUTED:
            M_rf = body.M_rf
            _modal(table, scratch, M_rf + 3 * n, g, B, bends, n, 0.0, q, o_q, f, G, T, o_v)
        else:
            _modal(table, table, s, g, B, bends, n, deforms, q, o_q, f, G, T, o_v)


@jit
def _direction(table, c, t, R):
    """Pole k, or the direction u of (6), in body axes."""
    u = vector(table, c + FIRST)
    if table[c + KIND] == TIDAL:
        angle = table[c + STRENGTH] * t
        u = added(scaled(math.cos(angle), u), math.sin(angle), vector(table, c + SECOND))
    return turn_back(R, u)


@jit
def _field(table, c, d, u):
    """Acceleration and gradient, six numbers, at d from the centre (3), (5), (6)."""
    if table[c + KIND] == TIDAL:
        k = table[c + STRENGTH] * table[c + STRENGTH]
        G = _gradient(-k, 3.0 * k, u)
        return apply(G, d), G
    r2 = dot(d, d)
    k = table[c + STRENGTH] / (r2 * math.sqrt(r2))
    g, G = scaled(-k, d), _gradient(-k, 3.0 * k / r2, d)
    b = table[c + OBLATE]
    if b == 0.0:
        return g, G
    z, e = dot(u, d), b * k / r2  # (5), b relative to mu
    f = 1.0 - 5.0 * z * z / r2
    g = added(added(g, e * f, d), 2.0 * e * z, u)
    h, w = e * (35.0 * z * z / r2 - 5.0) / r2, -10.0 * e * z / r2
    A, C = _gradient(e * f, h, d), _gradient(0.0, 2.0 * e, u)
    return g, (
        G[0] + A[0] + C[0] + 2.0 * w * d[0] * u[0],
        G[1] + A[1] + C[1] + w * (d[0] * u[1] + d[1] * u[0]),
        G[2] + A[2] + C[2] + w * (d[0] * u[2] + d[2] * u[0]),
        G[3] + A[3] + C[3] + 2.0 * w * d[1] * u[1],
        G[4] + A[4] + C[4] + w * (d[1] * u[2] + d[2] * u[1]),
        G[5] + A[5] + C[5] + 2.0 * w * d[2] * u[2],
    )


@jit
def _gradient(a, b, u):
    """Matrix a 1 + b u u^T, six numbers."""
    return (
        a + b * u[0] * u[0],
        b * u[0] * u[1],
        b * u[0] * u[2],
        a + b * u[1] * u[1],
        b * u[1] * u[2],
        a + b * u[2] * u[2],
    )


@jit
def _second_order(mu, d, L):
    """Force (4)."""
    r2 = dot(d, d)
    k, Ld = mu / (r2 * r2 * math.sqrt(r2)), apply(L, d)
    along = 1.5 * (L[0] + L[3] + L[5]) - 7.5 * dot(d, Ld) / r2
    return added(scaled(3.0 * k, Ld), k * along, d)


@jit
def _about(L, p, com):
    """Second moment about the centre of mass."""
    return (
        L[0] - p[0] * com[0],
        L[1] - p[0] * com[1],
        L[2] - p[0] * com[2],
        L[3] - p[1] * com[1],
        L[4] - p[1] * com[2],
        L[5] - p[2] * com[2],
    )


@jit
def _spread(J):
    """Second moment of an inertia."""
    half = 0.5 * (J[0] + J[3] + J[5])
    return half - J[0], -J[1], -J[2], half - J[3], -J[4], half - J[5]


@jit
def _axial(L, G):
    """Vector ax(L G) of two symmetric matrices."""
    x, y, z = (
        apply(L, (G[0], G[1], G[2])),
        apply(L, (G[1], G[3], G[4])),
        apply(L, (G[2], G[4], G[5])),
    )
    return z[1] - y[2], x[2] - z[0], y[0] - x[1]


@jit
def _deformed(table, s, g, B, bends, n, q, o_q, p, L):
    """First and second moment of a deformed body."""
    pushed = (
        modal_dot(table, s, n, q, o_q),
        modal_dot(table, s + n, n, q, o_q),
        modal_dot(table, s + 2 * n, n, q, o_q),
    )
    h = modal_sums(table, g, n, q, o_q)
    bent = (
        _form(table, bends, n, q, o_q),
        _form(table, bends + n * n, n, q, o_q),
        _form(table, bends + 2 * n * n, n, q, o_q),
    )
    p = added(add(p, pushed), 0.5, bent)
    return p, (
        L[0] + 2.0 * h[0] + _form(table, B, n, q, o_q),
        L[1] + h[1] + 0.5 * _form(table, B + n * n, n, q, o_q),
        L[2] + h[2] + 0.5 * _form(table, B + 2 * n * n, n, q, o_q),
        L[3] + 2.0 * h[3] + _form(table, B + 3 * n * n, n, q, o_q),
        L[4] + h[4] + 0.5 * _form(table, B + 4 * n * n, n, q, o_q),
        L[5] + 2.0 * h[5] + _form(table, B + 5 * n * n, n, q, o_q),
    )


@jit
def _form(table, o, n, q, o_q):
    """Quadratic form of the matrix at table[o]."""
    total = 0.0
    for k in range(n):
        total += q[o_q + k] * modal_dot(table, o + k * n, n, q, o_q)
    return total


@jit
def _modal(table, x, s, g, B, bends, n, deforms, q, o_q, f, G, T, o_v):
    """Add the modal forces (2), the first moments of the modes at x[s]."""
    for k in range(n):
        T[o_v + k] += f[0] * x[s + k] + f[1] * x[s + n + k] + f[2] * x[s + 2 * n + k]
        for j in range(6):
            T[o_v + k] += G[j] * table[g + j * n + k]
    if deforms == KNOWN:
        for j in range(6):
            modal_product(table, B + j * n * n, n, q, o_q, G[j], T, o_v)
        for j in range(3):
            modal_product(table, bends + j * n * n, n, q, o_q, f[j], T, o_v)


@jit
def _on_rod(floats, scratch, body, table, c, d_0, u, m, o_v, work, a, T):
    """Add the forces on the stations of a rod."""
    n = body.n_station
    rod = rod_record(body.rod, n, m)
    place = station_record(body.stations, n, m)
    moment, force = ZERO, ZERO
    for j in range(n):
        r = ZERO
        for k in range(n):
            tangent = vector(scratch, section_place(place, k) + TANGENT)
            r = added(r, floats[rod.integration + n * j + k], tangent)
        g, G = _field(table, c, add(d_0, r), u)
        f = scaled(floats[rod.masses + j], g)
        J = vector(floats, rod.inertias + 3 * j)
        J_k = _spread((J[0], 0.0, 0.0, J[1], 0.0, J[2]))
        J_k = turned_symmetric(matrix(scratch, section_place(place, j) + TURN), J_k)
        if table[c + KIND] == CENTRAL:
            f = add(f, _second_order(table[c + STRENGTH], add(d_0, r), J_k))
        turn = _axial(J_k, G)
        moment, force = add(moment, add(turn, cross(r, f))), add(force, f)
        W, D = place.turning + 3 * m * j, place.moving + 3 * m * j
        for k in range(m):
            for e in range(3):
                T[o_v + k] += scratch[W + e * m + k] * turn[e] + scratch[D + e * m + k] * f[e]
    add_wrench(work, a, moment, force)


FIELD = register(BodyKind("field of gravity", _force))


def enter_field(plan: Plan, load: Load, numbers: list[float]) -> None:
    """Add a field to the plan: a row for each body that has mass, and for each heavy node."""
    system = plan.system
    if np.any(system.gravity):
        raise LoadError(
            f"{load.label}: the model has a constant gravity of {shown(system.gravity.tolist())} "
            "m/s^2 as well; make the model without it: Model(gravity=(0, 0, 0))"
        )
    for other, present in plan.fields:
        _check_counted_once(load, numbers, other, present)
    plan.fields.append((load, numbers))
    for i, (name, body) in enumerate(zip(system.names, system.bodies, strict=True)):
        frame = system.place(name)
        if _mass_integrals(body).mass > 0 or body.rod is not None:
            constants = [*numbers, *_constants(body)]
            plan.add_body_load(load, FIELD, frame, constants, modes=True)
        for lump in body.lumps if body.floating is None else ():
            if lump.mass > 0:
                there = Frame(f"{name}.{lump.node}", i, lump.node, plain=True)
                p, L = lump.mass * lump.offset, second_moment(lump.inertia)
                constants = [*numbers, lump.mass, *p, *_six(L), 0.0]
                plan.add_body_load(load, FIELD, there, constants)


def _check_counted_once(
    load: Load, numbers: list[float], other: Load, present: list[float]
) -> None:
    """Refuse a field beside another that contains it; each with its constants."""
    both = f"{load.label} and {other.label}"
    if not numbers[KIND] == present[KIND] == CENTRAL:
        raise LoadError(
            f"{both}: a GravityGradient is what remains of a centre's gravity in axes that move "
            "along an orbit, so a second field counts the gradient twice; take CentralGravity "
            "alone with the orbit in the state, or GravityGradient alone with the state relative "
            "to the point on the orbit"
        )
    center = numbers[CENTER:OBLATE]
    if center == present[CENTER:OBLATE]:
        raise LoadError(
            f"{both}: both have their centre at {shown([float(x) for x in center])} m, so its "
            "gravity counts twice; leave one out, or give the sum of both mu"
        )


def _constants(body: NormalBody) -> list[Any]:
    """Mass, first and second moment of a body, and their derivatives by the modes."""
    integrals, n = _mass_integrals(body), body.n_mode
    s, g = integrals.modal_first_moment, integrals.modal_second_moment
    moments = [integrals.mass, *integrals.first_moment, *_six(integrals.second_moment)]
    deforms = AT_REST if body.level in LINEARISED or n == 0 else KNOWN
    if body.floating is not None:
        deforms = COMPUTED
    G = [g[i, j] if i == j else g[i, j] + g[j, i] for i, j in _PAIRS]
    shapes: list[Any] = [float(deforms), *np.ravel(s), *np.ravel(G)]
    if deforms != KNOWN:
        return moments + shapes
    B, sigma = integrals.modal_products, np.zeros((3, n, n))
    if body.second_order is not None:
        B, sigma = B + body.second_order.second_moment, body.second_order.first_moment
    products = [(B[i, j] + B[i, j].T) / 2 if i == j else B[i, j] + B[j, i] for i, j in _PAIRS]
    return [*moments, *shapes, *np.ravel(products), *np.ravel(sigma)]


def _mass_integrals(body: NormalBody) -> MassIntegrals:
    """Integrals of a body: of its points, or of all its mass where its shapes turn its frame."""
    integrals = body.integrals
    for lump in body.lumps if body.floating is not None else ():
        integrals = integrals.with_lump(
            lump, body.node_positions[lump.node], body.node_shapes[lump.node]
        )
    return integrals


_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _six(L: Array) -> list[float]:
    return [float(L[i, j]) for i, j in _PAIRS]
