"""Calls of user functions by their address, whether compiled or plain Python."""

from __future__ import annotations

from ..compiling import intrinsic

# int which, double time, double *q, double *v, double *memory, double *out -> 0 on success
_POINTER = "CPointer(float64)"
SIGNATURE = f"int64(int64, float64, {_POINTER}, {_POINTER}, {_POINTER}, {_POINTER})"


@intrinsic
def call(typingctx, address, which, t, q, v, memory, o_memory, out, o_out):
    """Status of the function at `address`, called with memory[o_memory:] and out[o_out:].

    On strided arrays, which such a function cannot read, the call fails.
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
        if any(array.layout != "C" for array in arrays):
            return ir.Constant(word, -1)
        pointer = double.as_pointer()
        address, which, t, q, v, memory, o_memory, out, o_out = args

        def data(value, offset=None):
            start = cgutils.create_struct_proxy(arrays[0])(context, builder, value=value).data
            return start if offset is None else builder.gep(start, [offset])

        kind = ir.FunctionType(word, [word, double, pointer, pointer, pointer, pointer])
        function = builder.inttoptr(address, kind.as_pointer())
        arguments = [which, t, data(q), data(v), data(memory, o_memory), data(out, o_out)]
        return builder.call(function, arguments)

    return signature, generate
