"""Kernels that Python calls besides those of `quantities`: they have more arguments.

`ints`, `floats`, `scratch`: see `fields`.  `flags`: see `motion`.
"""

from __future__ import annotations

from . import fields as field
from .compiling import CompiledEntry, jit
from .layout.tree import BodyRow
from .loops.closing import close_loops, closure_numbers, loops_open, place_loops
from .loops.dense_dynamics import solve_dense, triangle
from .quantities import COUNTED, inverse_state
from .tree.articulated import all_finite, prepare
from .tree.derivatives.design import design_columns
from .tree.derivatives.forward import forward_derivatives
from .tree.derivatives.inertial import inertial_products
from .tree.derivatives.motions import frame_columns
from .tree.derivatives.sweep import inverse_derivatives
from .tree.external import apply_external
from .tree.motion import motion_base_to_tip
from .tree.world import hinge_forces

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


@jit
def _mass_triangles(ints, floats, scratch, q, M, flags, repeats):
    """One triangle of the mass matrix, `repeats` times, for timing."""
    for _ in range(repeats):
        motion_base_to_tip(ints, floats, scratch, q, q, q, flags)
        triangle(ints, scratch, M)


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
        if inverse_state(ints, floats, scratch, q, v, x, x, generalized, flags) != field.DONE:
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
    ints, floats, scratch, plan, work, index, Q, V, F, T, D, flags, start, stop
):
    """Accelerations of states start to stop and their derivatives, as `_inverse_derivative_rows`.

    The third part of D is the inverse mass matrix; a row with the accelerations follows.  T: n_v
    numbers of work.
    """
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v = Q[k * n : (k + 1) * n], V[k * m : (k + 1) * m]
        f = F[k * m : (k + 1) * m] if len(F) > m else F
        o = k * (3 * m + 1)
        status = forward_derivatives(
            ints, floats, scratch, plan, work, index, q, v, f, D[o + 3 * m], T,
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
MASS_TRIANGLES = CompiledEntry(
    _mass_triangles,
    f"void({_SYSTEM}, float64[::1], {_MATRIX}, int64, int64)",
    "the mass matrix, repeatedly",
    seconds=10,
)
COMPOSITE = CompiledEntry(
    _composite_rows,
    f"int64({_SYSTEM}, {_ROWS}, {_MATRIX}, float64, {_RANGE})",
    "forward dynamics by the mass matrix",
    seconds=15,
)
LOOPS_CLOSURE = CompiledEntry(
    _closure_rows,
    f"int64({_SYSTEM}, {_THREE}, int64, {_RANGE})",
    "closure of loops",
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
    f"int64({_DERIVATIVES}, {_ROWS}, {_MATRIX}, {_RANGE})",
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
