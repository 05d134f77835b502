"""Kernels of one state or one run, as a thread of a GPU executes them.

They are the functions that a CPU executes, on other arrays.  In the signatures
  int64[::1]      integers, the same for all states or a row for each
  float64[::1]    constants, the same for all states or a row for each; a state, a result
  float64[:]      workspace: numbers of 32 threads side by side, so that a warp reads them in one
                  transaction; one number is LANES numbers after the one before it
  float64[:,::1]  a matrix for each state
`ptx` makes the code around them that finds the arrays of a thread.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..entries import COUNTED, _inverse, _jacobian, _mass
from ..loops.closed_tree import closed_accelerations
from ..loops.closing import loops_open
from ..small import put_matrix, put_vector
from ..tree.articulated import accelerate_base_to_tip, all_finite, articulate_tip_to_base
from ..tree.external import apply_external
from ..tree.motion import motion_base_to_tip
from ..tree.path import pose_along_path
from ..tree.world import place_base_to_tip, totals
from .entry import DeviceEntry


@jit
def forward_state(ints, floats, scratch, q, v, f, out, flags):
    """Accelerations under forces f; loops are kept closed unless the flag TREE is set."""
    motion_base_to_tip(ints, floats, scratch, q, v, f, flags & COUNTED)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    if ints[field.LOOPS] != 0 and flags & field.TREE == 0:
        status = closed_accelerations(ints, floats, scratch, q, v, f, v, f, out, flags)
        if status == field.DONE and flags & field.RATES != 0:
            if loops_open(ints, floats, scratch):
                return field.SINGULAR
        return status
    status = articulate_tip_to_base(ints, scratch, f)
    if status == field.DONE:
        status = accelerate_base_to_tip(ints, scratch, out)
    return status


@jit
def inverse_state(ints, floats, scratch, q, v, x, out, flags):
    """Forces that produce the accelerations x."""
    return _inverse(ints, floats, scratch, q, v, x, out, flags)


@jit
def mass_state(ints, floats, scratch, q, M, flags):
    """Mass matrix, on entry zero."""
    return _mass(ints, floats, scratch, q, M, flags, 1, True)


@jit
def pose_state(ints, floats, scratch, q, path, out):
    """Attitude 9 and position 3 of a frame in the world."""
    C, x, _arm = pose_along_path(ints, floats, scratch, path, q)
    put_matrix(out, 0, C)
    put_vector(out, 9, x)
    return all_finite(out, 12)


@jit
def jacobian_state(ints, floats, scratch, q, path, J):
    """Jacobian of a frame, world axes; on entry zero."""
    return _jacobian(ints, floats, scratch, q, path, J)


@jit
def totals_state(ints, floats, scratch, q, v, out, flags):
    """Energies, mass and momenta: 16 numbers, see `world.totals`."""
    motion_base_to_tip(ints, floats, scratch, q, v, v, flags)
    place_base_to_tip(ints, scratch)
    totals(ints, floats, scratch, q, v, out)
    return all_finite(out, 13)


_I, _C, _W, _M = "int64[::1]", "float64[::1]", "float64[:]", "float64[:,::1]"
_SYSTEM = f"{_I}, {_C}, {_W}"
FORWARD = DeviceEntry(
    forward_state, f"int64({_SYSTEM}, {_C}, {_C}, {_C}, {_C}, int64)", "forward dynamics"
)
INVERSE = DeviceEntry(
    inverse_state, f"int64({_SYSTEM}, {_C}, {_C}, {_C}, {_C}, int64)", "inverse dynamics"
)
MASS = DeviceEntry(mass_state, f"int64({_SYSTEM}, {_C}, {_M}, int64)", "the mass matrix")
POSE = DeviceEntry(pose_state, f"int64({_SYSTEM}, {_C}, {_C}, {_C})", "poses of frames")
JACOBIAN = DeviceEntry(jacobian_state, f"int64({_SYSTEM}, {_C}, {_C}, {_M})", "Jacobians")
TOTALS = DeviceEntry(
    totals_state, f"int64({_SYSTEM}, {_C}, {_C}, {_C}, int64)", "energies and momenta"
)
