"""Quantities of a state: the table from which all their forms follow.

A quantity is a kernel of one state and its row in this table:
  kernel(ints, floats, scratch, q, v, x, place, out, flags) -> status
`ints`, `floats`, `scratch`: see `fields`; `x`: forces or accelerations; `place`: constants such as
those of a frame; `out`: the result, a vector or a matrix; `flags`: see `motion`.
They are always passed, because a constant in a call inside the kernels would compile the sweeps
again for that constant.

From a row follow the kernel of many states and that of a GPU (here), single calls and rows
(`algorithms.tree.engine`), the calls of plain arrays (`algorithms.tree.quick`) and batches.
"""

from __future__ import annotations

from copy import copy
from types import FunctionType

from . import fields as field
from .compiling import CompiledEntry, Kernel, jit, plain
from .device.entry import DeviceEntry
from .loops.closed_tree import closed_accelerations
from .loops.closing import loops_open
from .loops.dense_dynamics import mirror_upper, triangle
from .small import put_matrix, put_vector
from .tree.articulated import accelerate_base_to_tip, all_finite, articulate_tip_to_base
from .tree.center import first_moment
from .tree.external import apply_external
from .tree.inverse import forces_tip_to_base
from .tree.motion import motion_base_to_tip
from .tree.path import jacobian_along_path, pose_along_path
from .tree.world import frame, place_base_to_tip, totals

ALL = field.RATES | field.GRAVITY | field.ELASTIC
COUNTED = ALL | field.ACCELERATED
SPEEDS = -1  # in the shape of a result: the number of speeds


@jit(inlined=True)
def forward_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Accelerations under forces x; with flags = 0: M^-1 x.

    Loops are kept closed unless the flag TREE is set.
    """
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags & COUNTED)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    if ints[field.LOOPS] != 0 and flags & field.TREE == 0:
        status = closed_accelerations(ints, floats, scratch, q, v, x, v, x, out, flags)
        if status == field.DONE and flags & field.RATES != 0:
            if loops_open(ints, floats, scratch):
                return field.SINGULAR
        return status
    status = articulate_tip_to_base(ints, scratch, x)
    if status == field.DONE:
        status = accelerate_base_to_tip(ints, scratch, out)
    return status


@jit(inlined=True)
def inverse_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Forces that produce the accelerations x; the flags select the other terms."""
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    forces_tip_to_base(ints, scratch, x, out, flags)
    return all_finite(out, ints[field.N_V])


@jit(inlined=True)
def mass_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Mass matrix."""
    motion_base_to_tip(ints, floats, scratch, q, q, q, flags)
    triangle(ints, scratch, out)
    n, s = ints[field.N_V], 0.0
    for r in range(n):
        s += 0.0 * out[r, r]
    if ints[field.ALL_RIGID] != 0:
        mirror_upper(out, n)
    else:
        for r in range(n):
            for c in range(r):
                out[c, r] = out[r, c]
    return field.DONE if s == 0.0 else field.NOT_FINITE


@jit(inlined=True)
def totals_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Energies, mass and momenta about out[13:16]: 16 numbers, see `world.totals`."""
    motion_base_to_tip(ints, floats, scratch, q, v, v, flags)
    place_base_to_tip(ints, scratch)
    totals(ints, floats, scratch, q, v, out)
    return all_finite(out, 13)


@jit(inlined=True)
def center_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Centre of mass; `place`: first moment of what is left out 3, mass of the others."""
    motion_base_to_tip(ints, floats, scratch, q, q, q, flags)
    place_base_to_tip(ints, scratch)
    moment = first_moment(ints, scratch, q)
    for k in range(3):
        out[k] = (moment[k] - place[k]) / place[3]
    return all_finite(out, 3)


@jit(inlined=True)
def frame_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Pose of a node 12 and its acceleration 6, with flags ACCELERATED and x = v its velocity."""
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
    place_base_to_tip(ints, scratch)
    frame(ints, scratch, place, q, v, x, flags, out)
    return all_finite(out, 18)


