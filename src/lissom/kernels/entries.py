"""Kernels that Python calls, one for each quantity; they work on arrays and return a status.

`ints`, `floats`, `scratch`: see `fields`.  `flags`: see `motion`; they are always passed, because a
constant in a call inside the kernels would compile the sweeps again for that constant.
"""

from __future__ import annotations

from . import fields as field
from .compiling import CompiledEntry, jit
from .layout.tree import BodyRow
from .loops.closed_tree import closed_accelerations
from .loops.closing import close_loops, closure_numbers, loops_open, place_loops
from .loops.dense_dynamics import mirror_upper, solve_dense, triangle
from .small import put_matrix, put_vector
from .tree.articulated import accelerate_base_to_tip, all_finite, articulate_tip_to_base, prepare
from .tree.derivatives.design import design_columns
from .tree.derivatives.forward import forward_derivatives
from .tree.derivatives.inertial import inertial_products
from .tree.derivatives.motions import frame_columns
from .tree.derivatives.sweep import inverse_derivatives
from .tree.external import apply_external
from .tree.inverse import forces_tip_to_base
from .tree.motion import motion_base_to_tip
from .tree.path import jacobian_along_path, pose_along_path
from .tree.world import frame, hinge_forces, place_base_to_tip, totals

# Products with a list of small blocks, by which the spatial operators are applied.
#
# Five numbers in `table` describe a block: its first row and column, its numbers of rows and
# columns, and where in `numbers` its entries are, row by row.  x and y hold `width` columns side by
# side.

ROW, COLUMN, N_ROW, N_COLUMN, PLACE, BLOCK = range(6)


@jit
def _one_column(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r):
    """Add one block, whose entries are by_row and by_column apart, to a single column."""
    for i in range(n_row):
        o, total = place + i * by_row, 0.0
        for j in range(n_column):
            total += numbers[o + j * by_column] * x[c + j]
        y[r + i] += total


@jit
def _columns(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r, width):
    """Add one block, whose entries are by_row and by_column apart, to several columns."""
    for i in range(n_row):
        target = (r + i) * width
        for j in range(n_column):
            entry, source = numbers[place + i * by_row + j * by_column], (c + j) * width
            for k in range(width):
                y[target + k] += entry * x[source + k]


@jit
def multiply_blocks(table, numbers, x, y, width, transposed, backwards):
    """Add each block, or its transpose, times its part of x to its part of y.

    The blocks are taken in their order or backwards.  Where x is y, each product sees what those
    before it have added: this is a sweep along a tree.
    """
    n = len(table) // BLOCK
    for k in range(n):
        o = (n - 1 - k if backwards else k) * BLOCK
        r, c, place = table[o + ROW], table[o + COLUMN], table[o + PLACE]
        n_row, n_column = table[o + N_ROW], table[o + N_COLUMN]
        by_row, by_column = n_column, 1
        if transposed:
            r, c, n_row, n_column, by_row, by_column = c, r, n_column, n_row, 1, n_column
        if width == 1:
            _one_column(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r)
        else:
            _columns(numbers, place, n_row, n_column, by_row, by_column, x, c, y, r, width)


COUNTED = field.RATES | field.GRAVITY | field.ELASTIC | field.ACCELERATED


@jit
def _inverse(ints, floats, scratch, q, v, x, out, flags):
    """Forces that produce the accelerations x; the flags select the other terms."""
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    forces_tip_to_base(ints, scratch, x, out, flags)
    return all_finite(out, ints[field.N_V])


