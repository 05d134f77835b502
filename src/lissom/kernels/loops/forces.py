"""Forces that keep loops closed: Lambda = A M^-1 A^T and its solution, from the articulated tree.

Follows `closed_loops`, eqs. (5)-(8).  After `articulate_tip_to_base` and `close_loops`, with zeta_k
the forces of constraint k on the nodes of a body:
  x_k = N zeta_k     Z_k = Y x_k     Lambda_kl += (S zeta_k) . x_l                           (1)
  L e_k = u_k - H Z_k     Lambda_kl += e_k . d^-1 e_l     Z+_k = Z_k + Y_h d^-1 e_k          (2)
The accelerations of the free tree along constraint k need no outward sweep:
  A vdot_free = bias accelerations + sum over hinges e_k . d^-1 e - sum over nodes
                zeta_k . (y - S f_0)                                                         (3)
and the outward sweep then gives the constrained accelerations, with
  e += sum e_k lambda_k at the hinges, zeta += sum zeta_k lambda_k at the nodes              (4)
A rigid body is its own node: x = Z = zeta.  u_k are the forces of a coupling at the hinge.
The columns k are the unknown forces of `unknowns`; a body has those that reach it, one after
another, and Lambda has the entries of columns that meet on a body.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..least_norm import CLOSE, factor_semidefinite, solve_least_norm
from ..records import closure_record, hinge_record, modal_record, stack_record
from ..small import (
    ZERO,
    add,
    added,
    cross,
    dot,
    matrix,
    put_vector,
    scaled,
    six,
    turn,
    turn_back,
    vector,
)
from ..tree.compliance import node_forces
from ..tree.modal import modal_spread
from ..tree.one_node import combined, product_at, put_row, row as row_of_six
from .closing import close_loops, constraint_rates, loop_end, place_loops
from .envelope import (
    clear_envelope,
    factor_envelope,
    row_of_envelope,
    solve_envelope,
    spread_envelope,
)
from .unknowns import gather, scatter, solution_of

# Fractions of the largest diagonal entry of Lambda, and of the inverse of the system's mass, below
# which a loop moves nothing.
NEGLIGIBLE, MOTIONLESS = 1e-10, 1e-16
REGULAR = -1  # instead of a rank: Lambda is factored within its envelope


@jit
def constrain(ints, floats, scratch, q, v, x, before, flags):
    """Solve for the loop forces and apply them to the articulated tree; DONE or NOT_FINITE.

    After `articulate_tip_to_base`; `accelerate_base_to_tip` then gives accelerations that keep the
    loops closed.  q, v, x as for `close_loops`.
    A method that changes speeds by kappa times the change of accelerations x from `before` requires
      A (v + kappa (x - before)) = 0,  that is  A x = A before - A v / kappa                 (5)
    Explicit methods give expected accelerations as `before`: close to singular positions, where
    forces are softened, the forces for these accelerations are not.
    """
    place_loops(ints, scratch, v, flags)
    close_loops(ints, floats, scratch, q, v, x, flags)
    closed_in_speeds(ints, floats, scratch, before)
    gather_rhs(ints, floats, scratch)
    compliance_tip_to_base(ints, scratch, True)
    rank, soft = factor_loops(ints, floats, scratch)
    if soft:
        _soft_beyond(ints, floats, scratch, before)
    solve_loops(ints, floats, scratch, rank, soft)
    return put_loop_forces(ints, scratch)


@jit
def gather_rhs(ints, floats, scratch):
    """Right-hand sides of the unknowns from those of the constraints; all is to be softened."""
    h = ints[field.LOOPS] & POSITIVE
    n = ints[h + field.N_COLUMN] & POSITIVE
    rhs = closure_record(ints[h + field.CLOSURE] & POSITIVE, n).rhs
    gather(ints, floats, scratch, rhs, solution_of(ints, h).rhs)
    keep_asked(ints, scratch)


@jit
def keep_asked(ints, scratch):
    """Save the right-hand side as the part to be softened."""
    h = ints[field.LOOPS] & POSITIVE
    solution = solution_of(ints, h)
    for k in range(ints[h + field.N_SOLVED]):
        scratch[solution.asked + k] = scratch[solution.rhs + k]


@jit
def expects(ints, scratch):
    """Whether loop forces are softened only beyond expected accelerations."""
    h = ints[field.LOOPS] & POSITIVE
    return scratch[(ints[h + field.CLOSING] & POSITIVE) + field.SOFTENED] == field.SOFT_BEYOND


@jit
def _soft_beyond(ints, floats, scratch, expected):
    """Subtract the contribution of the expected accelerations from the part to be softened."""
    if not expects(ints, scratch):
        keep_asked(ints, scratch)
        return
    h = ints[field.LOOPS] & POSITIVE
    n = ints[h + field.N_COLUMN] & POSITIVE
    applied = closure_record(ints[h + field.CLOSURE] & POSITIVE, n).applied
    constraint_rates(ints, floats, scratch, expected, applied)
    solution = solution_of(ints, h)
    gather(ints, floats, scratch, applied, solution.work)
    for k in range(ints[h + field.N_SOLVED]):
        scratch[solution.asked + k] -= scratch[solution.work + k]


@jit
def closed_in_speeds(ints, floats, scratch, before):
    """Replace the right-hand side for accelerations by that of (5), if requested."""
    if not closes_in_speeds(ints, scratch):
        return
    h = ints[field.LOOPS] & POSITIVE
    kappa = scratch[(ints[h + field.CLOSING] & POSITIVE) + field.KAPPA]
    n = ints[h + field.N_COLUMN] & POSITIVE
    closure = closure_record(ints[h + field.CLOSURE] & POSITIVE, n)
    constraint_rates(ints, floats, scratch, before, closure.applied)
    for k in range(n):
        e = scratch[closure.applied + k]
        scratch[closure.rhs + k] = e - scratch[closure.rate + k] / kappa


@jit
def closes_in_speeds(ints, scratch):
    """Whether (5) is requested."""
    h = ints[field.LOOPS] & POSITIVE
    return scratch[(ints[h + field.CLOSING] & POSITIVE) + field.KAPPA] != 0.0


@jit
def factor_loops(ints, floats, scratch):
    """Factor Lambda; return the number of independent rows and whether to soften the forces.

    The rank is REGULAR if the factor within the envelope is far from singular.  Otherwise the whole
    matrix is factored with pivoting.
    """
    h = ints[field.LOOPS] & POSITIVE
    n, solution = ints[h + field.N_SOLVED] & POSITIVE, solution_of(ints, h)
    closing = ints[h + field.CLOSING] & POSITIVE
    _row_sizes(ints, floats, scratch, h, solution.size)
    smallest = factor_envelope(ints, scratch, h, solution.size, CLOSE)
    if smallest > CLOSE:
        scratch[closing + field.LEAST_LEFT] = smallest
        return REGULAR, False
    spread_envelope(ints, scratch, h, solution.Lambda)
    rank, smallest = factor_semidefinite(
        scratch, solution.Lambda, n, solution.factor, solution.order, solution.left, solution.size
    )
    scratch[closing + field.LEAST_LEFT] = smallest
    return rank, smallest <= CLOSE and scratch[closing + field.SOFTENED] != field.SHARP


@jit
def _row_sizes(ints, floats, scratch, h, size):
    """Write the sizes of rows: the largest diagonal entry of the loop; that of a coupling."""
    Lam, n = ints[h + field.LAMBDA] & POSITIVE, ints[h + field.N_SOLVED]
    least_own = MOTIONLESS / floats[ints[h + field.LENGTH] + 1]
    least = least_own
    for k in range(n):
        _first, row = row_of_envelope(ints, h, k)
        scratch[size + k] = scratch[Lam + row + k]
        least = max(least, NEGLIGIBLE * scratch[size + k])
    for j in range(ints[h + field.N_LOOP]):
        l = (ints[h + field.LOOP_ROWS] & POSITIVE) + j * field.LOOP_ROW
        first, own = size + ints[l + field.L_SOLVED], least
        for c in range(ints[l + field.L_N_SOLVED]):
            own = max(own, scratch[first + c])
        for c in range(ints[l + field.L_N_SOLVED]):
            scratch[first + c] = own
    for j in range(ints[h + field.N_COUPLING]):  # its coordinates move, however little
        c = (ints[h + field.COUPLING_ROWS] & POSITIVE) + j * field.COUPLING_ROW
        own = size + ints[c + field.C_SOLVED]
        scratch[own] = max(least_own, scratch[own])


@jit
def solve_loops(ints, floats, scratch, rank, soft):
    """Loop forces lambda from the factor of Lambda and the right-hand side.

    soft: soften the part saved by `keep_asked`.
    """
    h = ints[field.LOOPS] & POSITIVE
    n, solution = ints[h + field.N_SOLVED] & POSITIVE, solution_of(ints, h)
    for k in range(n):
        scratch[solution.force + k] = scratch[solution.rhs + k]
    if rank == REGULAR:
        solve_envelope(ints, scratch, h, solution.force)
    else:
        solve_least_norm(scratch, solution, n, rank, soft)
    scatter(ints, floats, scratch)


@jit
def compliance_tip_to_base(ints, scratch, free):
    """Write Lambda (1), (2), and with `free` the accelerations of the free tree (3) to the rhs."""
    h = ints[field.LOOPS] & POSITIVE
    rhs, Lam = solution_of(ints, h).rhs, ints[h + field.LAMBDA] & POSITIVE
    clear_envelope(ints, scratch, h)
    for j in range(ints[h + field.N_PATH] - 1, -1, -1):
        p = (ints[h + field.PATH_ROWS] & POSITIVE) + j * field.PATH_ROW
        row = ints[p + field.W_BODY] & POSITIVE
        b, active = ints[row + field.BODY] & POSITIVE, ints[p + field.W_ACTIVE] & POSITIVE
        n_active, forces = ints[p + field.W_N_ACTIVE], ints[p + field.W_FORCES] & POSITIVE
        rigid = ints[row + field.LEVEL] == field.RIGID
        Z = forces
        if not rigid:
            Z = ints[h + field.LOOP_WORK] & POSITIVE
            if ints[p + field.W_N_NODE] == 1:
                _through_one_node(ints, scratch, h, p, row, Z, rhs, free)
            else:
                _through_nodes(ints, scratch, h, p, row, Z, rhs, free)
        r, o = ints[row + field.HINGE_DOF], ints[row + field.HINGE] & POSITIVE
        if ints[row + field.DRIVEN] != 0:
            r = 0
        e = ints[p + field.W_INNOVATIONS] & POSITIVE
        _H, o_y, o_l, o_e, _a, _child = hinge_record(o, r)
        o_n = ints[p + field.W_CARRIER_FORCES]
        arm, R = vector(scratch, b + field.ARM), matrix(scratch, b + field.R_)
        for i in range(n_active):
            k = ints[active + i] & POSITIVE
            z_w, z_v = vector(scratch, Z + 6 * i), vector(scratch, Z + 6 * i + 3)
            e_k = e + r * i
            _first, entry = row_of_envelope(ints, h, k)
            entry += Lam
            n_w, n_v = z_w, z_v
            for c in range(r):  # (2)
                s = scratch[e_k + c]  # initial value of a coupling
                s -= dot(vector(scratch, o + 6 * c), z_w) + dot(vector(scratch, o + 6 * c + 3), z_v)
                for t in range(c):
                    s -= scratch[o_l + c * r + t] * scratch[e_k + t]
                scratch[e_k + c] = s
                s *= scratch[o_l + c * r + c]
                n_w = added(n_w, s, vector(scratch, o_y + 6 * c))
                n_v = added(n_v, s, vector(scratch, o_y + 6 * c + 3))
                if free:
                    scratch[rhs + k] -= s * scratch[o_e + c]
                for t in range(i + 1):
                    scratch[entry + ints[active + t]] += s * scratch[e + r * t + c]
            if o_n >= 0:
                if not rigid:
                    n_w, n_v = turn(R, n_w), turn(R, n_v)
                place = ints[active + n_active + i] & POSITIVE
                add_at_carrier(scratch, (o_n & POSITIVE) + 6 * place, arm, n_w, n_v)


@jit
def add_at_carrier(scratch, o, arm, n, f):
    """Add a moment and a force, at `arm` from the carrying node, to those at scratch[o]."""
    put_vector(scratch, o, add(vector(scratch, o), add(n, cross(arm, f))))
    put_vector(scratch, o + 3, add(vector(scratch, o + 3), f))


@jit
def _through_one_node(ints, scratch, h, p, row, Z, rhs, free):
    """`_through_nodes` for one node, the common case: Z = (Y N) zeta, w = (S N) zeta."""
    active, forces = ints[p + field.W_ACTIVE] & POSITIVE, ints[p + field.W_FORCES] & POSITIVE
    n, Lam = ints[p + field.W_N_ACTIVE] & POSITIVE, ints[h + field.LAMBDA] & POSITIVE
    t, d = ints[row + field.STACK] & POSITIVE, ints[row + field.NODES] & POSITIVE
    w, SN = Z + 6 * n, Z + 12 * n
    YN = SN + 36
    stack = stack_record(t, 1)
    _product_of_six(scratch, stack.compliance, stack.passing, SN)
    _product_of_six(scratch, stack.transfer, stack.passing, YN)
    g0 = g1 = g2 = g3 = g4 = g5 = 0.0
    if free:
        node_forces(scratch, t, d, 1, field.YIELD)  # f_0
        y = row_of_six(scratch, d + field.YIELD)
        s = product_at(scratch, stack.compliance, row_of_six(scratch, d + field.NODE_FORCE))
        g0, g1, g2, g3, g4, g5 = (
            y[0] - s[0], y[1] - s[1], y[2] - s[2], y[3] - s[3], y[4] - s[4], y[5] - s[5]
        )  # fmt: skip
    for i in range(n):
        k = ints[active + i] & POSITIVE
        z = row_of_six(scratch, forces + 6 * i)
        put_row(scratch, Z + 6 * i, product_at(scratch, YN, z))
        put_row(scratch, w + 6 * i, product_at(scratch, SN, z))
        _first, entry = row_of_envelope(ints, h, k)
        for j in range(i + 1):
            o = w + 6 * j
            scratch[Lam + entry + ints[active + j]] += (
                z[0] * scratch[o] + z[1] * scratch[o + 1] + z[2] * scratch[o + 2]
                + z[3] * scratch[o + 3] + z[4] * scratch[o + 4] + z[5] * scratch[o + 5]
            )  # fmt: skip
        scratch[rhs + k] += z[0] * g0 + z[1] * g1 + z[2] * g2 + z[3] * g3 + z[4] * g4 + z[5] * g5


@jit
def _product_of_six(x, a, b, out):
    """Write the product of the 6x6 matrices at x[a] and x[b] to x[out]."""
    r0, r1, r2 = row_of_six(x, b), row_of_six(x, b + 6), row_of_six(x, b + 12)
    r3, r4, r5 = row_of_six(x, b + 18), row_of_six(x, b + 24), row_of_six(x, b + 30)
    for r in range(6):
        put_row(x, out + 6 * r, combined(row_of_six(x, a + 6 * r), r0, r1, r2, r3, r4, r5))


@jit
def _through_nodes(ints, scratch, h, p, row, Z, rhs, free):
    """Write the columns of a flexible body at its frame to Z; add to Lambda (1) and the rhs (3)."""
    active, forces = ints[p + field.W_ACTIVE] & POSITIVE, ints[p + field.W_FORCES] & POSITIVE
    n, n_node = ints[p + field.W_N_ACTIVE] & POSITIVE, ints[p + field.W_N_NODE]
    Lam = ints[h + field.LAMBDA] & POSITIVE
    t, nodes = ints[row + field.STACK] & POSITIVE, ints[row + field.NODES] & POSITIVE
    order = 6 * n_node
    _M, _X, _S0, o_y, o_s, o_n, _work = stack_record(t, n_node)
    passed, softened = Z + 6 * n, Z + 6 * n + order * n  # x_k and S zeta_k of all columns
    zeta = softened + order * n
    if free:
        node_forces(scratch, t, nodes, n_node, field.YIELD)  # f_0
    for i in range(n):
        k = ints[active + i] & POSITIVE
        for node in range(n_node):
            for c in range(6):
                scratch[zeta + 6 * node + c] = scratch[forces + 6 * n * node + 6 * i + c]
        for r in range(order):
            x = s = 0.0
            for c in range(order):
                x += scratch[o_n + r * order + c] * scratch[zeta + c]
                s += scratch[o_s + r * order + c] * scratch[zeta + c]
            scratch[passed + order * i + r] = x
            scratch[softened + order * i + r] = s
        for r in range(6):
            z = 0.0
            for c in range(order):
                z += scratch[o_y + r * order + c] * scratch[passed + order * i + c]
            scratch[Z + 6 * i + r] = z
        _first, entry = row_of_envelope(ints, h, k)
        for j in range(i + 1):
            e = 0.0
            for c in range(order):
                e += scratch[softened + order * i + c] * scratch[passed + order * j + c]
            scratch[Lam + entry + ints[active + j]] += e
        if free:
            e = 0.0
            for node in range(n_node):
                d = nodes + node * field.NODE_RECORD
                for c in range(6):
                    e += scratch[zeta + 6 * node + c] * scratch[d + field.YIELD + c]
                    e -= (
                        scratch[softened + order * i + 6 * node + c]
                        * scratch[d + field.NODE_FORCE + c]
                    )
            scratch[rhs + k] += e


@jit
def put_loop_forces(ints, scratch):
    """Add the loop forces to the inputs of the outward sweep (4)."""
    h = ints[field.LOOPS] & POSITIVE
    lam, finite = solution_of(ints, h).force, 0.0
    for k in range(ints[h + field.N_SOLVED]):
        finite += 0.0 * scratch[lam + k]
    if finite != 0.0:
        return field.NOT_FINITE
    for j in range(ints[h + field.N_PATH]):
        p = (ints[h + field.PATH_ROWS] & POSITIVE) + j * field.PATH_ROW
        row, active = ints[p + field.W_BODY] & POSITIVE, ints[p + field.W_ACTIVE] & POSITIVE
        r, forces = ints[row + field.HINGE_DOF], ints[p + field.W_FORCES] & POSITIVE
        n = ints[p + field.W_N_ACTIVE]
        if ints[row + field.DRIVEN] != 0:
            r = 0
        o_e = hinge_record(ints[row + field.HINGE] & POSITIVE, r).innovation
        e = ints[p + field.W_INNOVATIONS] & POSITIVE
        rigid = ints[row + field.LEVEL] == field.RIGID
        for i in range(n):
            s = scratch[lam + ints[active + i]]
            for c in range(r):
                scratch[o_e + c] += s * scratch[e + r * i + c]
            if rigid:
                continue
            for node in range(ints[p + field.W_N_NODE]):
                d = (ints[row + field.NODES] & POSITIVE) + node * field.NODE_RECORD + field.FORCE
                o = forces + 6 * n * node + 6 * i
                for c in range(6):
                    scratch[d + c] += s * scratch[o + c]
    return field.DONE


@jit
def push_loops(ints, floats, scratch):
    """Subtract the loop forces from the residual forces of their bodies, for inverse dynamics.

    After `motion_base_to_tip`, with lambda of a solution at the same state.
    """
    h = ints[field.LOOPS] & POSITIVE
    work = ints[h + field.LOOP_WORK] & POSITIVE
    for k in range(ints[h + field.N_LOOP]):
        l = (ints[h + field.LOOP_ROWS] & POSITIVE) + k * field.LOOP_ROW
        loop_force(ints, scratch, k, scratch, work)
        a, b = l + field.L_END, l + field.L_END + field.END_ROW
        C_a, x_a, _F_a, _arm_a = loop_end(ints, floats, scratch, a)
        C_b, x_b, F_b, arm_b = loop_end(ints, floats, scratch, b)
        n, f = turn(F_b, vector(scratch, work)), turn(F_b, vector(scratch, work + 3))
        _push(ints, scratch, b, C_b, add(n, cross(arm_b, f)), f, -1.0)
        s = added(add(x_b, arm_b), -1.0, x_a)
        _push(ints, scratch, a, C_a, add(n, cross(s, f)), f, 1.0)


@jit
def _push(ints, scratch, e, C, n, f, sign):
    """Add a force on a node, common axes, to the residual forces of its body."""
    if ints[e + field.END_BODY] < 0:
        return
    row, d = ints[e + field.END_BODY] & POSITIVE, ints[e + field.END_RECORD] & POSITIVE
    b = ints[row + field.BODY] & POSITIVE
    n, f = scaled(sign, turn_back(C, n)), scaled(sign, turn_back(C, f))
    if ints[row + field.LEVEL] != field.RIGID:
        m, t = ints[row + field.N_MODE] & POSITIVE, ints[row + field.MODAL] & POSITIVE
        load = six(turn_back(matrix(scratch, d + field.LEFT), n), f)
        t_f = modal_record(t, m).force
        modal_spread(scratch, ints[e + field.END_SHAPES] & POSITIVE, m, load, scratch, t_f)
        n = add(n, cross(vector(scratch, d + field.ARM), f))
    put_vector(scratch, b + field.FORCE, add(vector(scratch, b + field.FORCE), n))
    put_vector(scratch, b + field.FORCE + 3, add(vector(scratch, b + field.FORCE + 3), f))


@jit
def loop_force(ints, scratch, k, out, o):
    """Write [moment; force] on end b of loop k, in the axes of frame b, to out[o:]."""
    h = ints[field.LOOPS] & POSITIVE
    n = ints[h + field.N_COLUMN] & POSITIVE
    lam = closure_record(ints[h + field.CLOSURE] & POSITIVE, n).force
    l = (ints[h + field.LOOP_ROWS] & POSITIVE) + k * field.LOOP_ROW
    P, first = ints[l + field.L_STATE] & POSITIVE, ints[l + field.L_FIRST]
    m, f = ZERO, ZERO
    for c in range(ints[l + field.L_N]):
        s = scratch[lam + first + c]
        m = added(m, s, vector(scratch, P + 6 * c))
        f = added(f, s, vector(scratch, P + 6 * c + 3))
    put_vector(out, o, m)
    put_vector(out, o + 3, f)
