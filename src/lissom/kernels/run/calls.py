"""Calls of user functions by their address, whether compiled or plain Python.

What a function of Python returns through `ctypes` says nothing where an exception ends it: a signal
may come before its first statement.  Its status is a word that is DOWN before the call, and that
its last statement puts UP.
"""

from __future__ import annotations

from ..compiling import intrinsic, uncounted
from ..layout import run

# Functions with lower numbers are plain Python, those with higher ones compiled.
COMPILED = 1 << 32
UP, DOWN = 0, 1
# int which, double time, double *q, double *v, double *memory, double *out -> 0 on success
# A plain function is given the address of its status word, an int64, in place of the memory.
# On a GPU numbers are not side by side, and there are no addresses: device code calls one function,
# which is linked to it and knows all functions of the user by their numbers.
OUTSIDE = "lissom_call"
_POINTER = "CPointer(float64)"
SIGNATURE = f"int64(int64, float64, {_POINTER}, {_POINTER}, {_POINTER}, {_POINTER})"


def _in_python(address, which, t, q, v, memory, o_memory, out, o_out):
    """`call` for kernels that run in plain Python."""
    import ctypes

    pointers = [ctypes.c_void_p] * 4
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double, *pointers)
    word = ctypes.c_int64(DOWN)
    state = memory[o_memory:].ctypes.data if which >= COMPILED else ctypes.addressof(word)
    addresses = (q.ctypes.data, v.ctypes.data, state, out[o_out:].ctypes.data)
    status = kind(int(address))(int(which), t, *addresses)
    return status if which >= COMPILED else word.value


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
            pointers = [data(0, q), data(1, v), data(2, memory, o_memory), data(3, out, o_out)]
            return builder.call(function, [which, t, *pointers])
        function = builder.inttoptr(address, kind.as_pointer())
        state = cgutils.alloca_once(builder, word)
        builder.store(ir.Constant(word, DOWN), state)
        plain = builder.icmp_signed("<", which, ir.Constant(word, COMPILED))
        status = builder.bitcast(state, pointer)
        memory_or_status = builder.select(plain, status, data(2, memory, o_memory))
        returned = builder.call(
            function, [which, t, data(0, q), data(1, v), memory_or_status, data(3, out, o_out)]
        )
        return builder.select(plain, builder.load(state), returned)

    return signature, generate


@uncounted
def instant(plan, table, memory, t):
    """Time t of a run as functions of the user have it; memory[LATE] gets what rounding leaves out.

    Of the sum in double precision the error is a double too (Knuth's two-sum).
    """
    head = run.PlanHeader(plan, 0)
    origin = run.RunParameters(table, head.parameters).origin
    now = origin + t
    part = now - origin
    memory[run.LATE] = (origin - (now - part)) + (t - part)
    return now