@jit
def _forward_rows(ints, floats, scratch, Q, V, F, out, flags, start, stop):
    """Accelerations of states start to stop, consecutive in flat arrays.

    With flags = 0: M^-1 forces; loops are kept closed unless the flag TREE is set.  If F holds the
    forces of one state only, they apply to all.  Returns the state that failed, or -1.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], out[k * m : (k + 1) * m]
        f = F[k * m : (k + 1) * m] if len(F) > m else F
        motion_base_to_tip(ints, floats, scratch, q, v, f, flags & COUNTED)
        if scratch[field.N_EXTERNAL] != 0.0:
            apply_external(ints, scratch, q, v)
        if ints[field.LOOPS] != 0 and flags & field.TREE == 0:
            if closed_accelerations(ints, floats, scratch, q, v, f, v, f, x, flags) != field.DONE:
                return k
            if flags & field.RATES != 0 and loops_open(ints, floats, scratch):
                return k
            continue
        if articulate_tip_to_base(ints, scratch, f) != field.DONE:
            return k
        if accelerate_base_to_tip(ints, scratch, x) != field.DONE:
            return k
    return -1


@jit
def _inverse_rows(ints, floats, scratch, Q, V, A, out, flags, start, stop):
    """`_inverse` of states start to stop, in flat arrays; returns the state that failed, or -1."""
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], out[k * m : (k + 1) * m]
        if _inverse(ints, floats, scratch, q, v, A[k * m : (k + 1) * m], x, flags) != field.DONE:
            return k
    return -1


@jit
def _mass(ints, floats, scratch, q, M, flags, repeats, whole):
    """One triangle of the mass matrix, `repeats` times (for timing); then the whole matrix."""
    for _ in range(repeats):
        motion_base_to_tip(ints, floats, scratch, q, q, q, flags)
        triangle(ints, scratch, M)
    n, s = ints[field.N_V], 0.0
    for r in range(n):
        s += 0.0 * M[r, r]
    if whole:
        if ints[field.ALL_RIGID] != 0:
            mirror_upper(M, n)
        else:
            for r in range(n):
                for c in range(r):
                    M[c, r] = M[r, c]
    return field.DONE if s == 0.0 else field.NOT_FINITE


@jit
def _mass_rows(ints, floats, scratch, Q, M, flags, repeats, whole, start, stop):
    """`_mass` of states start to stop, n_v rows of M each; returns the state that failed, or -1."""
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, part = Q[k * n : (k + 1) * n], M[k * m : (k + 1) * m]
        if _mass(ints, floats, scratch, q, part, flags, repeats, whole) != field.DONE:
            return k
    return -1


@jit
def _composite(ints, floats, scratch, q, v, forces, out, M, floor, flags):
    """Accelerations by the mass matrix, with REFINED corrected once; see `solve_dense`."""
    motion_base_to_tip(ints, floats, scratch, q, v, forces, flags & COUNTED)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    terms, refine = flags & (COUNTED | field.TREE), flags & field.REFINED != 0
    status = solve_dense(ints, floats, scratch, q, v, v, v, forces, out, M, floor, terms, refine)
    if (
        status == field.DONE
        and ints[field.LOOPS] != 0
        and flags & field.TREE == 0
        and flags & field.RATES != 0
    ):
        if loops_open(ints, floats, scratch):
            return field.SINGULAR
    return status


@jit
def _composite_rows(ints, floats, scratch, Q, V, F, out, M, floor, flags, start, stop):
    """`_composite` of states start to stop; arrays and result as for `_forward_rows`."""
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], out[k * m : (k + 1) * m]
        f = F[k * m : (k + 1) * m] if len(F) > m else F
        if _composite(ints, floats, scratch, q, v, f, x, M, floor, flags) != field.DONE:
            return k
    return -1


@jit
def _totals_rows(ints, floats, scratch, Q, V, out, flags, start, stop):
    """Energies, mass and momenta of states start to stop, in flat arrays; 16 numbers each.

    Returns the state that failed, or -1.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, sums = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], out[k * 16 : (k + 1) * 16]
        motion_base_to_tip(ints, floats, scratch, q, v, v, flags)
        place_base_to_tip(ints, scratch)
        totals(ints, floats, scratch, q, v, sums)
        if all_finite(sums, 13) != field.DONE:
            return k
    return -1


@jit
def _frame_rows(ints, floats, scratch, Q, V, X, out, where, flags, start, stop):
    """Poses of a frame, and its velocities (flags ACCELERATED, X = V) or accelerations.

    States start to stop in flat arrays, 18 numbers each; returns the state that failed, or -1.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], X[k * m : (k + 1) * m]
        motion = out[k * 18 : (k + 1) * 18]
        motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
        place_base_to_tip(ints, scratch)
        frame(ints, scratch, where, q, v, x, flags, motion)
        if all_finite(motion, 18) != field.DONE:
            return k
    return -1


@jit
def _closure_rows(ints, floats, scratch, Q, V, out, width, flags, start, stop):
    """Gap, rate and joint coordinates of all loops in states start to stop, `width` numbers each.

    Returns the state that failed, or -1.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m]
        motion_base_to_tip(ints, floats, scratch, q, v, v, flags)
        place_loops(ints, scratch, v, flags)
        close_loops(ints, floats, scratch, q, v, v, flags)
        closure_numbers(ints, scratch, out, k * width)
        if all_finite(out[k * width : (k + 1) * width], width) != field.DONE:
            return k
    return -1


