"""Calls of functions that only kernels call: compiled where the kernels of the process are."""

from lissom.kernels.compiling import LIBRARY, PLAIN


def callable_kernel(kernel):
    """The kernel as a function of Python."""
    if LIBRARY is not None or PLAIN:
        return kernel
    import numba

    def call(*arguments):
        return kernel(*arguments)

    return numba.njit(call, error_model="numpy")
