"""Motions of the nodes that loads act on, from the columns of `tree.derivatives.motions`.

With the columns xi, psi_1 of a node about the common point, its velocity V and place p:
  J = [xi_w; xi_v + xi_w x p] = [xi_w; dp]    dV = psi_1 + xi x V
  d(J v)/dq = [dV_w; dV_v + dV_w x p + V_w x dp]                                              (1)
"""

from __future__ import annotations

from ..compiling import uncounted
from ..layout import run
from ..small import add, cross, put_vector, vector
from ..tree.derivatives.frames import COLUMNS, PSI_1, XI, motion_cross, rows_of
from ..tree.derivatives.motions import MOTION

PLACE, VELOCITY = 9, 12  # of a motion


@uncounted
def put_directions(plan, columns, motions, U, first, n):
    """Write J of all slots to the rows U from `first` on."""
    head = run.PlanHeader(plan, 0)
    for s in range(head.n_wrench):
        o, p = COLUMNS * s * n, vector(motions, MOTION * s + PLACE)
        for k in range(n):
            xi_w, xi_v = rows_of(columns, o + XI * n, n, k), rows_of(columns, o + 3 * n, n, k)
            xi_v = add(xi_v, cross(xi_w, p))
            for j in range(3):
                U[(first + 6 * s + j) * n + k] = xi_w[j]
                U[(first + 6 * s + 3 + j) * n + k] = xi_v[j]


@uncounted
def put_rate_changes(plan, columns, motions, n, k, out):
    """Write the changes (1) of the velocities of all slots along speed k to out[12 s + 6:]."""
    head = run.PlanHeader(plan, 0)
    for s in range(head.n_wrench):
        o, at = COLUMNS * s * n, MOTION * s
        p, V_w = vector(motions, at + PLACE), vector(motions, at + VELOCITY)
        V_v = vector(motions, at + VELOCITY + 3)
        xi_w, xi_v = rows_of(columns, o + XI * n, n, k), rows_of(columns, o + 3 * n, n, k)
        d_w, d_v = motion_cross(xi_w, xi_v, V_w, V_v)
        d_w = add(d_w, rows_of(columns, o + PSI_1 * n, n, k))
        d_v = add(d_v, rows_of(columns, o + (PSI_1 + 3) * n, n, k))
        dp = add(xi_v, cross(xi_w, p))
        put_vector(out, 12 * s + 6, d_w)
        put_vector(out, 12 * s + 9, add(d_v, add(cross(d_w, p), cross(V_w, dp))))
