"""Columns of hinges, and motions of bodies in common axes.

N: the frame that carries the body; S = xi the motions of the hinge, beta its speeds.
  V = V_N + S beta                                                                            (1)
  psi_1 = V_N x xi + sigma                                                                    (2)
  psi_2 = A_N x xi + V_N x (V_N x xi) + (V_N + V) x sigma + tau                               (3)
  phi_2 = (V_N + V) x xi + pi                                                                 (4)
sigma, tau and pi are there only where motions of the hinge depend on its coordinates: motion k is
moved by every motion l outboard of it, d S_k along l = S_k x S_l.  With the velocity u, the given
acceleration h and the bias c of the motions inboard of l, and w the velocity of all others:
  sigma = u x S_l    tau = (h + c) x S_l + sigma x w                                          (5)
  pi = S_l x (velocity of those outboard of l) + u x S_l                                      (6)
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...layout.records import CarrierRecord
from ...small import ZERO, add, added, column, cross, dot, matrix, product, turn, unit, vector
from .frames import ACCELERATION, PLACE, TURN, VELOCITY, XI, motion_cross, put_column, rows_of

COLUMN = 7  # numbers of a column of an EXPONENTIAL joint, see `joints`


@jit
def hinge_motion(scratch, body, c):
    """Motion c of a hinge at the origin of its body, working axes."""
    o, kind = body.hinge, body.kind
    if kind == field.REVOLUTE:
        return vector(scratch, o), ZERO
    if kind == field.PRISMATIC:
        return ZERO, vector(scratch, o + 3)
    if kind == field.SPHERICAL or kind == field.FREE:
        e = unit(c % 3)
        if body.level == field.RIGID:
            R = CarrierRecord(scratch, body.record).R
            e = column(R, c % 3)
        return (e, ZERO) if c < 3 else (ZERO, e)
    return vector(scratch, o + 6 * c), vector(scratch, o + 6 * c + 3)


@jit
def part_of(floats, body, c):
    """Place of a motion among those of its hinge, 0 nearest the body; equal if they are fixed."""
    kind, j = body.kind, body.joint
    if kind == field.UNIVERSAL:
        return 1 - c
    if kind == field.PLANAR:
        return 0 if c == 2 else 1
    if kind == field.EXPONENTIAL:
        part = j + 1
        for k in range(int(floats[j])):
            n = int(floats[part])
            for i in range(n):
                if int(floats[part + 1 + COLUMN * i]) == c:
                    return k
            part += 1 + COLUMN * n
    return 0


@jit
def depends(body):
    """Whether motions of a hinge depend on its coordinates."""
    kind = body.kind
    return kind == field.UNIVERSAL or kind == field.PLANAR or kind == field.EXPONENTIAL


@jit
def hinge_columns(floats, scratch, work, body, places, v, x):
    """Write the motion of a body (1) and the columns of its hinge."""
    b, n, columns = places.frame, places.carrier, places.hinge_columns
    r, o_v = body.hinge_dof, body.hinge_v
    record = CarrierRecord(scratch, body.record)
    C = matrix(work, n + TURN)
    p = add(vector(work, n + PLACE), turn(C, record.arm))
    if body.level != field.RIGID:
        C = product(C, record.R)
    for k in range(9):
        work[b + TURN + k] = C[k]
    V_w, V_v = vector(work, n + VELOCITY), vector(work, n + VELOCITY + 3)
    for c in range(r):
        h_w, h_v = hinge_motion(scratch, body, c)
        h_w, h_v = turn(C, h_w), turn(C, h_v)
        h_v = add(h_v, cross(p, h_w))
        V_w, V_v = added(V_w, v[o_v + c], h_w), added(V_v, v[o_v + c], h_v)
        for k in range(3):
            work[columns + (XI + k) * r + c] = h_w[k]
            work[columns + (XI + 3 + k) * r + c] = h_v[k]
    alpha = turn(C, record.alpha)
    a = turn(C, record.a)
    rate = add(V_v, cross(V_w, p))
    a = add(added(a, -1.0, cross(V_w, rate)), cross(p, alpha))
    for k in range(3):
        work[b + PLACE + k] = p[k]
        work[b + VELOCITY + k], work[b + VELOCITY + 3 + k] = V_w[k], V_v[k]
        work[b + ACCELERATION + k], work[b + ACCELERATION + 3 + k] = alpha[k], a[k]
    varies = depends(body)
    N_w, N_v = vector(work, n + VELOCITY), vector(work, n + VELOCITY + 3)
    A_w, A_v = vector(work, n + ACCELERATION), vector(work, n + ACCELERATION + 3)
    both_w, both_v = add(N_w, V_w), add(N_v, V_v)
    for c in range(r):
        xi_w = rows_of(work, columns + XI * r, r, c)
        xi_v = rows_of(work, columns + (XI + 3) * r, r, c)
        psi_w, psi_v = motion_cross(N_w, N_v, xi_w, xi_v)  # (2)
        first = motion_cross(A_w, A_v, xi_w, xi_v)
        second = motion_cross(N_w, N_v, psi_w, psi_v)
        two_w, two_v = add(first[0], second[0]), add(first[1], second[1])  # (3)
        phi_w, phi_v = motion_cross(both_w, both_v, xi_w, xi_v)  # (4)
        if varies:
            s_w, s_v, t_w, t_v, pi_w, pi_v = _varying(floats, work, body, columns, c, v, x)
            turned = motion_cross(both_w, both_v, s_w, s_v)
            psi_w, psi_v = add(psi_w, s_w), add(psi_v, s_v)
            two_w, two_v = add(two_w, add(turned[0], t_w)), add(two_v, add(turned[1], t_v))
            phi_w, phi_v = add(phi_w, pi_w), add(phi_v, pi_v)
        put_column(work, columns, r, c, xi_w, xi_v, psi_w, psi_v, two_w, two_v, phi_w, phi_v)


@jit
def _varying(floats, work, body, columns, c, v, x):
    """Terms sigma, tau (5) and pi (6) of column c."""
    r, o_v = body.hinge_dof, body.hinge_v
    part_c = part_of(floats, body, c)
    S_w, S_v = _motion(work, columns, r, c)
    u_w, u_v, h_w, h_v, w_w, w_v, out_w, out_v = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for k in range(r):
        part = part_of(floats, body, k)
        k_w, k_v = _motion(work, columns, r, k)
        if part > part_c:  # inboard
            u_w, u_v = added(u_w, v[o_v + k], k_w), added(u_v, v[o_v + k], k_v)
            h_w, h_v = added(h_w, x[o_v + k], k_w), added(h_v, x[o_v + k], k_v)
            for l in range(r):
                between = part_of(floats, body, l)
                if part_c < between < part:
                    l_w, l_v = _motion(work, columns, r, l)
                    bias = motion_cross(k_w, k_v, l_w, l_v)
                    rates = v[o_v + k] * v[o_v + l]
                    h_w, h_v = added(h_w, rates, bias[0]), added(h_v, rates, bias[1])
        else:
            w_w, w_v = added(w_w, v[o_v + k], k_w), added(w_v, v[o_v + k], k_v)
            if part < part_c:
                out_w, out_v = added(out_w, v[o_v + k], k_w), added(out_v, v[o_v + k], k_v)
    s_w, s_v = motion_cross(u_w, u_v, S_w, S_v)
    one, two = motion_cross(h_w, h_v, S_w, S_v), motion_cross(s_w, s_v, w_w, w_v)
    pi = motion_cross(S_w, S_v, out_w, out_v)
    return (s_w, s_v, add(one[0], two[0]), add(one[1], two[1]), add(pi[0], s_w), add(pi[1], s_v))


@jit
def _motion(work, columns, r, c):
    return rows_of(work, columns + XI * r, r, c), rows_of(work, columns + (XI + 3) * r, r, c)


@jit
def moved_motions(floats, work, body, columns, k, l, n, f):
    """Force (n, f) along the change of motion k of a hinge by its motion l."""
    if part_of(floats, body, l) >= part_of(floats, body, k):
        return 0.0
    r = body.hinge_dof
    k_w, k_v = _motion(work, columns, r, k)
    l_w, l_v = _motion(work, columns, r, l)
    d_w, d_v = motion_cross(k_w, k_v, l_w, l_v)
    return dot(d_w, n) + dot(d_v, f)
