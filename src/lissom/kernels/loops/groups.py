"""Groups of loops: forces of those whose ends hang on one node, eliminated there.

Loops that connect only bodies outboard of a node are a group of that node.  Rigid motions of all
these bodies together leave them closed, and they share no coordinates with other groups.  With Z
the columns of the group at the node and alpha the acceleration of the node without bias,
  Lambda lambda = rhs + Z^T alpha      lambda = x_0 + X alpha,   X = Lambda^-1 Z^T           (1)
  P += Z X,    z += Z x_0     inertia and force that the node sees of its children           (2)
The last group are the loops that stand on the ground, whose alpha is zero.  Inward, groups are
eliminated as the sweep arrives at their nodes; outward, (1) gives their forces, and
  e += sum e_k lambda_k at the hinges, zeta += sum zeta_k lambda_k at the nodes              (3)
Where Lambda is close to singular, the forces are of least norm or softened, see `least_norm`: no
combination of loops of two groups can be redundant.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.loops import EnvelopeRow, PathRow, ReachedRow
from ..layout.records import CarrierRecord, ClosingRecord
from ..layout.tree import BodyRow
from ..least_norm import CLOSE, factor_semidefinite, solve_least_norm
from ..records import hinge_record, solution_part
from ..tree.rigid import articulated, put_articulated
from .envelope import factor_envelope, row_of_envelope, solve_envelope, spread_envelope
from .unknowns import solution_of

# Fractions of the largest diagonal entry of Lambda, and of the inverse of the system's mass, below
# which a loop moves nothing.
NEGLIGIBLE, MOTIONLESS = 1e-10, 1e-16
REGULAR = -1  # instead of a rank: Lambda is factored within its envelope


@jit
def factor_group(ints, floats, scratch, loops, table, first, last):
    """Factor Lambda of a group; the number of independent rows and whether to soften the forces.

    The rank is REGULAR if the factor within the envelope is far from singular.  Otherwise the whole
    matrix is factored with pivoting.
    """
    solution = solution_of(loops)
    closing = ClosingRecord(scratch, loops.closing)
    _row_sizes(ints, floats, scratch, loops, table, first, last, solution.size)
    smallest = factor_envelope(ints, scratch, loops, table, first, last, solution.size, CLOSE)
    rank = REGULAR
    if not smallest > CLOSE:
        part = solution_part(solution, first)
        spread_envelope(ints, scratch, loops, table, first, last, part.Lambda)
        rank, smallest = factor_semidefinite(
            scratch, part.Lambda, last - first, part.factor, part.order, part.left, part.size
        )
    closing.least_left = min(smallest, closing.least_left)
    return rank, smallest <= CLOSE and closing.softened != field.SHARP


@jit
def _row_sizes(ints, floats, scratch, loops, table, first, last, size):
    """Write the sizes of rows: the largest diagonal entry of the loop; that of a coupling."""
    Lam = loops.Lambda
    least_own = MOTIONLESS / floats[loops.length + 1]
    least = least_own
    for k in range(first, last):
        _begin, row = row_of_envelope(ints, table, k)
        scratch[size + k] = scratch[Lam + row + k]
        least = max(least, NEGLIGIBLE * scratch[size + k])
    k = first
    while k < last:
        n, largest = EnvelopeRow(ints, table, k).n_unknown, least
        if n == 0:  # a coupling: its coordinates move, however little
            scratch[size + k] = max(least_own, scratch[size + k])
            k += 1
            continue
        for c in range(k, k + n):
            largest = max(largest, scratch[size + c])
        for c in range(k, k + n):
            scratch[size + c] = largest
        k += n


@jit
def solve_group(ints, scratch, loops, table, first, last, rank, soft):
    """Forces of a group from its right-hand side.

    soft: soften the part that is asked, see `least_norm`.
    """
    solution = solution_of(loops)
    for k in range(first, last):
        scratch[solution.force + k] = scratch[solution.rhs + k]
    if rank == REGULAR:
        solve_envelope(ints, scratch, loops, table, first, last, solution.force)
    else:
        solve_least_norm(scratch, solution_part(solution, first), last - first, rank, soft)


@jit
def attach_group(ints, scratch, loops, group, rank, soft, beyond):
    """Give the node of a group the inertia and force of its loops (2); after `solve_group`.

    beyond: only what is asked beyond expected accelerations is softened.
    """
    table, solution = loops.envelope, solution_of(loops)
    first, n = group.first, group.n
    Z, d = group.forces & POSITIVE, group.record
    X, n_all = loops.responses, loops.n_solved
    for k in range(n):
        scratch[X + 6 * n_all + first + k] = scratch[solution.force + first + k]
    for c in range(6):
        for k in range(n):
            z = scratch[Z + 6 * k + c]
            scratch[solution.force + first + k] = z
            scratch[solution.asked + first + k] = 0.0 if beyond else z
        if rank == REGULAR:
            solve_envelope(ints, scratch, loops, table, first, first + n, solution.force)
        else:
            solve_least_norm(scratch, solution_part(solution, first), n, rank, soft)
        for k in range(n):
            scratch[X + c * n_all + first + k] = scratch[solution.force + first + k]
    A, B, D = articulated(scratch, d + field.P_)
    A = _plus_symmetric(scratch, A, Z, X + first, n_all, n, 0)
    D = _plus_symmetric(scratch, D, Z, X + first, n_all, n, 3)
    B = (
        B[0] + _product(scratch, Z, 0, X + first + 3 * n_all, n),
        B[1] + _product(scratch, Z, 0, X + first + 4 * n_all, n),
        B[2] + _product(scratch, Z, 0, X + first + 5 * n_all, n),
        B[3] + _product(scratch, Z, 1, X + first + 3 * n_all, n),
        B[4] + _product(scratch, Z, 1, X + first + 4 * n_all, n),
        B[5] + _product(scratch, Z, 1, X + first + 5 * n_all, n),
        B[6] + _product(scratch, Z, 2, X + first + 3 * n_all, n),
        B[7] + _product(scratch, Z, 2, X + first + 4 * n_all, n),
        B[8] + _product(scratch, Z, 2, X + first + 5 * n_all, n),
    )
    put_articulated(scratch, d + field.P_, A, B, D)
    for c in range(6):
        scratch[d + field.FORCE + c] += _product(scratch, Z, c, X + first + 6 * n_all, n)


@jit
def _plus_symmetric(scratch, S, Z, X, n_all, n, c):
    """Six numbers of a symmetric block plus those of Z X, from component c."""
    return (
        S[0] + _product(scratch, Z, c, X + c * n_all, n),
        S[1] + _product(scratch, Z, c, X + (c + 1) * n_all, n),
        S[2] + _product(scratch, Z, c, X + (c + 2) * n_all, n),
        S[3] + _product(scratch, Z, c + 1, X + (c + 1) * n_all, n),
        S[4] + _product(scratch, Z, c + 1, X + (c + 2) * n_all, n),
        S[5] + _product(scratch, Z, c + 2, X + (c + 2) * n_all, n),
    )


@jit
def _product(scratch, Z, c, x, n):
    """Component c of the sum of the columns Z times x."""
    s = 0.0
    for k in range(n):
        s += scratch[Z + 6 * k + c] * scratch[x + k]
    return s


@jit
def force_of_group(scratch, loops, group):
    """Forces of a group from the acceleration of its node (1)."""
    solution = solution_of(loops)
    first, d = group.first, CarrierRecord(scratch, group.record)
    X, n_all = loops.responses, loops.n_solved
    alpha, a = d.d_alpha, d.d_a
    for k in range(first, first + group.n):
        s = scratch[X + 6 * n_all + k]
        for c in range(3):
            s += scratch[X + c * n_all + k] * alpha[c] + scratch[X + (3 + c) * n_all + k] * a[c]
        scratch[solution.force + k] = s


@jit
def apply_group_forces(ints, scratch, loops, group):
    """Add the forces of a group to the inputs of the outward sweep (3); DONE or NOT_FINITE."""
    lam, finite = solution_of(loops).force, 0.0
    for k in range(group.first, group.first + group.n):
        finite += 0.0 * scratch[lam + k]
    if finite != 0.0:
        return field.NOT_FINITE
    for j in range(group.n_path):
        reached = ReachedRow(ints, group.paths, j)
        path = PathRow(ints, reached.path)
        body, active = BodyRow(ints, path.body), path.active
        r, forces = body.hinge_dof, path.forces
        n = path.n_active
        if body.driven != 0:
            r = 0
        o_e = hinge_record(body.hinge, r).innovation
        e = path.innovations
        rigid = body.level == field.RIGID
        for i in range(reached.start, reached.stop):
            s = scratch[lam + ints[active + i]]
            for c in range(r):
                scratch[o_e + c] += s * scratch[e + r * i + c]
            if rigid:
                continue
            for node in range(path.n_node):
                d = body.nodes + node * field.NODE_RECORD + field.FORCE
                place = forces + 6 * n * node + 6 * i
                for c in range(6):
                    scratch[d + c] += s * scratch[place + c]
    return field.DONE