@jit
def _pose_rows(ints, floats, scratch, Q, out, path, start, stop):
    """Attitudes 9 and positions 3 of a frame in the world, states start to stop in flat arrays.

    Returns the state that failed, or -1.
    """
    n = ints[field.N_Q]
    for k in range(start, stop):
        C, x, _arm = pose_along_path(ints, floats, scratch, path, Q[k * n : (k + 1) * n])
        put_matrix(out, 12 * k, C)
        put_vector(out, 12 * k + 9, x)
        if all_finite(out[12 * k : 12 * k + 12], 12) != field.DONE:
            return k
    return -1


@jit
def _jacobian(ints, floats, scratch, q, path, J):
    """Jacobian of a frame, world axes; J must be zero on entry."""
    _C, _x, arm = pose_along_path(ints, floats, scratch, path, q)
    jacobian_along_path(ints, scratch, path, q, arm, J)
    status = field.DONE
    for r in range(6):
        status = max(status, all_finite(J[r], ints[field.N_V]))
    return status


@jit
def _jacobian_rows(ints, floats, scratch, Q, path, J, start, stop):
    """`_jacobian` of states start to stop, six rows of J each; returns the failed one, or -1."""
    n = ints[field.N_Q]
    for k in range(start, stop):
        q, part = Q[k * n : (k + 1) * n], J[6 * k : 6 * k + 6]
        if _jacobian(ints, floats, scratch, q, path, part) != field.DONE:
            return k
    return -1


@jit
def _put_external(ints, scratch, W, first):
    """Write the spatial forces W[first:] into the list of external forces, six numbers each."""
    o = int(scratch[field.EXTERNAL])
    for entry in range(int(scratch[field.N_EXTERNAL])):
        body = BodyRow(ints, field.HEADER, int(scratch[o]))
        for c in range(6):
            scratch[o + field.WRENCH + c] = W[first + 6 * entry + c]
        o += field.EXTERNAL_NODE
        if body.level != field.RIGID:
            o += body.listed


@jit
def _joint_forces_rows(ints, floats, scratch, Q, V, A, W, generalized, out, flags, start, stop):
    """Spatial forces through all hinges of states start to stop: n_body rows of `out` each.

    W holds the external forces of each state, in the order of the list; if it is empty, those in
    the list apply to all.  Returns the state that failed, or -1.
    """
    n, m, bodies = ints[field.N_Q], ints[field.N_V], ints[field.N_BODY]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], A[k * m : (k + 1) * m]
        if len(W) > 0:
            _put_external(ints, scratch, W, 6 * k * int(scratch[field.N_EXTERNAL]))
        if _inverse(ints, floats, scratch, q, v, x, generalized, flags) != field.DONE:
            return k
        hinge_forces(ints, scratch, out[k * bodies : (k + 1) * bodies])
    return -1


@jit
def _inverse_derivative_rows(
    ints, floats, scratch, plan, work, index, Q, V, A, T, D, flags, start, stop
):
    """Forces of states start to stop and their derivatives; returns the state that failed, or -1.

    D: for each state n_v rows of derivatives by q, then by v, then of the mass matrix.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], A[k * m : (k + 1) * m]
        o = 3 * k * m
        status = inverse_derivatives(
            ints, floats, scratch, plan, work, index, q, v, x, T[k * m : (k + 1) * m],
            D[o : o + m], D[o + m : o + 2 * m], D[o + 2 * m : o + 3 * m], flags,
        )  # fmt: skip
        if status != field.DONE:
            return k
    return -1


@jit
def _forward_derivative_rows(
    ints, floats, scratch, plan, work, index, Q, V, F, X, T, D, flags, start, stop
):
    """Accelerations of states start to stop and their derivatives, as `_inverse_derivative_rows`.

    The third part of D is the inverse mass matrix; T: n_v numbers of work.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], X[k * m : (k + 1) * m]
        f = F[k * m : (k + 1) * m] if len(F) > m else F
        o = 3 * k * m
        status = forward_derivatives(
            ints, floats, scratch, plan, work, index, q, v, f, x, T,
            D[o : o + m], D[o + m : o + 2 * m], D[o + 2 * m : o + 3 * m], flags,
        )  # fmt: skip
        if status != field.DONE:
            return k
    return -1


@jit
def _design_derivative_rows(
    ints, floats, scratch, plan, work, index, Q, V, A, T, D, parameters, directions, P,
    flags, start, stop,
):  # fmt: skip
    """`_inverse_derivative_rows`, and derivatives by design: n_v rows of P for each state."""
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m], A[k * m : (k + 1) * m]
        o = 3 * k * m
        status = inverse_derivatives(
            ints, floats, scratch, plan, work, index, q, v, x, T[k * m : (k + 1) * m],
            D[o : o + m], D[o + m : o + 2 * m], D[o + 2 * m : o + 3 * m], flags,
        )  # fmt: skip
        if status != field.DONE:
            return k
        design_columns(
            ints, floats, scratch, plan, work, parameters, directions, q, v, P[k * m : (k + 1) * m]
        )
    return -1


