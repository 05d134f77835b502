"""Implicit steps: the stiff terms sit on the speeds, so that they are armature to the recursion.

K, C: stiffness and damping of modes and hinges (diagonal); A: armature.
Linearly implicit Euler
  (M + h C + h^2 K) x = forces(q, v) - h K v      v_1 = v + h x      q_1 = q moved by h v_1   (1)
Generalized-alpha, a the algorithmic accelerations, x = vdot at the end of the step
  (1 - alpha_m) a_1 + alpha_m a = (1 - alpha_f) x_1 + alpha_f x                              (2)
  v_1 = v + h ((1 - gamma) a + gamma a_1)                                                     (3)
  q_1 = q moved by h v + h^2 ((1/2 - beta) a + beta a_1)                                      (4)
  M(q_1) x_1 = forces(q_1, v_1) by iteration:
  (M + A) x = forces + A x_before      A = (1 - alpha_f)/(1 - alpha_m) (gamma h C + beta h^2 K)  (5)
Each iteration is one forward dynamics with armature: M is that of the present iterate.  Loops are
closed in the speeds at the end of the step, not in accelerations: A(q_1) v_1 = 0             (6)
Near singular positions, where errors of speeds would ask for huge accelerations, that stays tame.
Sources: J. Chung, G. M. Hulbert, J. Appl. Mech. 60, 1993; M. Arnold, O. Bruels, Multibody Syst.
Dyn. 18, 2007 (on groups: O. Bruels, A. Cardona, J. Comput. Nonlin. Dyn. 5, 2010).  Differs: (5)
keeps of the tangent matrix only what armature can hold; a - x is kept per second, so that steps
may change.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from . import fields as run
from .coordinates import moved
from .evaluate import close_in_speeds, evaluate, set_armature
from .loads import stop_force

MOST_ITERATIONS = 40
# The error of a step goes with the change of the accelerations in it; an error of the iteration
# that is this part of the change does not show beside it.
ENOUGH = 1e-3


@jit
def tangent(given, q, v, n, K, C, sides):
    """Stiffness and damping on the speeds: modes, and elements on hinges at (q, v).

    sides: for each speed the last iterates below and above zero.  The tangent of friction is that
    of a step, and iterates would jump across it for ever; the secant between both sides halves the
    way each time.
    """
    plan, table, memory = given
    o = plan[run.STIFFNESS] & POSITIVE
    for k in range(n):
        K[k] = table[o + k]
        C[k] = table[o + n + k]
    for k in range(plan[run.N_FORCE]):
        e = plan[run.FORCES] + k * run.E_ROW
        kind, c = plan[e + run.E_KIND], plan[e + run.E_TABLE] & POSITIVE
        if kind == run.FORCE or memory[plan[e + run.E_ACTIVE]] == 0.0:
            continue
        o_q, o_v = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE
        for j in range(plan[e + run.E_N]):
            if kind == run.SPRING:
                K[o_v + j] += table[c + 3 * j]
                C[o_v + j] += table[c + 3 * j + 2]
            elif kind == run.DAMPER:
                C[o_v + j] += table[c + j]
            elif kind == run.FRICTION:
                y = math.tanh(v[o_v + j] / table[c + 1])
                slope = (1.0 - y * y) / table[c + 1]
                below, above = sides[o_v + j], sides[n + o_v + j]
                if below < 0.0 and above > 0.0:
                    y = math.tanh(above / table[c + 1]) - math.tanh(below / table[c + 1])
                    slope = max(slope, y / (above - below))
                C[o_v + j] += table[c] * slope
            elif kind == run.STOP_FORCE:
                _f, stiffness, damping = stop_force(table, c, q[o_q + j], v[o_v + j])
                K[o_v + j] += stiffness
                C[o_v + j] += damping
            else:  # a spring about a point: rotation, then translation
                half = 2 * (j // 3)
                K[o_v + j] += table[c + half]
                C[o_v + j] += table[c + half + 1]


@jit
def _note_sides(v, n, sides):
    """Keep v where it is below or above zero."""
    for k in range(n):
        if v[k] < 0.0:
            sides[k] = v[k]
        elif v[k] > 0.0:
            sides[n + k] = v[k]


@jit
def prepare_armature(system, given, K, C, of_damping, of_stiffness, h, A):
    """A = of_damping C + of_stiffness K, and with that of rotors into the scratch."""
    ints, floats, scratch = system
    plan, table, memory = given
    n, o = ints[field.N_V], plan[run.BASE_ARMATURE] & POSITIVE
    for k in range(n):
        A[k] = of_damping * C[k] + of_stiffness * K[k]
    both = A  # modes have no rotors: their entries serve both
    for k in range(n):
        both[k] += table[o + k]
    set_armature(ints, floats, scratch, both, memory[run.PREPARED] != h)
    memory[run.PREPARED] = h
    for k in range(n):
        A[k] -= table[o + k]


@jit
def implicit_euler(system, given, room, t, h, q0, v0, s, q1, v1, K, C, A, sides, out, flags):
    """One step (1); system with the stiff scratch."""
    n = system[0][field.N_V]
    extra = room[2]
    for k in range(2 * n):
        sides[k] = 0.0
    tangent(given, q0, v0, n, K, C, sides)
    prepare_armature(system, given, K, C, h, h * h, h, A)
    last = room[6]
    for k in range(n):
        extra[k] = -h * K[k] * v0[k]
        v1[k] = v0[k]
        last[k] = 0.0
    if given[0][run.PROJECT] != 0:
        close_in_speeds(system[0], system[2], h)
    for k in range(len(q0)):
        q1[k] = q0[k]
    status = evaluate(system, given, room, t, q1, v1, out, flags)
    for k in range(n):
        extra[k] = 0.0
    if status != 0:
        return status
    for k in range(n):
        v1[k] = v0[k] + h * out[k]
        s[k] = h * v1[k]
    if moved(given[0], given[1], q0, s, q1, room[4]) != field.DONE:
        return run.SINGULAR_COORDINATES
    return 0


@jit
def generalized_alpha(
    system,
    given,
    room,
    t,
    h,
    q0,
    v0,
    x0,
    b0,
    a0,
    s,
    q1,
    v1,
    x1,
    a1,
    K,
    C,
    A,
    sides,
    weights,
    out,
    flags,
):
    """One step (2)-(5) into q1, v1, x1, a1; DIVERGED if the iteration does not settle.

    b0: the accelerations one step before x0, for a first guess.  The error that is left after an
    iteration is judged by how much it reduced the change of the one before, in this very step:
    what earlier steps showed is no measure, and momentum would drift.
    """
    n = system[0][field.N_V]
    plan, table, memory = given
    extra = room[2]
    p = plan[run.PARAMETERS]
    alpha_m, alpha_f = table[p + run.ALPHA_M], table[p + run.ALPHA_F]
    beta, gamma = table[p + run.BETA], table[p + run.GAMMA]
    tolerance = table[p + run.NEWTON] * max(
        min(1.0, h * table[p + run.SHARE]), table[p + run.LEAST_SHARE]
    )
    ratio = (1.0 - alpha_f) / (1.0 - alpha_m)
    for k in range(2 * n):
        sides[k] = 0.0
    _note_sides(v0, n, sides)
    tangent(given, q0, v0, n, K, C, sides)
    prepare_armature(system, given, K, C, ratio * gamma * h, ratio * beta * h * h, h, A)
    f = min(h / memory[run.LAST_STEP], 2.0) if memory[run.LAST_STEP] > 0.0 else 0.0
    for k in range(n):  # first guess: accelerations that go on as they did
        x1[k] = x0[k] + f * (x0[k] - b0[k])
        a1[k] = ((1.0 - alpha_f) * x1[k] + alpha_f * x0[k] - alpha_m * a0[k]) / (1.0 - alpha_m)
    before, status, steady = 0.0, run.DIVERGED, plan[run.NONLINEAR] == 0
    if plan[run.PROJECT] != 0:
        close_in_speeds(system[0], system[2], ratio * gamma * h)  # (6)
    for iteration in range(MOST_ITERATIONS):
        for k in range(n):
            v1[k] = v0[k] + h * ((1.0 - gamma) * a0[k] + gamma * a1[k])
            s[k] = h * v0[k] + h * h * ((0.5 - beta) * a0[k] + beta * a1[k])
            extra[k] = A[k] * x1[k]
        if moved(plan, table, q0, s, q1, room[4]) != field.DONE:
            status = run.SINGULAR_COORDINATES
            break
        memory[run.N_ITERATIONS] += 1.0
        found = evaluate(system, given, room, t + h, q1, v1, out, flags)
        if found != 0:
            status = found
            break
        change, step = 0.0, 0.0
        for k in range(n):
            d = ratio * (out[k] - x1[k])
            x1[k] = out[k]
            a1[k] += d
            size = h * max(gamma / weights[n + k], h * beta / weights[k])
            step = max(step, abs(a1[k] - a0[k]) * size)
            if not abs(d) * size <= change:
                change = abs(d) * size
                memory[run.WORST] = k
        rate = 1.0
        if iteration > 0 and before > 0.0 and steady:
            rate = change / before
        left = change * rate / max(1e-3, 1.0 - rate)  # of a geometric series
        if left <= max(tolerance, ENOUGH * step):
            status = 0
            break
        if iteration > 3 and rate > 1.5:
            break
        if plan[run.NONLINEAR] != 0:
            # With another armature the changes do not tell how fast they fall.
            for k in range(n):
                out[k] = A[k]
            _note_sides(v1, n, sides)
            tangent(given, q1, v1, n, K, C, sides)
            prepare_armature(system, given, K, C, ratio * gamma * h, ratio * beta * h * h, h, A)
            steady = True
            for k in range(n):
                steady = steady and abs(A[k] - out[k]) <= 0.1 * min(A[k], out[k])
        before = change
    for k in range(n):
        extra[k] = 0.0
    if status != 0:
        return status
    for k in range(n):
        v1[k] = v0[k] + h * ((1.0 - gamma) * a0[k] + gamma * a1[k])
        s[k] = h * v0[k] + h * h * ((0.5 - beta) * a0[k] + beta * a1[k])
    if moved(plan, table, q0, s, q1, room[4]) != field.DONE:
        return run.SINGULAR_COORDINATES
    return 0


@jit
def alpha_error(given, h, n, a0, a1, weights):
    """Estimate of the local error in units of what is allowed: h^2 |beta - 1/6| (a_1 - a)."""
    plan, table, memory = given
    factor = h * h * abs(table[plan[run.PARAMETERS] + run.BETA] - 1.0 / 6.0)
    worst = 0.0
    for k in range(n):
        e = factor * abs(a1[k] - a0[k]) / weights[k]
        if not e <= worst:
            worst = e
            memory[run.WORST] = k
    return worst
