"""Joints whose pose, map and rates are computed by a function called by its address."""

from __future__ import annotations

from ..compiling import intrinsic, jit
from ..small import ZERO, added, matrix, put_vector, vector

# int which, int wanted, double *q, double *v, double *out -> 0 on success
_POINTER = "CPointer(float64)"
SIGNATURE = f"int64(int64, int64, {_POINTER}, {_POINTER}, {_POINTER})"

# Constants of an OWN joint: address and number of its function, number of speeds, offset of `out`
# in the workspace.  Addresses have 48 bits, which a float represents exactly.
ADDRESS, WHICH, DOF, OUT, OWN_ROW = range(5)
# Contents of `out`, written by the function; the columns of the map follow, six numbers each, then
# the rates of the coordinates if these are not the speeds.
ROTATION, POSITION, BIAS, MAP = 0, 9, 12, 18
# What is wanted of a function: pose and map, these and the bias, the rates of the coordinates
STILL, MOVING, RATES_ONLY = range(3)
# Constants of `own_rates`: address and number, offset of the rates in `out`, size of `out`, number
# of parameters, which follow
R_ADDRESS, R_WHICH, R_RATES, R_SIZE, R_N_PARAMETER, R_PARAMETERS = range(6)


@jit
def own_joint(floats, j, q, o_q, v, o_v, moving, scratch, o):
    """Call the function of a joint; results as for `joints.general_joint`."""
    dof, out = int(floats[j + DOF]), int(floats[j + OUT])
    _call(
        int(floats[j + ADDRESS]), int(floats[j + WHICH]), MOVING if moving else STILL,
        q, o_q, v, o_v, scratch, out,
    )  # fmt: skip
    w, rate, bias_w, bias_v = ZERO, ZERO, ZERO, ZERO
    for c in range(dof):
        h_w, h_v = vector(scratch, out + MAP + 6 * c), vector(scratch, out + MAP + 6 * c + 3)
        put_vector(scratch, o + 6 * c, h_w)
        put_vector(scratch, o + 6 * c + 3, h_v)
        if moving:
            w, rate = added(w, v[o_v + c], h_w), added(rate, v[o_v + c], h_v)
    if moving:
        bias_w, bias_v = vector(scratch, out + BIAS), vector(scratch, out + BIAS + 3)
    R, r = matrix(scratch, out + ROTATION), vector(scratch, out + POSITION)
    return R, r, w, rate, bias_w, bias_v


@jit
def own_rates(table, c, q, o_q, v, o_v, buffer):
    """Call the function of a joint for qdot; offset of the result in the buffer, -1 if it failed.

    table[c:]: see R_ADDRESS.
    """
    size = int(table[c + R_SIZE])
    for k in range(int(table[c + R_N_PARAMETER])):
        buffer[size + k] = table[c + R_PARAMETERS + k]
    status = _call(
        int(table[c + R_ADDRESS]), int(table[c + R_WHICH]), RATES_ONLY,
        q, o_q, v, o_v, buffer, 0,
    )  # fmt: skip
    return int(table[c + R_RATES]) if status == 0 else -1


def _in_python(address, which, moving, q, o_q, v, o_v, out, o_out):
    """The same, called by Python."""
    import ctypes

    pointers = [ctypes.c_void_p] * 3
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, *pointers)
    arrays = (q[o_q:], v[o_v:], out[o_out:])
    return kind(int(address))(int(which), int(moving), *(x.ctypes.data for x in arrays))


@intrinsic(_in_python)
def _call(typingctx, address, which, moving, q, o_q, v, o_v, out, o_out):
    """Status of the function at `address`, called with q[o_q:], v[o_v:] and out[o_out:].

    Strided arrays (a workspace on a GPU) have no address to pass: nothing is called then.
    """
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    if not all(isinstance(x, types.Array) for x in (q, v, out)):
        return None
    integer = types.int64
    signature = integer(integer, integer, integer, q, integer, v, integer, out, integer)
    if not all(x.layout == "C" for x in (q, v, out)):
        return signature, lambda context, *_: context.get_constant(integer, 1)

    def generate(context, builder, sig, args):
        double, word = ir.DoubleType(), ir.IntType(64)
        pointer = double.as_pointer()
        address, which, moving, q, o_q, v, o_v, out, o_out = args

        def data(kind, value, offset):
            start = cgutils.create_struct_proxy(kind)(context, builder, value=value).data
            return builder.gep(start, [offset])

        kind = ir.FunctionType(word, [word, word, pointer, pointer, pointer])
        function = builder.inttoptr(address, kind.as_pointer())
        pointers = [
            data(sig.args[3], q, o_q),
            data(sig.args[5], v, o_v),
            data(sig.args[7], out, o_out),
        ]
        return builder.call(function, [which, moving, *pointers])

    return signature, generate
