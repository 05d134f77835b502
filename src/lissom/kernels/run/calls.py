"""Calls of user functions by their address, whether compiled or plain Python."""

from __future__ import annotations

from ..compiling import intrinsic

# int which, double time, double *q, double *v, double *memory, double *out -> 0 on success
# On a GPU numbers are not side by side, and there are no addresses: device code calls one function,
# which is linked to it and knows all functions of the user by their numbers.
OUTSIDE = "lissom_call"
_POINTER = "CPointer(float64)"
SIGNATURE = f"int64(int64, float64, {_POINTER}, {_POINTER}, {_POINTER}, {_POINTER})"


def _in_python(address, which, t, q, v, memory, o_memory, out, o_out):
    """The same, called by Python."""
    import ctypes

    pointers = [ctypes.c_void_p] * 4
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double, *pointers)
    given = (q, v, memory[o_memory:], out[o_out:])
    return kind(int(address))(int(which), t, *(x.ctypes.data for x in given))


@intrinsic(_in_python)
def call(typingctx, address, which, t, q, v, memory, o_memory, out, o_out):
    """Status of the function at `address`, called with memory[o_memory:] and out[o_out:].

    On strided arrays, which such a function cannot read, `OUTSIDE` is called instead.
    """
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    arrays = (q, v, memory, out)
    if not all(isinstance(x, types.Array) for x in arrays):
        return None
    integer = types.int64
    signature = integer(integer, integer, types.float64, q, v, memory, integer, out, integer)

    def generate(context, builder, sig, args):
        double, word = ir.DoubleType(), ir.IntType(64)
        pointer = double.as_pointer()
        address, which, t, q, v, memory, o_memory, out, o_out = args
        kind = ir.FunctionType(word, [word, double, pointer, pointer, pointer, pointer])

        def data(number, value, offset=None):
            array = cgutils.create_struct_proxy(arrays[number])(context, builder, value=value)
            if offset is None:
                return array.data
            stride = builder.sdiv(builder.extract_value(array.strides, 0), ir.Constant(word, 8))
            return builder.gep(array.data, [builder.mul(offset, stride)])

        if any(array.layout != "C" for array in arrays):
            function = cgutils.get_or_insert_function(builder.module, kind, OUTSIDE)
        else:
            function = builder.inttoptr(address, kind.as_pointer())
        given = [data(0, q), data(1, v), data(2, memory, o_memory), data(3, out, o_out)]
        return builder.call(function, [which, t, *given])

    return signature, generate
