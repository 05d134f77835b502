"""Calls of functions that otherwise only kernels call."""

from __future__ import annotations

from lissom.kernels.compiling import LIBRARY, PLAIN


def called_from_python(kernel):
    """The function itself where it is plain Python, else compiled behind one that can be called."""
    if PLAIN or LIBRARY is not None:
        return kernel
    import numba

    @numba.njit(error_model="numpy")
    def call(*arguments):
        return kernel(*arguments)

    return call