_SYSTEM = "int64[::1], float64[::1], float64[::1]"
_THREE = "float64[::1], float64[::1], float64[::1]"
_ROWS = f"{_THREE}, float64[::1]"
_MATRIX = "float64[:,::1]"
_RANGE = "int64, int64, int64"  # flags, start, stop

PREPARE = CompiledEntry(
    prepare, "void(int64[::1], float64[::1])", "constants of flexible bodies", seconds=5
)
FORWARD = CompiledEntry(_forward_rows, f"int64({_SYSTEM}, {_ROWS}, {_RANGE})", "forward dynamics")
INVERSE = CompiledEntry(
    _inverse_rows, f"int64({_SYSTEM}, {_ROWS}, {_RANGE})", "inverse dynamics", seconds=10
)
MASS = CompiledEntry(
    _mass_rows,
    f"int64({_SYSTEM}, float64[::1], {_MATRIX}, int64, int64, boolean, int64, int64)",
    "the mass matrix",
    seconds=10,
)
COMPOSITE = CompiledEntry(
    _composite_rows,
    f"int64({_SYSTEM}, {_ROWS}, {_MATRIX}, float64, {_RANGE})",
    "forward dynamics by the mass matrix",
    seconds=15,
)
TOTALS = CompiledEntry(
    _totals_rows, f"int64({_SYSTEM}, {_THREE}, {_RANGE})", "energies and momenta", seconds=10
)
FRAME = CompiledEntry(
    _frame_rows,
    f"int64({_SYSTEM}, {_ROWS}, float64[::1], {_RANGE})",
    "motion of frames",
    seconds=10,
)
LOOPS_CLOSURE = CompiledEntry(
    _closure_rows,
    f"int64({_SYSTEM}, {_THREE}, int64, {_RANGE})",
    "closure of loops",
    seconds=10,
)
POSE = CompiledEntry(
    _pose_rows, f"int64({_SYSTEM}, {_THREE}, int64, int64)", "poses of frames", seconds=5
)
JACOBIAN = CompiledEntry(
    _jacobian_rows,
    f"int64({_SYSTEM}, float64[::1], float64[::1], {_MATRIX}, int64, int64)",
    "Jacobians",
    seconds=10,
)
JOINT_FORCES = CompiledEntry(
    _joint_forces_rows,
    f"int64({_SYSTEM}, {_ROWS}, float64[::1], {_MATRIX}, {_RANGE})",
    "joint forces",
    seconds=10,
)
_DERIVATIVES = f"{_SYSTEM}, int64[::1], float64[::1], int64[::1]"
INVERSE_DERIVATIVES = CompiledEntry(
    _inverse_derivative_rows,
    f"int64({_DERIVATIVES}, {_ROWS}, {_MATRIX}, {_RANGE})",
    "derivatives of inverse dynamics",
    seconds=20,
)
FORWARD_DERIVATIVES = CompiledEntry(
    _forward_derivative_rows,
    f"int64({_DERIVATIVES}, {_ROWS}, float64[::1], {_MATRIX}, {_RANGE})",
    "derivatives of forward dynamics",
    seconds=40,
)
FRAME_COLUMNS = CompiledEntry(
    frame_columns,
    f"void({_SYSTEM}, int64[::1], float64[::1], {_THREE}, int64[::1], float64[::1], {_MATRIX}, "
    "float64[::1], int64)",
    "derivatives of frames",
    seconds=20,
)
DESIGN_DERIVATIVES = CompiledEntry(
    _design_derivative_rows,
    f"int64({_DERIVATIVES}, {_ROWS}, {_MATRIX}, int64[::1], float64[::1], {_MATRIX}, {_RANGE})",
    "derivatives by design",
    seconds=40,
)
MULTIPLY_BLOCKS = CompiledEntry(
    multiply_blocks,
    f"void(int64[::1], {_THREE}, int64, boolean, boolean)",
    "products of operators",
    seconds=2,
)
INERTIAL_PRODUCTS = CompiledEntry(
    inertial_products,
    f"void({_SYSTEM}, {_ROWS}, float64[::1], float64[::1], {_RANGE})",
    "products of derivatives by inertias",
    seconds=20,
)