@jit(inlined=True)
def pose_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Attitude 9 and position 3 of a frame in the world."""
    C, r, _arm = pose_along_path(ints, floats, scratch, place, q)
    put_matrix(out, 0, C)
    put_vector(out, 9, r)
    return all_finite(out, 12)


@jit(inlined=True)
def jacobian_state(ints, floats, scratch, q, v, x, place, out, flags):
    """Jacobian of a frame, world axes."""
    _C, _r, arm = pose_along_path(ints, floats, scratch, place, q)
    jacobian_along_path(ints, scratch, place, q, arm, out)
    status = field.DONE
    for r in range(6):
        status = max(status, all_finite(out[r], ints[field.N_V]))
    return status


@jit(inlined=True)
def _of_state(X, k, m):
    """Vector of state k, or the one vector of all states."""
    return X[k * m : (k + 1) * m] if len(X) > m else X


kernel, height = pose_state, 0  # in the texts below, instead of which `_over_rows` puts others


def _vector_rows(ints, floats, scratch, Q, V, X, place, out, flags, start, stop):
    """Results of states start to stop, in flat arrays; returns the state that failed, or -1."""
    n, m = ints[field.N_Q], ints[field.N_V]
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], _of_state(V, k, m), _of_state(X, k, m)
        if kernel(ints, floats, scratch, q, v, x, place, out[k], flags) != field.DONE:
            return k
    return -1


def _matrix_rows(ints, floats, scratch, Q, V, X, place, out, flags, start, stop):
    """`_vector_rows` where the result of a state is some rows of `out`."""
    n, m = ints[field.N_Q], ints[field.N_V]
    h = height if height > 0 else m
    for k in range(start, stop):
        q, v, x = Q[k * n : (k + 1) * n], _of_state(V, k, m), _of_state(X, k, m)
        part = out[k * h : (k + 1) * h]
        if kernel(ints, floats, scratch, q, v, x, place, part, flags) != field.DONE:
            return k
    return -1


def _over_rows(kernel: Kernel, name: str, gives: tuple[int, ...]) -> Kernel:
    """Kernel of many states: the text above with another kernel, which compilers see as a global.

    A closure would have no place in Numba's cache.
    """
    text = _vector_rows if len(gives) == 1 else _matrix_rows
    names = globals() | {"kernel": kernel, "height": gives[0]}
    rows = FunctionType(text.__code__, names, name)
    rows.__qualname__, rows.__doc__ = name, text.__doc__
    return jit(rows)


_I, _F, _M = "int64[::1]", "float64[::1]", "float64[:,::1]"
_ROWS = f"int64({_I}, {_F}, {_F}, {_F}, {_F}, {_F}, {_F}, {_M}, int64, int64, int64)"
_STATE = f"int64({_I}, {_F}, float64[:], {_F}, {_F}, {_F}, {_F}, {{out}}, int64)"


QUANTITIES: dict[str, Quantity] = {}


class Quantity:
    """Row of the table.

    `title`: in messages; `takes`: what the kernel gets as q, v and x: one of these letters for
    each, or 0 for zeros; `gives`: shape of the result; `failure`: what is said where the result is
    not finite; `of`: what `place` has: constants of a "frame" and all that carries it, of a "node",
    or others; `cleared`: whether the kernel adds to `out`, which is then zero on entry; `seconds`:
    approximate time that Numba takes to compile it.
    """

    def __init__(
        self,
        kernel: Kernel,
        title: str,
        takes: str,
        gives: tuple[int, ...],
        flags: int,
        failure: str,
        *,
        of: str = "",
        cleared: bool = False,
        seconds: float = 10.0,
    ) -> None:
        self.name = str(plain(kernel).__name__).removesuffix("_state")
        self.takes, self.gives, self.flags, self.failure = takes, gives, flags, failure
        self.of, self.cleared = of, cleared
        self.rows = CompiledEntry(
            _over_rows(kernel, f"{self.name}_rows", gives), _ROWS, title, seconds=seconds
        )
        out = _F if len(gives) == 1 else _M
        self.device = DeviceEntry(kernel, _STATE.format(out=out), title)
        QUANTITIES[self.name] = self

    def variant(self, name: str, takes: str, flags: int) -> Quantity:
        """The same kernel of other vectors and terms, under another name."""
        other = copy(self)
        other.name, other.takes, other.flags = name, takes, flags
        return other

    def shape(self, n_v: int) -> tuple[int, ...]:
        """Shape of the result for so many speeds."""
        return tuple(n_v if n == SPEEDS else n for n in self.gives)


FORWARD = Quantity(
    forward_state, "forward dynamics", "qvx", (SPEEDS,), ALL,
    "the accelerations are not finite: forces, speeds or inertias are too large", seconds=20,
)  # fmt: skip
INVERSE = Quantity(
    inverse_state, "inverse dynamics", "qvx", (SPEEDS,), COUNTED,
    "the forces are not finite: speeds or accelerations are too large",
)  # fmt: skip
MASS = Quantity(
    mass_state, "the mass matrix", "q00", (SPEEDS, SPEEDS), 0,
    "the mass matrix is not finite: coordinates or inertias are too large",
)  # fmt: skip
TOTALS = Quantity(
    totals_state, "energies and momenta", "qv0", (16,), field.ACCELERATED,
    "energies and momenta are not finite: the speeds are too large", cleared=True,
)  # fmt: skip
CENTER = Quantity(
    center_state, "the centre of mass", "q00", (3,), 0,
    "the centre of mass is not finite: coordinates or masses are too large",
)  # fmt: skip
FRAME = Quantity(
    frame_state, "motion of frames", "qvx", (18,), COUNTED,
    "the motion is not finite: speeds or accelerations are too large", of="node",
)  # fmt: skip
POSE = Quantity(
    pose_state, "poses of frames", "q00", (12,), 0,
    "the pose of {place!r} is not finite: coordinates are too large", of="frame", seconds=5,
)  # fmt: skip
JACOBIAN = Quantity(
    jacobian_state, "Jacobians", "q00", (6, SPEEDS), 0,
    "the Jacobian is not finite: the coordinates are too large", of="frame", cleared=True,
)  # fmt: skip

ACCELERATIONS = FORWARD.variant("accelerations", "qvx", ALL)  # by the method that is faster
SOLUTION = FORWARD.variant("solution", "q0x", field.TREE)
BIAS = INVERSE.variant("bias", "qv0", COUNTED)
CENTER_MOVING = CENTER.variant("center_moving", "q00", 0)
GRAVITY = INVERSE.variant("gravity", "q00", field.GRAVITY)
PRODUCT = INVERSE.variant("product", "q0x", field.ACCELERATED)
VELOCITY = FRAME.variant("velocity", "qvv", field.ACCELERATED)
ACCELERATION = FRAME.variant("acceleration", "qvx", field.RATES | field.ACCELERATED)
